#include "group_watch.hpp"

#include "expression/derivative.hpp"
#include "expression/graph.hpp"
#include "expression/term.hpp"
#include "reversing_slip.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom {
namespace {

/// The terms of a formula by the group whose coordinates they name; what names none does nothing.
std::vector<std::vector<Term>> terms_by_group(const Formula& formula, const MotionGroups& groups,
                                              bool in_time_only)
{
    std::vector<std::vector<Term>> terms(static_cast<std::size_t>(groups.count));
    for (const Term& term : formula.terms()) {
        const auto variables = term.variables();
        const auto named = std::ranges::find_if(
            variables, [](const Variable& one) { return one.kind != Variable::Kind::Time; });
        if (named == variables.end()) continue;
        // the time comes last
        if (in_time_only && variables.back().kind != Variable::Kind::Time) continue;
        const int group = groups.of_coordinate[static_cast<std::size_t>(named->index)];
        terms[static_cast<std::size_t>(group)].push_back(term);
    }
    return terms;
}

}  // namespace

GroupWatch::GroupWatch(const Model& model, const GroupRules& rules, std::string other_remedy)
    : model_(model), rules_(rules), other_remedy_(std::move(other_remedy)), groups_(motion_groups(model))
{
    if (!follows()) return;
    of_constraint_.assign(static_cast<std::size_t>(model.constraints()), 0);
    for (int k = model.contacts(); k < model.interactions(); ++k)
        of_constraint_[static_cast<std::size_t>(model.part(k).constraint)] = static_cast<int>(group_of(k));
    make_programs();
}

/// One program for all groups, which becomes machine code.
void GroupWatch::make_programs()
{
    const LagrangianSystem& system = model_.system();
    Graph graph;
    std::vector<int> results, in_time;
    for (const Formula* energy : {&system.kinetic, &system.potential})
        for (std::vector<Term>& terms : terms_by_group(*energy, groups_, false))
            results.push_back(add_formula(graph, Formula(std::move(terms), {})));
    for (std::vector<Term>& terms : terms_by_group(system.potential, groups_, true)) {
        has_in_time_ = has_in_time_ || !terms.empty();
        in_time.push_back(add_formula(graph, Formula(std::move(terms), {})));
    }
    energies_ = {graph, results};
    if (has_in_time_) in_time_ = {graph, in_time};
}

void GroupWatch::begin(const State& state, RunProgress& progress) const
{
    const auto groups = static_cast<std::size_t>(groups_.count),
               coordinates = static_cast<std::size_t>(state.u.size());
    if (!follows()) return;
    if (progress.groups.size() == groups && progress.group_change.size() == coordinates) return;
    progress.groups.assign(groups, {});
    progress.group_change.assign(coordinates, 0.0);
    for (std::size_t i = 0; i < coordinates; ++i) {
        RestWatch& rest = progress.groups[static_cast<std::size_t>(groups_.of_coordinate[i])].rest;
        rest.fastest = std::max(rest.fastest, std::abs(state.u[static_cast<Eigen::Index>(i)]));
    }
}

void GroupWatch::after_step(const State& before, const State& after, const StepReport& report,
                            Scratch& scratch, RunProgress& progress)
{
    // the lines of each group: what nothing else explains is the scheme's, or the correction's (LE-27)
    note_ends(before, after);
    note_forces(report, scratch);
    note_prescribed(before, after);
    note_reactions(before, after, scratch);

    // and what is asked of energies, of each
    for (std::size_t g = 0; g < step_.size(); ++g) {
        step_[g].close();
        note_energies(step_[g], rules_, after.t_s, progress.steps, progress.groups[g]);
    }
    for (const ContactStep& contact : scratch.contacts)
        note_friction(contact, progress.groups[group_of(contact.contact)].slip);
    // rest and phases matter where something can be struck, alternating velocities where the scheme keeps them
    if (model_.contacts() > 0 || rules_.keeps_energy) note_turns(before, after, scratch, progress);
}

double GroupWatch::kinetic_J(int contact, const RunProgress& progress, double of_all_J) const
{
    return follows() ? progress.groups[group_of(contact)].energy.kinetic_J : of_all_J;
}

void GroupWatch::look_at_end(const RunSoFar& run, double h_s, std::vector<Finding>& findings) const
{
    const auto is_told = [](const Finding& one) { return one.code == "step_too_long" && one.uncertifies; };
    const GroupEnd end{.time_s = run.state.t_s,
                       .h_s = h_s,
                       .other_remedy = other_remedy_,
                       .told = std::ranges::any_of(run.progress.certifier.findings_at_end(), is_told)};
    for (std::size_t g = 0; g < run.progress.groups.size(); ++g)
        look_at_group(run.progress.groups[g], name_of(g), rules_, end, findings);
}

/// The coordinates of a group, some of them.
std::string GroupWatch::name_of(std::size_t group) const
{
    constexpr int few = 4;
    std::string name;
    int named = 0;
    for (std::size_t i = 0; i < groups_.of_coordinate.size(); ++i) {
        if (groups_.of_coordinate[i] != static_cast<int>(group)) continue;
        if (named == few) return name + ", ...";
        name += (named++ > 0 ? ", " : "") + model_.system().coordinates[i].name;
    }
    return name;
}

