#include "well_posedness_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

using Kind = Singularity::Kind;
using Reach = Singularity::Reach;

/// Exponents are measured on finite distances.
constexpr double jump_below = 0.1, lipschitz_above = 0.97;

std::string subject_of(const Singularity& here)
{
    const std::string text = here.text.empty() ? "" : fmt::format(" = `{}`", here.text.substr(0, 60));
    return fmt::format("{} in {}{}", here.function, here.formula, text);
}

std::string how_met(const Singularity& here)
{
    if (here.reach == Reach::AtStart) return "the start lies on it";
    return here.reach == Reach::Touched
               ? "it lies between sampled states, so that the theorems hold until it is reached"
               : "sampled states lie on both sides of it, so that the theorems hold until it is reached";
}

/// Forces: B02 theorem 2 asks for C1, hypothesis V for power series.
void judge_force(const Model& model, const Singularity& here, WellPosedness& result)
{
    const std::string met = how_met(here), subject = subject_of(here);
    if (here.exponent && *here.exponent < jump_below) {
        add(result, "force_jumps", Bearing::CostsExistence,
            fmt::format(
                "the acceleration jumps at {}: {}. Theory guarantees neither existence nor uniqueness",
                subject, met),
            "B02 theorem 2 and hypothesis V");
    } else if (here.exponent && *here.exponent < lipschitz_above) {
        add(result, "force_not_lipschitz", Bearing::CostsUniqueness,
            fmt::format("the acceleration changes like the power {:.2g} of the distance from {}: {}. Without "
                        "a Lipschitz "
                        "bound there may be several motions",
                        *here.exponent, subject, met),
            "B02 theorem 2, counter-example 1");
    } else if (model.contacts() == 0) {
        add(result, "force_has_kink", Bearing::Unrefuted,
            fmt::format(
                "{} has a kink and {}, but the acceleration keeps a Lipschitz bound there (estimated)",
                subject, met),
            "Cauchy-Lipschitz; B02 theorem 2 requires slightly more");
    } else {
        add(result, "not_analytic", Bearing::CostsUniqueness,
            fmt::format("{} has no power series: {}. With contacts even smooth data may have several motions",
                        subject, met),
            "B02 hypothesis V, counter-example 7");
    }
}

/// Constraints: their functions are of class C2, the forms of velocities of class C1 (B02 2.2.1, 5.2).
void judge_rows(const Singularity& here, WellPosedness& result)
{
    const std::string met = how_met(here), subject = subject_of(here);
    const bool position = here.role == Singularity::Role::Position;
    if (here.exponent && *here.exponent < jump_below) {
        add(result, "constraint_has_corner", Bearing::CostsExistence,
            fmt::format(
                "{} of the constraint jumps at {}: {}. No motion with a bounded acceleration passes it",
                position ? "the gradient" : "a row", subject, met),
            "B02 2.1, class of the functions of constraints");
    } else if (position || (here.exponent && *here.exponent < lipschitz_above)) {
        add(result, "constraint_not_smooth", Bearing::CostsUniqueness,
            fmt::format("{} has fewer derivatives than the theorems require of a constraint: {}", subject,
                        met),
            "B02 2.1, class of the functions of constraints");
    } else {
        add(result, "constraint_has_kink", Bearing::Unrefuted,
            fmt::format("{} has a kink and {}, but rows keep a Lipschitz bound there (estimated)", subject,
                        met),
            "B02 regularity hypothesis III requires slightly more");
    }
}

/// Limits: locally Lipschitz (B02, regularity hypothesis III).
void judge_limit(const Model& model, const Singularity& here, WellPosedness& result)
{
    const std::string met = how_met(here), subject = subject_of(here);
    if (here.exponent && *here.exponent < jump_below) {
        add(result, "limit_jumps", Bearing::CostsExistence,
            fmt::format("the limit of the reaction jumps at {}: {}", subject, met),
            "B02 regularity hypothesis III");
    } else if (here.exponent && *here.exponent < lipschitz_above) {
        add(result, "limit_not_lipschitz", Bearing::CostsUniqueness,
            fmt::format(
                "the limit of the reaction changes like the power {:.2g} of the distance from {}: {}. "
                "Without a Lipschitz bound there may be several motions",
                *here.exponent, subject, met),
            "B02 regularity hypothesis III, theorem 26");
    } else if (model.contacts() > 0) {
        add(result, "not_analytic", Bearing::CostsUniqueness,
            fmt::format("{} has no power series: {}. With contacts even smooth data may have several motions",
                        subject, met),
            "B02 hypothesis V, counter-example 7");
    } else {
        add(result, "limit_has_kink", Bearing::Unrefuted,
            fmt::format(
                "{} has a kink and {}, but keeps a Lipschitz bound there (estimated): limits need no more",
                subject, met),
            "B02 regularity hypothesis III");
    }
}

void judge_met(const Model& model, const Singularity& here, WellPosedness& result)
{
    using Role = Singularity::Role;
    if (here.role == Role::Position || here.role == Role::Velocity)
        judge_rows(here, result);
    else if (here.role == Role::Limit)
        judge_limit(model, here, result);
    else
        judge_force(model, here, result);
}

/// Edges and poles that the time alone decides, inside the run.
void judge_instant(const Model& model, const Singularity& here, WellPosedness& result)
{
    const std::string when = fmt::format("{} at t = {:.6g} s", subject_of(here), *here.instant_s);
    if (here.unbounded) {
        add(result, "pole_in_time", Bearing::CostsExistence,
            fmt::format("{} is unbounded, inside the run: existence is not guaranteed beyond that instant",
                        when),
            "B02 theorem 2");
    } else if (model.contacts() > 0) {
        add(result, "not_analytic_in_time", Bearing::CostsUniqueness,
            fmt::format(
                "{} has no power series to the right of it, inside the run: with contacts even smooth data "
                "may have several motions from there",
                when),
            "B02 theorem 14, counter-example 7");
    } else {
        add(result, "edge_in_time", Bearing::Unrefuted,
            fmt::format("{} has an edge, but stays bounded (estimated): without contacts this is sufficient",
                        when),
            "Caratheodory");
    }
}

