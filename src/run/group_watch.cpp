#include "group_watch.hpp"

#include "expression/term.hpp"
#include "phase_error.hpp"
#include "reversing_slip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace carom {
namespace {

/// Below this part of |T| + |V| an energy is rounding: some hundred roundings.
constexpr double rounding = 1e-13;

/// Terms of a group in the potential energy; a term that names no coordinate does nothing.
Formula terms_of(int group, const Model& model, const MotionGroups& groups, bool in_time_only)
{
    std::vector<Term> terms;
    for (const Term& term : model.system().potential.terms()) {
        const auto variables = term.variables();
        const auto names = [&](Variable::Kind kind) {
            return std::ranges::find(variables, kind, &Variable::kind);
        };
        const auto coordinate = names(Variable::Kind::Coordinate);
        if (coordinate == variables.end()) continue;
        if (in_time_only && names(Variable::Kind::Time) == variables.end()) continue;
        if (groups.of_coordinate[static_cast<std::size_t>(coordinate->index)] == group) terms.push_back(term);
    }
    return {std::move(terms), ""};
}

/// Friction of a contact that stuck in the step before and sticks in this one (LE-26).
bool is_held(const ContactStep& contact, const State& before, const State& after)
{
    const auto sticks = [&](const State& state) {
        const auto c = static_cast<std::size_t>(contact.contact);
        return state.closed[c] != 0 && state.slides[c] == 0;
    };
    return contact.persists && sticks(before) && sticks(after);
}

}  // namespace

GroupWatch::GroupWatch(const Model& model, double energy_tolerance, std::string other_remedy)
    : model_(model),
      tolerance_(energy_tolerance),
      other_remedy_(std::move(other_remedy)),
      groups_(motion_groups(model)),
      A_(model.mass_pattern())
{
    if (!follows()) return;
    for (int g = 0; g < groups_.count; ++g) {
        Group& part = parts_.emplace_back();
        part.potential = terms_of(g, model, groups_, false);
        part.in_time = terms_of(g, model, groups_, true);
        for (int i = 0; i < model.coordinates(); ++i)
            if (groups_.of_coordinate[static_cast<std::size_t>(i)] == g) part.members.push_back(i);
    }
    rests_.resize(parts_.size());
    momentum_.setZero(model.coordinates());
    terms_.setZero(model.coordinates());
}

void GroupWatch::after_step(const State& before, const State& after, const StepReport& report,
                            bool keeps_energy, Scratch& scratch)
{
    ++steps_;
    // the lines of each group: what nothing else explains is the scheme's, or the correction's (LE-27)
    note_start(before, scratch);
    note_energies(point_of(after), scratch, &Step::end);
    end_q_ = after.q;
    end_u_ = after.u;
    end_s_ = after.t_s;
    note_forces(report, scratch);
    note_prescribed(before, after);
    note_reactions(before, after, scratch);
    for (Step& step : step_) {
        step.lines.kinetic_J = step.end.kinetic_J - step.start.kinetic_J;
        step.lines.potential_J = step.end.potential_J - step.start.potential_J;
        step.lines.scheme_J = step.lines.balance_J();
    }

    // and what is asked of energies, of each
    judge(after.t_s);
    for (std::size_t g = 0; g < parts_.size(); ++g) {
        parts_[g].u_before = before.u(parts_[g].members);
        parts_[g].u_after = after.u(parts_[g].members);
        if (steps_ == 1) rests_[g].at_start(parts_[g].u_before);
        rests_[g].after_step(parts_[g].u_after);
        parts_[g].slip.work_J += std::abs(step_[g].lines.given_forces_J);
        parts_[g].slip.missed_J += std::abs(step_[g].accuracy.forces_defect_J);
    }
    for (const ContactStep& contact : scratch.contacts)
        note_friction(contact, parts_[group_of(contact.contact)].slip);
    note_phases(before, after, scratch);
    if (keeps_energy) look_for_oscillations(after, after.t_s - before.t_s, scratch);
}

double GroupWatch::kinetic_J(int contact, double of_all_J) const
{
    return follows() ? parts_[group_of(contact)].energy.kinetic_J : of_all_J;
}

std::vector<double> GroupWatch::run_scales_J() const
{
    std::vector<double> scales_J;
    for (const Group& part : parts_)
        scales_J.push_back(part.energy.run_scale_J);
    return scales_J;
}

