#include "core/dense.hpp"
#include "degenerate_search.hpp"
#include "expression/range_tape.hpp"
#include "expression/term.hpp"
#include "interval_proofs.hpp"
#include "state_samples.hpp"
#include "well_posedness_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace carom {
namespace {

using detail::add;
using detail::combination;
using detail::listed;
using detail::names_of;

/// How far a sampled impact may miss (IM-3) by rounding, for velocities of kinetic length 1.
constexpr double impact_tolerance = 1e-9;

/// The condition of larger kinetic matrices would take longer than a moment.
constexpr int max_eigenvalues = 500;

bool has_moving_obstacles(const Model& model)
{
    return std::ranges::any_of(model.system().contacts, [](const Contact& contact) {
        const auto changes = [](const Formula& formula) { return formula.depends_on(Variable::Kind::Time); };
        const auto& particle = contact.particle;
        return changes(contact.gap) ||
               (particle && (changes(particle->surface) || std::ranges::any_of(particle->position, changes)));
    });
}

void judge_start(const Model& model, const State& start, WellPosedness& result)
{
    const auto A = metric_at(model, start.q);
    if (!A) {
        add(result, "metric_not_positive", Bearing::CostsExistence, A.error().message,
            "B02 1.2, kinetic metric");
        return;
    }
    if (model.coordinates() <= max_eigenvalues) {
        const Eigen::VectorXd spectrum = symmetric_eigenvalues_of(A->matrix());
        result.condition = spectrum.maxCoeff() / spectrum.minCoeff();
    }
    const Eigen::MatrixXd H = gap_gradients_at(model, start.q, result.start.contacts, start.t_s);
    result.start.cone =
        diagnose_cone(*A, detail::free_gap_gradients(model, *A, start.q, result.start.contacts, start.t_s));

    // velocities of the closed contacts, obstacles moving or not
    Workspace work;
    for (std::size_t k = 0; k < result.start.contacts.size(); ++k) {
        const int contact = result.start.contacts[k];
        std::vector<double> row(model.support(contact).size());
        const double b = model.gap_gradient(contact, point_of(start), row, work);
        const auto gradient = H.row(static_cast<Eigen::Index>(k));
        const double U = gradient.dot(start.u) + b;
        result.start_velocity_m_s.push_back(U);
        const double rounding = 1e-12 * (gradient.cwiseAbs().dot(start.u.cwiseAbs()) + std::abs(b));
        if (U >= -rounding) continue;
        add(result, "start_velocity_outside", Bearing::CostsExistence,
            fmt::format("the initial velocity approaches the closed contact {} at {:.6g} m/s: the theorems "
                        "require an initial velocity in V(q). A run begins with an impact instead",
                        model.system().contacts[static_cast<std::size_t>(contact)].name, -U),
            "B02 problem III");
    }
    if (result.hypotheses.empty()) {
        add(result, "start_admissible", Bearing::Holds,
            "the start is admissible: no gap is negative, the velocity is in V(q), the kinetic metric is "
            "positive",
            "B02 problem III");
    }
}

/// The kinetic metric away from the start.
void judge_metric(const detail::Proofs& proofs, WellPosedness& result)
{
    if (proofs.metric_positive) return;
    add(result, "metric_elsewhere", Bearing::Unrefuted,
        "the kinetic matrix is positive at the start; that it is positive in every configuration was not "
        "shown",
        "B02 1.2, kinetic metric");
}

/// (WP-1), (WP-2) at one configuration; true when both hold.
bool judge_cone(const Model& model, const ClosedConfiguration& at, const std::string& where,
                WellPosedness& result)
{
    const auto names = names_of(model, at.contacts);
    if (!at.vanishing.empty()) {
        add(result, "gradient_vanishes", Bearing::CostsExistence,
            fmt::format("{}: the gradient of the gap {} is zero there", where,
                        listed(names_of(model, at.vanishing))),
            "B02 hypothesis I");
        return false;
    }
    if (!at.cone.independent()) {
        add(result, "dependent_gradients", Bearing::CostsExistence,
            fmt::format(
                "{}: the gradients of the closed contacts {} depend on each other, rank {} of {}: {} = 0 in "
                "unit gradients. Reactions are not unique, and no theorem guarantees a motion",
                where, listed(names), at.cone.rank, names.size(), combination(at.cone.dependence, names)),
            "B02 hypothesis I, counter-example 3");
    }
    if (!at.cone.has_interior()) {
        add(result, "no_interior", Bearing::CostsExistence,
            fmt::format(
                "{}: no velocity leaves all closed contacts at once, V(q) has no interior: {} = 0 in unit "
                "gradients. The system can be pinched there",
                where, combination(at.cone.pinch, names)),
            "M83 (2.10)");
    }
    return at.cone.independent() && at.cone.has_interior();
}

void judge_constraints(const Model& model, const detail::Proofs& proofs, WellPosedness& result)
{
    if (model.contacts() == 0) return;
    bool good = judge_cone(model, result.start, "at the start", result);
    for (const ClosedConfiguration& at : result.search.samples) {
        if (at.contacts == result.start.contacts && !good) continue;
        const std::string where =
            fmt::format("at the admissible configuration {}", detail::place(model, at.q));
        good = judge_cone(model, at, where, result) && good;
    }
    if (!good) return;
    if (proofs.gradients_independent) {
        add(result, "independent_gradients", Bearing::Holds,
            fmt::format(
                "the gradients of closed contacts are independent at every admissible configuration{}: "
                "intervals show it",
                model.constraints() > 0 ? ", also of those of firm constraints" : ""),
            "B02 hypothesis I; docs/theory/well_posedness.md (WP-9)");
        return;
    }
    add(result, "independent_gradients", Bearing::Unrefuted,
        fmt::format("the gradients of closed contacts are independent at the start ({} closed) and at the {} "
                    "admissible configurations that {} searches found, {} of them with several closed "
                    "contacts; V(q) has interior points there",
                    result.start.contacts.size(), result.search.found, result.search.searches,
                    result.search.several),
        "B02 hypothesis I; M83 (2.10)");
}

/// (WP-8): obstacles that move without turning can be brought to rest by a moving frame.
bool rest_in_a_moving_frame(const Model& model, const State& start)
{
    if (!model.has_constant_mass()) return false;
    const auto keeps_its_gradient = [](const Formula& formula) {
        return detail::has_constant_gradient(formula, {Variable::Kind::Coordinate});
    };
    const bool constant = std::ranges::all_of(model.system().contacts, [&](const Contact& contact) {
        const auto& particle = contact.particle;
        return particle ? std::ranges::all_of(particle->position, keeps_its_gradient) &&
                              keeps_its_gradient(particle->surface)
                        : keeps_its_gradient(contact.gap);
    });
    if (!constant) return false;
    std::vector<int> all(static_cast<std::size_t>(model.contacts()));
    std::iota(all.begin(), all.end(), 0);
    const auto A = metric_at(model, start.q);
    return A && diagnose_cone(*A, gap_gradients_at(model, start.q, all, start.t_s)).independent();
}

void judge_obstacles(const Model& model, const State& start, WellPosedness& result)
{
    if (!has_moving_obstacles(model)) return;
    if (rest_in_a_moving_frame(model, start)) {
        add(result, "obstacles_translate", Bearing::Holds,
            "obstacles move, but gap gradients and kinetic metric do not change: in a frame that moves with "
            "the obstacles they rest, and the theorems for resting obstacles hold there",
            "docs/theory/well_posedness.md (WP-8)");
    } else {
        add(result, "moving_obstacles", Bearing::CostsExistence,
            "gaps depend on time, and in no moving frame are all obstacles at rest, as the theorems require",
            "B02 (1.6)");
    }
}

/// Restitutions that cannot leave [0, 1]: numbers, and formulas whose values intervals bound.
bool restitutions_stay_in_range(const Model& model)
{
    return std::ranges::all_of(model.system().contacts, [](const Contact& contact) {
        detail::Range e{0, 0};
        for (const Term& term : contact.restitution.terms())
            e = e + detail::ranges_everywhere(term.tape()).back();
        return e.low >= 0 && e.high <= 1;
    });
}

void judge_impacts(const Model& model, WellPosedness& result)
{
    if (model.contacts() == 0) return;
    const ImpactLawDiagnosis& impacts = result.impacts;
    const Admissibility& worst = impacts.worst;
    if (!(impacts.lowest_e >= 0 && impacts.highest_e <= 1)) {
        add(result, "restitution_out_of_range", Bearing::CostsUniqueness,
            fmt::format("restitutions from {:.6g} to {:.6g} were met: outside [0, 1] an impact creates "
                        "energy or lets "
                        "bodies pass",
                        impacts.lowest_e, impacts.highest_e),
            "B02 (1.12), counter-example 6");
        return;
    }
    if (!(worst.leaves_V_m_s <= impact_tolerance && worst.outside_N <= impact_tolerance)) {
        add(result, "impact_not_admissible", Bearing::CostsExistence,
            "a sampled impact leaves a closed contact approaching, or takes what no contact can give",
            "B02 (1.11)");
        return;
    }
    if (!(worst.energy_gained_J <= impact_tolerance)) {
        add(result, "impact_creates_energy", Bearing::CostsUniqueness,
            fmt::format("a sampled impact creates {:.3g} of the kinetic energy before it",
                        2 * worst.energy_gained_J),
            "B02 (1.12), counter-example 6");
        return;
    }
    const Bearing bearing = restitutions_stay_in_range(model) ? Bearing::Holds : Bearing::Unrefuted;
    if (impacts.canonical) {
        add(result, "impact_law", bearing,
            fmt::format("the impact law is the canonical one, restitution from {:g} to {:g}",
                        impacts.lowest_e, impacts.highest_e),
            "B02 example 5, (1.13)");
    } else if (!model.system().impact_map) {
        add(result, "impact_law", bearing,
            fmt::format(
                "contacts have restitutions of their own, from {:g} to {:g}: admissible, and so were all {} "
                "sampled impacts",
                impacts.lowest_e, impacts.highest_e, impacts.impacts),
            "docs/theory/well_posedness.md (WP-4)");
    } else {
        add(result, "impact_law", Bearing::Unrefuted,
            fmt::format("the impact map was admissible at all {} sampled impacts", impacts.impacts),
            "B02 (1.11), (1.12)");
    }
}

/// What a program computes has no formula in which kinks, couplings or powers could be seen.
void judge_force_function(const Model& model, WellPosedness& result)
{
    if (!model.system().force_function) return;
    add(result, "forces_of_program", Bearing::Unrefuted,
        "a program computes forces: they were sampled for their growth only; the theorems hold if they are "
        "smooth enough",
        "B02 hypothesis V; CB14 theorem 2.1 (ii), (iii)");
}

void judge_growth(WellPosedness& result)
{
    const Growth& growth = result.growth;
    const std::string power = detail::exponent_in_words(growth.force());
    if (growth.shown) {
        add(result, "linear_growth", Bearing::Holds,
            fmt::format(
                "by the structure of the formulas the forces grow {}, at most linearly: the motion does "
                "not end",
                power),
            "B02 theorems 3 and 17");
    } else if (growth.linear()) {
        add(result, "linear_growth", Bearing::Unrefuted,
            fmt::format("along {} sampled rays the forces grow {}, at most linearly: "
                        "the motion "
                        "does not end (estimated)",
                        growth.rays, power),
            "B02 theorems 3 and 17");
    } else if (growth.bounded_by_energy()) {
        add(result, "energy_bound", Bearing::Unrefuted,
            fmt::format(
                "the forces grow {}, faster than theorem 3 allows, most of all {}; but along {} sampled rays "
                "the power of the given forces and the fall of the potential are at most quadratic, so that "
                "the energy bounds the velocity and the motion does not end (estimated)",
                power, growth.fastest, growth.rays),
            "docs/theory/well_posedness.md (WP-7)");
    } else {
        add(result, "superlinear_force", Bearing::CostsEternity,
            fmt::format("the forces grow {}, most of all {}, and no energy bounds "
                        "them: the motion "
                        "may become infinite in finite time, a blow-up",
                        power, growth.fastest),
            "B02 theorem 3, counter-example 2");
    }
}

void conclude(WellPosedness& result)
{
    const auto any = [&](Bearing bearing) {
        return std::ranges::any_of(result.hypotheses,
                                   [=](const Hypothesis& h) { return h.bearing == bearing; });
    };
    // growth says how long the motion lasts, not whether it is the only one
    const auto is_of_growth = [](const Hypothesis& h) {
        return h.code == "linear_growth" || h.code == "energy_bound";
    };
    const bool unrefuted = std::ranges::any_of(result.hypotheses, [&](const Hypothesis& h) {
        return h.bearing == Bearing::Unrefuted && !is_of_growth(h);
    });
    result.promise = any(Bearing::CostsExistence)    ? Promise::NonePromised
                     : any(Bearing::CostsUniqueness) ? Promise::PossiblySeveral
                     : unrefuted                     ? Promise::NoObstacleFound
                                                     : Promise::OneSolution;
    const bool one = result.promise == Promise::OneSolution || result.promise == Promise::NoObstacleFound;
    result.for_all_time = one && !any(Bearing::CostsEternity);
    result.for_all_time_shown =
        result.for_all_time && std::ranges::none_of(result.hypotheses, [&](const Hypothesis& h) {
            return h.bearing == Bearing::Unrefuted && is_of_growth(h);
        });
}

}  // namespace

