#include "degenerate_search.hpp"
#include "expression/workspace.hpp"
#include "system/lagrangian/constraint_friction.hpp"
#include "system/lagrangian/constraint_rank.hpp"
#include "well_posedness_words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace carom::detail {
namespace {

/// Instants of the run at which right-hand sides are compared.
constexpr int compared_instants = 33;

void judge_rank(const Model& model, const State& start, const WellPosednessSettings& settings, bool shown,
                WellPosedness& result)
{
    const ConstraintRank found = diagnose_constraints(model, start);
    if (found.rows == 0) return;
    const std::string names = fmt::format("{}", fmt::join(found.names, ", "));
    if (!found.independent() && found.singular) {
        add(result, "constraints_dependent", Bearing::CostsExistence,
            fmt::format("the gradients of {} depend on each other, rank {} of {}, and positions do not allow "
                        "every velocity that they allow",
                        names, found.rank, found.rows),
            "B02 hypothesis I, counter-example 3");
        return;
    }
    if (!found.independent()) {
        add(result, "constraints_redundant", Bearing::Unrefuted,
            fmt::format("{} are redundant at the start, rank {} of {}: the motion is unique as long as they "
                        "stay so and no friction depends on how they share their reactions, which is not "
                        "determined",
                        names, found.rank, found.rows),
            "B02 example 12");
        return;
    }
    if (shown) {
        add(result, "constraints_independent", Bearing::Holds,
            fmt::format(
                "the {} firm constraint{} independent wherever positions are held: reactions are unique",
                found.rows, found.rows == 1 ? " is" : "s are"),
            "B02 hypothesis I, theorem 2 on the constrained manifold; docs/theory/well_posedness.md (WP-9)");
        return;
    }
    if (const auto singular = find_singular_configuration(model, start, settings)) {
        add(result, "singular_configuration", Bearing::CostsExistence,
            fmt::format(
                "the gradients of the firm constraints depend on each other at {}, which the constraints "
                "allow: there the motion may branch or end",
                place(model, *singular)),
            "B02 hypothesis I, counter-example 3");
        return;
    }
    add(result, "constraints_independent", Bearing::Unrefuted,
        fmt::format("the {} firm constraint{} independent at the start, and no search found a configuration "
                    "where they are not",
                    found.rows, found.rows == 1 ? " is" : "s are"),
        "B02 hypothesis I, theorem 2 on the constrained manifold");
}

/// Firm constraints that depend on each other need right-hand sides that do, at every instant.
void judge_right_hand_sides(const Model& model, const State& start, const WellPosednessSettings& settings,
                            WellPosedness& result)
{
    for (int k = 0; k < compared_instants; ++k) {
        // where the start velocity alone would lead, and where the start is
        const double later_s = settings.duration_s * k / (compared_instants - 1);
        for (const double along : {0.0, later_s}) {
            State at = start;
            at.t_s += later_s;
            at.q += along * start.u;
            const ConstraintConflict conflict = compare_right_hand_sides(model, at);
            if (!conflict.found()) continue;
            add(result, "constraints_contradict", Bearing::CostsExistence,
                fmt::format(
                    "no velocity satisfies {} together at t = {:.4g} s: their rows depend on each other, "
                    "their right-hand sides differ by {:.3g}",
                    fmt::join(conflict.names, ", "), at.t_s, conflict.difference),
                "B02 hypothesis I; docs/theory/constraints.md (CO-13)");
            return;
        }
    }
}

/// B02 (1.34): the start velocity must be one that the sets of reactions can answer.
void judge_start_velocity(const Model& model, const State& start, WellPosedness& result)
{
    for (const OutsideLaw& outside : starts_outside_laws(model, start)) {
        add(result, "start_outside_law", Bearing::CostsExistence,
            fmt::format(
                "the start has the velocity {:.6g} against {}, whose reaction has no bound in that "
                "direction: such an initial velocity is not admissible. A run begins with a shock instead",
                outside.velocity, outside.name),
            "B02 (1.34)");
    }
}

void judge_joint_friction(const Model& model, const State& start, int j, WellPosedness& result)
{
    const Constraint& constraint = model.system().constraints[static_cast<std::size_t>(j)];
    for (std::size_t l = 0; l < constraint.limits.size(); ++l) {
        const ReactionLimit& limit = constraint.limits[l];
        if (model.pressed_by(j, static_cast<int>(l)) < 0) continue;
        if (!limit.real_world) {
            add(result, "friction_of_constraint", Bearing::Holds,
                fmt::format(
                    "{} has friction on the generalised normal reaction: well posed for every coefficient",
                    constraint.name),
                "B02 theorem 30");
            continue;
        }
        Workspace work;
        const double k = coulomb_coupling_at(model, start, j);
        const int normal = model.pressed_by(j, static_cast<int>(l));
        const double force = normal_force_metric(model, point_of(start), normal, j, work)(0, 0);
        const double mu = limit.size.value(point_of(start), work) * std::sqrt(force);
        const bool convex = mu * std::abs(k) < 1;
        add(result, convex ? "coulomb_convex" : "coulomb_not_convex",
            convex ? Bearing::Condition : Bearing::CostsExistence,
            convex
                ? fmt::format("as long as mu |k| < 1 for {}: at the start it is {:.4g}, and Coulomb's law "
                              "leaves an interval of tangential reactions",
                              constraint.name, mu * std::abs(k))
                : fmt::format("Coulomb's law leaves {} a set of tangential reactions that is not convex, "
                              "mu |k| = {:.4g}: no motion, several, or one that locks; kind = \"friction\" "
                              "is well posed",
                              constraint.name, mu * std::abs(k)),
            "B02 examples 13 and 14");
    }
}

}  // namespace

void judge_bilateral(const Model& model, const State& start, const WellPosednessSettings& settings,
                     bool shown, WellPosedness& result)
{
    if (model.constraints() == 0) return;
    judge_rank(model, start, settings, shown, result);
    judge_right_hand_sides(model, start, settings, result);
    judge_start_velocity(model, start, result);
    bool unpressed = false;
    for (int j = 0; j < model.constraints(); ++j) {
        const Constraint& constraint = model.system().constraints[static_cast<std::size_t>(j)];
        if (!constraint.only_while.empty()) {
            add(result, "conditional_constraint", Bearing::CostsUniqueness,
                fmt::format("{} acts only while {} does: no theorem guarantees uniqueness", constraint.name,
                            constraint.only_while),
                "B02 7");
        }
        unpressed = unpressed || (!constraint.is_firm() && model.pressed_by(j, 0) < 0);
        judge_joint_friction(model, start, j, result);
    }
    if (unpressed) {
        add(result, "non_firm_constraints", Bearing::Holds,
            "limited reactions dissipate as much as their sets allow: where limits have a Lipschitz bound "
            "there "
            "is one motion, whose accelerations may jump",
            "B02 theorems 25 and 26");
    }
    if (model.contacts() > 0 && !shown) {
        add(result, "contacts_with_constraints", Bearing::Unrefuted,
            "contacts were examined among the velocities that constraints allow, at the start and where "
            "searches closed them",
            "B02 7");
    }
}

}  // namespace carom::detail