/// What the time alone decides; true where that is all there is to say.
bool judge_in_time(const Model& model, const Singularity& here, WellPosedness& result)
{
    using Role = Singularity::Role;
    if (!here.time_only) return false;
    if (here.kind == Kind::Edge) {
        if (here.reach == Reach::AtStart) return false;
        if (here.search_cut) {
            add(result, "instants_not_searched", Bearing::Unrefuted,
                fmt::format(
                    "as long as the run keeps away from the edge or pole of {}, which changes too fast "
                    "with time to be searched",
                    subject_of(here)),
                "B02 hypothesis V");
            return true;
        }
        if (!here.instant_s) return true;  // not reached within the run
        judge_instant(model, here, result);
        return true;
    }
    const bool jumps = here.exponent && *here.exponent < jump_below;
    if (jumps && here.role == Role::Contact) {
        add(result, "obstacle_jumps", Bearing::CostsExistence,
            fmt::format("{} lets the obstacle jump at t = {:.6g} s: a body in its way would have to jump too",
                        subject_of(here), *here.instant_s),
            "B02 2.1, class of the functions of constraints");
        return true;
    }
    if (jumps) {
        add(result, "prescribed_motion_jumps", Bearing::CostsExistence,
            fmt::format("{} prescribes a motion that jumps at t = {:.6g} s: none with a bounded "
                        "acceleration follows it. A run answers with a shock",
                        subject_of(here), *here.instant_s),
            "B02 2.1, class of the functions of constraints");
        return true;
    }
    add(result, "pieces_in_time", Bearing::Holds,
        fmt::format(
            "{} changes its piece at instants that do not depend on the motion: the theorems hold from "
            "each to the next",
            subject_of(here)),
        "docs/theory/well_posedness.md (WP-5)");
    return true;
}

}  // namespace

void add(WellPosedness& result, std::string code, Bearing bearing, std::string message, std::string theory)
{
    result.hypotheses.push_back({.code = std::move(code),
                                 .bearing = bearing,
                                 .message = std::move(message),
                                 .theory = std::move(theory)});
}

std::vector<std::string> names_of(const Model& model, std::span<const int> contacts)
{
    std::vector<std::string> names;
    for (const int contact : contacts)
        names.push_back(model.system().contacts[static_cast<std::size_t>(contact)].name);
    return names;
}

std::string listed(std::span<const std::string> names)
{
    constexpr std::size_t largest = 8;
    if (names.size() <= largest) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{} and {} others", fmt::join(names.first(largest), ", "), names.size() - largest);
}

std::string combination(const Eigen::VectorXd& weights, std::span<const std::string> names)
{
    constexpr int largest = 8;
    std::string out;
    int shown = 0;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const double weight = weights[static_cast<Eigen::Index>(k)];
        if (std::abs(weight) < 1e-9) continue;
        if (++shown > largest) continue;
        const std::string number =
            std::abs(std::abs(weight) - 1) < 1e-9 ? "" : fmt::format("{:.4g} ", std::abs(weight));
        const std::string_view sign = weight < 0 ? (out.empty() ? "-" : " - ") : (out.empty() ? "" : " + ");
        out += fmt::format("{}{}{}", sign, number, names[k]);
    }
    return shown > largest ? fmt::format("{} + ... ({} others)", out, shown - largest) : out;
}

std::string place(const Model& model, const Eigen::VectorXd& q)
{
    constexpr Eigen::Index largest = 6;
    std::string out;
    for (Eigen::Index i = 0; i < std::min(largest, q.size()); ++i) {
        // what is only rounding of the search is shown as zero
        const double shown = std::abs(q[i]) < 1e-7 ? 0.0 : q[i];
        out += fmt::format("{}{} = {:.4g}", i == 0 ? "" : ", ",
                           model.system().coordinates[static_cast<std::size_t>(i)].name, shown);
    }
    return q.size() > largest ? out + ", ..." : out;
}

std::string exponent_in_words(double exponent)
{
    if (!std::isfinite(exponent)) return "faster than any power of distance and speed";
    if (exponent < 0.02) return "not at all with distance and speed";
    return fmt::format("like the power {:.2g} of distance and speed", exponent);
}

void judge_singularities(const Model& model, WellPosedness& result)
{
    bool analytic = true;
    for (const Singularity& here : result.singularities) {
        if (judge_in_time(model, here, result)) {
            analytic = analytic && here.kind == Kind::Kink;
            continue;
        }
        analytic = false;
        const bool is_met = here.reach == Reach::AtStart || here.reach == Reach::Touched ||
                            (here.kind == Kind::Kink && here.reach == Reach::Crossed);
        if (is_met) {
            judge_met(model, here, result);
            continue;
        }
        add(result, here.kind == Kind::Kink ? "kink_not_met" : "edge_of_domain", Bearing::Condition,
            fmt::format("as long as the motion keeps away from {} of {}",
                        here.kind == Kind::Kink ? "the kink" : "the edge or pole", subject_of(here)),
            "B02 hypothesis V");
    }
    if (!analytic) return;
    add(result, "analytic", Bearing::Holds, "all formulas are power series everywhere",
        model.contacts() > 0 ? "B02 hypothesis V, corollary 16" : "B02 theorem 2");
}

}  // namespace carom::detail
