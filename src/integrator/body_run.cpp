#include "carom/integrator/body_run.hpp"

#include "account.hpp"
#include "body_parts.hpp"
#include "run_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace carom {
namespace {

/// Velocities of centres and spins in one list, for the watch that tells rest.
Eigen::VectorXd velocities(const BodyState& state)
{
    Eigen::VectorXd u(6 * state.bodies());
    for (int i = 0; i < state.bodies(); ++i) {
        u.segment<3>(6 * i) = state.v[i];
        u.segment<3>(6 * i + 3) = state.W[i];
    }
    return u;
}

/// Angles of the plane count turns: of all that mean the same place, those next to where they were. Every
/// third coordinate is one.
void count_turns(const State& before, State& now)
{
    constexpr double turn = 2 * std::numbers::pi;
    for (Eigen::Index i = 2; i < now.q.size(); i += 3) {
        now.q[i] += turn * std::round((before.q[i] - now.q[i]) / turn);
    }
}

/// Of an interaction of the last step: contacts first, then the parts of joints.
std::string name_of_interaction(const BodyModel& model, const BodyScratch& scratch, int k)
{
    const auto contacts = static_cast<int>(scratch.contacts.size());
    if (k >= contacts) {
        const int joint = scratch.joints[static_cast<std::size_t>(k - contacts)].joint;
        return model.setup().joints[static_cast<std::size_t>(joint)].name;
    }
    const BodyContact& contact = scratch.contacts[static_cast<std::size_t>(k)];
    const auto& bodies = model.setup().bodies;
    return bodies[static_cast<std::size_t>(contact.first)].name + "-" +
           bodies[static_cast<std::size_t>(contact.second)].name;
}

}  // namespace

RunReport go_on(const BodyModel& bodies, const Model& coordinates, const MoreauSettings& settings,
                const SolverSettings& solver, const RunPlan& plan, BodyState& state, RunSoFar& run,
                const StepListener& listener)
{
    BodyScratch scratch;
    Scratch shown(coordinates);
    RunProgress& progress = run.progress;
    Certifier& certifier = progress.certifier;
    certifier.set_energy_tolerance(plan.energy_tolerance);

    if (progress.steps == 0) {
        if (const auto overlap = detail::overlap_at_start(bodies, settings, state))
            certifier.add_finding(*overlap);
    }
    const StepGrid grid(progress.start_s, settings.time_step_s, plan.duration_s);

    if (progress.steps == 0) detail::find_touching(bodies, settings.activation_gap_m, state);

    RunReport result;
    result.end = progress.end.value_or(RunEnd::Duration);
    bool failed = false;
    while (progress.steps < grid.steps() && result.end == RunEnd::Duration) {
        const long n = progress.steps + 1;
        MoreauSettings step_settings = settings;
        step_settings.time_step_s = grid.length(n);
        const StepReport report = body_step(bodies, step_settings, solver, state, scratch);
        // somebody stopped the solve: the step has not been taken
        if (report.status == StepStatus::NotSolved && solver.is_stopped()) {
            result.end = RunEnd::Listener;
            break;
        }
        if (const auto end = end_of_failed(report.status)) {
            for (const Finding& finding : report.findings) {
                certifier.add_finding(finding);
            }
            if (report.findings.empty())
                certifier.add_finding(std::string(name_of(*end)), state.t_s, explain(*end));
            result.end = *end;
            failed = true;
            break;
        }
        progress.steps = n;
        const double began_s = std::exchange(state.t_s, grid.time_after(n));
        const State before = std::exchange(run.state, coordinate_state(bodies, state));
        if (bodies.is_flat()) count_turns(before, run.state);
        for (Event& event : scratch.events) {
            event.step = n;
        }
        const auto name = [&](int k) { return name_of_interaction(bodies, scratch, k); };
        account({.report = report,
                 .contacts = scratch.statuses.steps,
                 .events = scratch.events,
                 .number = n,
                 .began_s = began_s,
                 .ended_s = state.t_s,
                 .tolerance = solver.tolerance,
                 .name_of_interaction = name,
                 .name_of_contact = name},
                certifier);
        const std::span<const Event> events =
            plan.keep_events ? std::span<const Event>(scratch.events) : std::span<const Event>();
        run.events.insert(run.events.end(), events.begin(), events.end());
        progress.rest.after_step(velocities(state));
        progress.end = end_by_plan(plan, report, progress.rest, point_of(run.state), shown.work);
        const BodyStep bodies_now{bodies, state, scratch.contacts, scratch.reactions, &scratch};
        const bool wanted = !listener || listener({.model = coordinates,
                                                   .step = n,
                                                   .before = before,
                                                   .after = run.state,
                                                   .report = report,
                                                   .scratch = shown,
                                                   .progress = progress,
                                                   .bodies = &bodies_now,
                                                   .events = events});
        result.end = progress.end.value_or(wanted ? RunEnd::Duration : RunEnd::Listener);
    }
    result.events = run.events;
    std::vector<std::string> names;
    for (const Body& body : bodies.setup().bodies) {
        names.push_back(body.name);
    }
    result.event_names = number_contacts(names, result.events);
    judge_run(certifier, failed, result);
    return result;
}

}  // namespace carom
