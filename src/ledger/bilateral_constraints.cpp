#include "carom/model/constraint_friction.hpp"
#include "carom/model/constraint_rank.hpp"
#include "well_posedness_words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace carom::detail {
namespace {

void judge_rank(const Model& model, const State& start, WellPosedness& result)
{
    const ConstraintRank found = diagnose_constraints(model, start);
    if (found.rows == 0) return;
    if (found.independent()) {
        add(result, "constraints_independent", Bearing::Holds,
            fmt::format("the {} firm constraints are independent at the start: reactions are unique",
                        found.rows),
            "B02 hypothesis I, theorem 2 on the constrained manifold");
        return;
    }
    const std::string names = fmt::format("{}", fmt::join(found.names, ", "));
    if (found.singular) {
        add(result, "constraints_dependent", Bearing::CostsExistence,
            fmt::format("the gradients of {} depend on each other, rank {} of {}, and positions do not allow "
                        "every velocity that they allow",
                        names, found.rank, found.rows),
            "B02 hypothesis I, counter-example 3");
    } else {
        add(result, "constraints_redundant", Bearing::Holds,
            fmt::format("{} are redundant, rank {} of {}: the motion is unique, how they share their "
                        "reactions is not",
                        names, found.rank, found.rows),
            "B02 example 12");
    }
}

void judge_friction(const Model& model, const State& start, int j, WellPosedness& result)
{
    const Constraint& constraint = model.system().constraints[static_cast<std::size_t>(j)];
    for (std::size_t l = 0; l < constraint.limits.size(); ++l) {
        const ReactionLimit& limit = constraint.limits[l];
        if (model.pressed_by(j, static_cast<int>(l)) < 0) continue;
        if (!limit.real_world) {
            add(result, "friction_of_constraint", Bearing::Holds,
                fmt::format("{} rubs with the generalised normal reaction: well posed for every coefficient",
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

void judge_bilateral(const Model& model, const State& start, WellPosedness& result)
{
    if (model.constraints() == 0) return;
    judge_rank(model, start, result);
    bool unpressed = false;
    for (int j = 0; j < model.constraints(); ++j) {
        const Constraint& constraint = model.system().constraints[static_cast<std::size_t>(j)];
        if (!constraint.only_while.empty()) {
            add(result, "conditional_constraint", Bearing::CostsUniqueness,
                fmt::format("{} acts only while {} does: no theorem says that the motion is the only one",
                            constraint.name, constraint.only_while),
                "B02 7");
        }
        unpressed = unpressed || (!constraint.is_firm() && model.pressed_by(j, 0) < 0);
        judge_friction(model, start, j, result);
    }
    if (unpressed) {
        add(result, "non_firm_constraints", Bearing::Holds,
            "limited reactions dissipate as much as their sets allow: one motion, whose accelerations may "
            "jump",
            "B02 theorems 25 and 26");
    }
    if (model.contacts() > 0) {
        add(result, "contacts_with_constraints", Bearing::Condition,
            "as long as what is said of contacts also holds among the velocities that constraints allow: "
            "carom "
            "looked at the contacts alone",
            "B02 7");
    }
}

}  // namespace carom::detail