double GroupWatch::phase_rad() const
{
    double max_rad = 0;
    for (const Group& part : parts_)
        max_rad = std::max(max_rad, part.phase_rad);
    return max_rad;
}

void GroupWatch::look_at_end(const RunSoFar& run, double h_s, std::vector<Finding>& findings) const
{
    const auto is_told = [](const Finding& one) { return one.code == "step_too_long" && one.uncertifies; };
    if (std::ranges::any_of(run.progress.certifier.findings_at_end(), is_told)) return;
    for (const Group& part : parts_) {
        if (part.too_long || part.energy.beyond != 0)
            findings.push_back(too_long(part));
        else if (auto missed = look_at_work(part.slip, part.energy.run_scale_J, run.state.t_s, h_s,
                                            tolerance_, name_of(part)))
            findings.push_back(std::move(*missed));
    }
    findings.insert(findings.end(), oscillations_.findings().begin(), oscillations_.findings().end());
}

/// The coordinates of a group, some of them.
std::string GroupWatch::name_of(const Group& group) const
{
    constexpr std::size_t few = 4;
    std::string name;
    for (std::size_t k = 0; k < std::min(few, group.members.size()); ++k)
        name += (k > 0 ? ", " : "") +
                model_.system().coordinates[static_cast<std::size_t>(group.members[k])].name;
    return name + (group.members.size() > few ? ", ..." : "");
}

Finding GroupWatch::too_long(const Group& group) const
{
    return {.code = "step_too_long",
            .time_s = group.energy.first.time_s,
            .message = fmt::format("of {}: {}", name_of(group), words_of(group.energy.first, other_remedy_)),
            .count = 1,
            .uncertifies = true,
            .about = name_of(group)};
}

std::size_t GroupWatch::group_of(int interaction) const
{
    const auto support = model_.support(interaction);
    if (support.empty()) return 0;
    return static_cast<std::size_t>(groups_.of_coordinate[static_cast<std::size_t>(support.front())]);
}

void GroupWatch::kinetic_by_group(const MassMatrix& A, std::span<const double> u)
{
    A.multiply(u, view(momentum_));
    kinetic_J_.assign(parts_.size(), 0.0);
    for (std::size_t i = 0; i < u.size(); ++i)
        kinetic_J_[static_cast<std::size_t>(groups_.of_coordinate[i])] +=
            u[i] * momentum_[static_cast<Eigen::Index>(i)] / 2;
}

void GroupWatch::note_energies(const Point& at, const Scratch& scratch, Energies Step::* of)
{
    if (!model_.has_constant_mass()) model_.kinetic_terms(at, A_, view(terms_), work_);
    kinetic_by_group(model_.has_constant_mass() ? scratch.A : A_, at.u);
    for (std::size_t g = 0; g < parts_.size(); ++g)
        step_[g].*of = {.kinetic_J = kinetic_J_[g], .potential_J = parts_[g].potential.value(at, work_)};
}

/// Mostly where the last step has ended.
void GroupWatch::note_start(const State& before, const Scratch& scratch)
{
    const bool continues =
        end_q_.size() == before.q.size() && end_s_ == before.t_s && end_q_ == before.q && end_u_ == before.u;
    step_.resize(parts_.size());
    for (Step& step : step_)
        step = {.start = step.end};
    if (!continues) note_energies(point_of(before), scratch, &Step::start);
}

/// Works of given forces at the mean velocity, and what Simpson's rule adds to them (LE-4).
void GroupWatch::note_forces(const StepReport& report, const Scratch& scratch)
{
    if (model_.system().forces.empty()) return;
    for (std::size_t g = 0; g < parts_.size(); ++g) {
        double given = 0, at_start = 0, at_end = 0;
        for (const int i : parts_[g].members) {
            const double F = scratch.given_forces[i], before = scratch.u_start[i], after = scratch.u_end[i];
            given += F * (before + after);
            at_start += (scratch.start_forces[i] - F) * before;
            at_end += (scratch.end_forces[i] - F) * after;
        }
        step_[g].lines.given_forces_J = report.h_s / 2 * given;
        step_[g].accuracy.forces_defect_J =
            report.h_s / 6 *
            ((std::isfinite(at_start) ? at_start : 0) + (std::isfinite(at_end) ? at_end : 0));
    }
}

