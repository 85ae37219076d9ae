#include "well_posedness_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

using Kind = Singularity::Kind;
using Reach = Singularity::Reach;

/// Exponents are measured on finite distances.
constexpr double jump_below = 0.1, lipschitz_above = 0.9;

std::string subject_of(const Singularity& here)
{
    const std::string text = here.text.empty() ? "" : fmt::format(" = `{}`", here.text.substr(0, 60));
    return fmt::format("{} in {}{}", here.function, here.formula, text);
}

void judge_met(const Model& model, const Singularity& here, WellPosedness& result)
{
    const std::string met =
        here.reach == Reach::AtStart
            ? "the start lies on it"
            : "sampled states lie on both sides of it, so that the theorems hold until it is reached";
    const std::string subject = subject_of(here);
    if (here.exponent && *here.exponent < jump_below) {
        add(result, "force_jumps", Bearing::CostsExistence,
            fmt::format("the acceleration jumps at {}: {}. Theory promises neither a motion nor that it is "
                        "the only one",
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
        add(result, "force_has_kink", Bearing::Holds,
            fmt::format(
                "{} has a kink and {}, but the acceleration keeps a Lipschitz bound there (estimated)",
                subject, met),
            "Cauchy-Lipschitz; B02 theorem 2 asks for a little more");
    } else {
        add(result, "not_analytic", Bearing::CostsUniqueness,
            fmt::format("{} has no power series: {}. With contacts even smooth data may have several motions",
                        subject, met),
            "B02 hypothesis V, counter-example 7");
    }
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

std::string combination(const Eigen::VectorXd& weights, std::span<const std::string> names)
{
    std::string out;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const double weight = weights[static_cast<Eigen::Index>(k)];
        if (std::abs(weight) < 1e-9) continue;
        const std::string number =
            std::abs(std::abs(weight) - 1) < 1e-9 ? "" : fmt::format("{:.4g} ", std::abs(weight));
        const std::string_view sign = weight < 0 ? (out.empty() ? "-" : " - ") : (out.empty() ? "" : " + ");
        out += fmt::format("{}{}{}", sign, number, names[k]);
    }
    return out;
}

std::string place(const Model& model, const Eigen::VectorXd& q)
{
    constexpr Eigen::Index most = 6;
    std::string out;
    for (Eigen::Index i = 0; i < std::min(most, q.size()); ++i) {
        // what is only rounding of the search is shown as zero
        const double shown = std::abs(q[i]) < 1e-7 ? 0.0 : q[i];
        out += fmt::format("{}{} = {:.4g}", i == 0 ? "" : ", ",
                           model.system().coordinates[static_cast<std::size_t>(i)].name, shown);
    }
    return q.size() > most ? out + ", ..." : out;
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
        const bool of_gap = here.formula.starts_with("contact.");
        if (here.kind == Kind::Kink && here.time_only && !of_gap) {
            add(result, "pieces_in_time", Bearing::Holds,
                fmt::format("{} changes its piece at instants that do not depend on the motion: the theorems "
                            "hold from "
                            "each to the next",
                            subject_of(here)),
                "docs/theory/well_posedness.md (WP-5)");
            continue;
        }
        analytic = false;
        if (here.reach == Reach::AtStart || (here.kind == Kind::Kink && here.reach == Reach::Crossed)) {
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