std::size_t GroupWatch::group_of(int interaction) const
{
    const auto support = model_.support(interaction);
    if (support.empty()) return 0;
    return static_cast<std::size_t>(groups_.of_coordinate[static_cast<std::size_t>(support.front())]);
}

/// Contacts come first, then constraints.
std::size_t GroupWatch::group_of(const Event& event) const
{
    if (event.contact < model_.contacts()) return group_of(event.contact);
    return static_cast<std::size_t>(
        of_constraint_[static_cast<std::size_t>(event.contact - model_.contacts())]);
}

void GroupWatch::find_energies(const Point& at, std::vector<double>& energies_J)
{
    energies_J.resize(2 * static_cast<std::size_t>(groups_.count));
    energies_.run(at, work_, energies_J);
}

/// A step begins where the last one has ended, mostly.
void GroupWatch::note_ends(const State& before, const State& after)
{
    const auto groups = static_cast<std::size_t>(groups_.count);
    const bool continues =
        end_q_.size() == before.q.size() && end_s_ == before.t_s && end_q_ == before.q && end_u_ == before.u;
    if (!continues) find_energies(point_of(before), end_J_);
    step_.resize(groups);
    for (std::size_t g = 0; g < groups; ++g)
        step_[g] = {.start = {.kinetic_J = end_J_[g], .potential_J = end_J_[groups + g]}};
    find_energies(point_of(after), end_J_);
    for (std::size_t g = 0; g < groups; ++g)
        step_[g].end = {.kinetic_J = end_J_[g], .potential_J = end_J_[groups + g]};
    end_q_ = after.q;
    end_u_ = after.u;
    end_s_ = after.t_s;
}

/// Works of given forces at the mean velocity, and what Simpson's rule adds to them (LE-4).
void GroupWatch::note_forces(const StepReport& report, const Scratch& scratch)
{
    if (model_.system().forces.empty()) return;
    const auto finite = [](double power) { return std::isfinite(power) ? power : 0.0; };
    for (Eigen::Index i = 0; i < scratch.u_start.size(); ++i) {
        GroupStep& step = step_[static_cast<std::size_t>(groups_.of_coordinate[static_cast<std::size_t>(i)])];
        const double F = scratch.given_forces[i], before = scratch.u_start[i], after = scratch.u_end[i];
        step.lines.given_forces_J += report.h_s / 2 * F * (before + after);
        step.accuracy.forces_defect_J +=
            report.h_s / 6 *
            (finite((scratch.start_forces[i] - F) * before) + finite((scratch.end_forces[i] - F) * after));
    }
}

/// What time itself does to the potential energy, in the middle of the path.
void GroupWatch::note_prescribed(const State& before, const State& after)
{
    if (!has_in_time_) return;
    some_ = (before.q + after.q) / 2;
    some_J_.resize(step_.size());
    more_J_.resize(step_.size());
    in_time_.run({view(some_), view(after.u), after.t_s}, work_, some_J_);
    in_time_.run({view(some_), view(after.u), before.t_s}, work_, more_J_);
    for (std::size_t g = 0; g < step_.size(); ++g)
        step_[g].lines.prescribed_motions_J += some_J_[g] - more_J_[g];
}

/// Works of reactions. Those of contacts that persist, of friction that sticks and of limited reactions that
/// hold are none in theory (LE-2), (LE-26).
void GroupWatch::note_reactions(const State& before, const State& after, const Scratch& scratch)
{
    for (const ContactStep& contact : scratch.contacts) {
        EnergyLines& lines = step_[group_of(contact.contact)].lines;
        if (!contact.persists) lines.impact_J += contact.energy_J;
        lines.friction_J += contact.friction_J - contact.held_J;
    }
    const OneStepProblem& problem = scratch.problem;
    for (int k = 0; k < static_cast<int>(problem.laws.size()); ++k) {
        const int interaction = scratch.rows.contacts[k];
        GroupStep& step = step_[group_of(interaction)];
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

/// Rest, and how steps without events of a group turn its velocity (LE-24), (LE-25).
void GroupWatch::note_turns(const State& before, const State& after, const Scratch& scratch,
                            RunProgress& progress)
{
    smooth_.assign(step_.size(), 1);
    for (const Event& event : scratch.events)
        smooth_[group_of(event)] = 0;
    some_.resize(after.u.size());
    more_J_.assign(step_.size(), 0.0);  // here the largest velocity of each group
    for (Eigen::Index i = 0; i < after.u.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const auto group = static_cast<std::size_t>(groups_.of_coordinate[k]);
        double& fastest = more_J_[group];
        fastest = std::max(fastest, std::abs(after.u[i]));
        const double change = after.u[i] - before.u[i];
        some_[i] = change - progress.group_change[k];
        progress.group_change[k] = change;
    }
    find_energies({view(after.q), view(some_), after.t_s}, turned_J_);
    for (std::size_t g = 0; g < step_.size(); ++g) {
        GroupSums& sums = progress.groups[g];
        sums.rest.note(more_J_[g]);
        if (sums.follows != 0 && smooth_[g] != 0) note_turn(turned_J_[g], rules_, after.t_s, sums);
        sums.follows = smooth_[g];
    }
}

}  // namespace carom