std::string_view name_of(Bearing bearing) noexcept
{
    switch (bearing) {
    case Bearing::Holds: return "holds";
    case Bearing::Unrefuted: return "not_refuted";
    case Bearing::Condition: return "condition";
    case Bearing::CostsUniqueness: return "costs_uniqueness";
    case Bearing::CostsExistence: return "costs_existence";
    case Bearing::CostsEternity: return "costs_eternity";
    }
    return "unknown";
}

std::string_view name_of(Promise promise) noexcept
{
    switch (promise) {
    case Promise::OneSolution: return "one_solution";
    case Promise::NoObstacleFound: return "no_obstacle_found";
    case Promise::PossiblySeveral: return "possibly_several";
    case Promise::NonePromised: return "none_promised";
    }
    return "unknown";
}

WellPosedness diagnose_well_posedness(const Model& model, const State& start,
                                      const WellPosednessSettings& settings)
{
    WellPosedness result;
    result.start.q = start.q;
    result.start.contacts = closed_contacts_at(model, start.q, start.t_s, settings.gap_tolerance_m);

    // where contacts close, and where constraints depend on each other
    const detail::Proofs proofs = detail::prove_hypotheses(model, start, settings);
    judge_start(model, start, result);
    judge_metric(proofs, result);
    result.search = search_closed_configurations(model, start, settings);
    judge_constraints(model, proofs, result);
    judge_obstacles(model, start, result);
    detail::judge_friction(model, start, settings, result);
    detail::judge_bilateral(model, start, settings, proofs.gradients_independent, result);

    // the impact law, at the start and where the search found closed contacts
    std::vector<ClosedConfiguration> places = result.search.samples;
    if (!result.start.contacts.empty()) places.insert(places.begin(), result.start);
    result.impacts = sample_impacts(model, start, places);
    judge_impacts(model, result);

    // the formulas: power series near the start, growth far from it
    judge_force_function(model, result);
    result.singularities = find_singularities(model, start, settings);
    detail::judge_singularities(model, result);
    result.growth = estimate_growth(model, start, settings);
    if (proofs.metric_bounded) detail::bound_growth(detail::degree_of_forces(model), result.growth);
    judge_growth(result);
    conclude(result);
    return result;
}

}  // namespace carom
