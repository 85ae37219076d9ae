#include "body_formulas.hpp"
#include "ledger/reaction_line.hpp"
#include "statuses.hpp"
#include "system/bodies/body_coordinates.hpp"

#include <algorithm>
#include <cmath>

/// What formulas beside bodies did in a step, group by group (LE-28).
namespace carom::detail {
namespace {

/// A limited reaction that held in the step before and holds in this one (LE-26).
bool holds_on(const Model& model, int interaction, const State& before, const State& after)
{
    if (model.is_contact(interaction) || model.part(interaction).limit < 0) return false;
    const auto part = static_cast<std::size_t>(interaction - model.contacts());
    const auto in = [&](const State& state) {
        return part < state.constraint_status.size() &&
               static_cast<ConstraintStatus>(state.constraint_status[part]) == ConstraintStatus::Holds;
    };
    return in(before) && in(after);
}

}  // namespace

int BodyFormulas::group_of_coordinate(int coordinate, const GroupsOfBodies& groups) const
{
    if (coordinate >= first_) return groups.of_coordinate[static_cast<std::size_t>(coordinate - first_)];
    return groups.of_body[static_cast<std::size_t>(body_of_[static_cast<std::size_t>(coordinate)])];
}

/// Of what names these: the first that forces move has it; -1: none.
int BodyFormulas::group_of_term(const Term& term, const GroupsOfBodies& groups) const
{
    for (const Variable& one : term.variables()) {
        if (one.kind == Variable::Kind::Time) continue;
        if (const int group = group_of_coordinate(one.index, groups); group >= 0) return group;
    }
    return -1;
}

int BodyFormulas::group_of_interaction(std::size_t k, const GroupsOfBodies& groups) const
{
    for (const int coordinate : model_.support(interactions_[k]))
        if (const int group = group_of_coordinate(coordinate, groups); group >= 0) return group;
    return -1;
}

double BodyFormulas::forces_defect_J(double h_s, const State& before, const State& after)
{
    const auto& forces = model_.system().forces;
    defect_J_.assign(forces.size(), 0.0);
    if (forces.empty()) return 0;
    const State start = coordinate_state(bodies_, before), end = coordinate_state(bodies_, after);
    const Eigen::VectorXd q = (start.q + end.q) / 2, u = (start.u + end.u) / 2;
    const Point middle{view(q), view(u), (before.t_s + after.t_s) / 2};
    double sum_J = 0;
    for (std::size_t i = 0; i < forces.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        const double F = forces[i].value(middle, work_);
        const double at_start = (forces[i].value(point_of(start), work_) - F) * start.u[k],
                     at_end = (forces[i].value(point_of(end), work_) - F) * end.u[k];
        defect_J_[i] =
            h_s / 6 * ((std::isfinite(at_start) ? at_start : 0) + (std::isfinite(at_end) ? at_end : 0));
        sum_J += defect_J_[i];
    }
    return sum_J;
}

void BodyFormulas::add_energies(const State& at, const GroupsOfBodies& groups, Energies GroupStep::* of,
                                std::span<GroupStep> steps)
{
    see(at);
    const auto add = [&](const std::vector<Term>& terms, double Energies::* energy) {
        for (const Term& term : terms)
            if (const int group = group_of_term(term, groups); group >= 0)
                steps[static_cast<std::size_t>(group)].*of.*energy += term.value(point(), work_);
    };
    add(kinetic_, &Energies::kinetic_J);
    add(potential_, &Energies::potential_J);
}

void BodyFormulas::add_works(double h_s, const State& before, const State& after,
                             std::span<const Vec3> v_driven, std::span<const Vec3> w_driven,
                             const GroupsOfBodies& groups, const BodyStepMemory& s,
                             std::span<GroupStep> steps)
{
    // given forces at the mean velocity of the coordinates, of which each has a component of its carrier
    if (own_ > 0) {
        const Eigen::VectorXd z = L_.matrixU() * after.u.tail(own_);
        for (int i = 0; i < own_; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const std::size_t carrier = static_cast<std::size_t>(bodies_.bodies()) + k / 3;
            const auto axis = static_cast<Eigen::Index>(k % 3);
            GroupStep& step = steps[static_cast<std::size_t>(groups.of_coordinate[k])];
            step.lines.given_forces_J +=
                h_s / 2 * s.given[carrier].force_N[axis] * (z_before_[k / 3][axis] + z[i]);
            const double z_free = s.v_free[carrier][axis];
            step.accuracy.held_back_J += (z_free * z_free - z[i] * z[i]) / 2;
        }
    }
    for (std::size_t i = 0; i < defect_J_.size(); ++i)
        if (const int group = group_of_coordinate(static_cast<int>(i), groups); group >= 0)
            steps[static_cast<std::size_t>(group)].accuracy.forces_defect_J += defect_J_[i];
    // what time, and bodies on prescribed paths, do to the potential energy, with all others half-way
    State at = coordinate_state(bodies_, before);
    const State end = coordinate_state(bodies_, after);
    const Eigen::VectorXd begin = at.q;
    const auto value = [&](const Term& term, const State& driven_at, const Eigen::VectorXd& q) {
        at.q = (begin + end.q) / 2;
        for (int j = 0; j < first_; ++j)
            if (group_of_coordinate(j, groups) < 0) at.q[j] = q[j];
        return term.value({view(at.q), view(at.u), driven_at.t_s}, work_);
    };
    for (const Term& term : potential_) {
        const int group = group_of_term(term, groups);
        const bool is_driven = std::ranges::any_of(term.variables(), [&](const Variable& one) {
            return one.kind == Variable::Kind::Time || group_of_coordinate(one.index, groups) < 0;
        });
        if (group < 0 || !is_driven) continue;
        steps[static_cast<std::size_t>(group)].lines.prescribed_motions_J +=
            value(term, after, end.q) - value(term, before, begin);
    }
    for (std::size_t k = 0; k < interactions_.size(); ++k) {
        const int group = group_of_interaction(k, groups);
        if (group < 0) continue;
        EnergyLines& lines = steps[static_cast<std::size_t>(group)].lines;
        const Law& law = s.problem.laws[first_interaction_ + k];
        const bool held = holds_on(model_, interactions_[k], before, after);
        const int first = s.problem.offsets[first_interaction_ + k];
        for (int row = first; row < s.problem.offsets[first_interaction_ + k + 1]; ++row) {
            const auto r = static_cast<std::size_t>(row);
            if (!held)
                lines.*line_of(law, row == first) += s.P[r] * (s.problem.U_minus[r] + shown_.U_plus[r]) / 2;
            lines.prescribed_motions_J -= s.P[r] * velocity(s.rows, row, v_driven, w_driven);
        }
    }
}

}  // namespace carom::detail