/// What time itself does to the potential energy, in the middle of the way.
void GroupWatch::note_prescribed(const State& before, const State& after)
{
    for (std::size_t g = 0; g < parts_.size(); ++g) {
        const Formula& in_time = parts_[g].in_time;
        if (in_time.terms().empty()) continue;
        some_ = (before.q + after.q) / 2;
        step_[g].lines.prescribed_motions_J += in_time.value({view(some_), view(after.u), after.t_s}, work_) -
                                               in_time.value({view(some_), view(after.u), before.t_s}, work_);
    }
}

/// Works of reactions. Those of contacts that persist, of friction that sticks and of limited reactions that
/// hold are none in theory (LE-2), (LE-26).
void GroupWatch::note_reactions(const State& before, const State& after, const Scratch& scratch)
{
    for (const ContactStep& contact : scratch.contacts) {
        EnergyLines& lines = step_[group_of(contact.contact)].lines;
        if (!contact.persists) lines.impact_J += contact.energy_J;
        if (!is_held(contact, before, after)) lines.friction_J += contact.friction_J;
    }
    const OneStepProblem& problem = scratch.problem;
    for (int k = 0; k < static_cast<int>(problem.laws.size()); ++k) {
        const int interaction = scratch.rows.contacts[k];
        Step& step = step_[group_of(interaction)];
        double reaction_J = 0;
        for (int row = problem.offsets[k]; row < problem.offsets[k + 1]; ++row) {
            const double P = scratch.P[row], b = scratch.rows.b[row];
            reaction_J += P * (problem.U_minus[row] + scratch.U_plus[row]) / 2;
            step.lines.prescribed_motions_J -= P * b;
            step.accuracy.held_back_J -= P * ((problem.U_free[row] + scratch.U_plus[row]) / 2 - b);
        }
        if (!model_.is_contact(interaction) && !holds(interaction, before, after))
            step.lines.joint_J += reaction_J;
    }
}

/// A limited reaction that held in the step before and holds in this one (LE-26).
bool GroupWatch::holds(int interaction, const State& before, const State& after) const
{
    const auto part = static_cast<std::size_t>(interaction - model_.contacts());
    const auto in = [&](const State& state) {
        return part < state.constraint_status.size() &&
               static_cast<ConstraintStatus>(state.constraint_status[part]) == ConstraintStatus::Holds;
    };
    return model_.part(interaction).limit >= 0 && in(before) && in(after);
}

/// (LE-7)
void GroupWatch::judge(double time_s)
{
    constexpr double no_digits_J =
        std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
    for (std::size_t g = 0; g < parts_.size(); ++g) {
        Group& part = parts_[g];
        const Step& step = step_[g];
        part.scale_J = std::max(part.scale_J, std::abs(step.end.kinetic_J) + std::abs(step.end.potential_J));
        EnergyError error =
            part.energy.add(step.lines, step.end, step.accuracy,
                            rounding * (part.scale_J + step.lines.magnitude_J()) + no_digits_J);
        error.time_s = time_s;
        error.step = static_cast<double>(steps_);
        part.too_long = part.too_long || part.energy.judge(error, tolerance_);
    }
}

/// (LE-25)
void GroupWatch::note_phases(const State& before, const State& after, const Scratch& scratch)
{
    if (second_change(before.u, after.u, scratch.events.empty(), phase_)) {
        kinetic_by_group(scratch.A, phase_.velocity_change);
        for (std::size_t g = 0; g < parts_.size(); ++g) {
            const EnergyWatch& energy = parts_[g].energy;
            parts_[g].phase_rad += phase_of_step(kinetic_J_[g], {energy.kinetic_J, energy.run_scale_J});
        }
    }
    keep_change(before.u, after.u, phase_);
}

/// (LE-24)
void GroupWatch::look_for_oscillations(const State& after, double h_s, const Scratch& scratch)
{
    for (Group& part : parts_) {
        if (!part.unresolved.after_step(part.u_before, part.u_after, scratch.events.empty(), 0, tolerance_))
            continue;
        some_.setZero(after.u.size());
        some_(part.members) = part.unresolved.alternating();
        part.unresolved.judge(scratch.A.squared_norm(view(some_)) / 2, part.energy.run_scale_J, tolerance_,
                              after.t_s, h_s, oscillations_, name_of(part));
    }
}

}  // namespace carom
