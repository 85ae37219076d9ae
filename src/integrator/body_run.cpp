#include "carom/integrator/body_run.hpp"

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

}  // namespace

RunReport go_on(const BodyModel& bodies, const Model& coordinates, const MoreauSettings& settings,
                const SolverSettings& solver, const RunPlan& plan, BodyState& state, RunSoFar& run,
                const StepListener& listener)
{
    BodyScratch scratch;
    Scratch shown(coordinates);
    RunProgress& progress = run.progress;
    Certifier& certifier = progress.certifier;

    // instants are start + n h; the last step takes what remains
    const double h = settings.time_step_s;
    const long full = static_cast<long>(std::floor(plan.duration_s / h * (1 + 1e-12) + 1e-9));
    const double rest = plan.duration_s - static_cast<double>(full) * h;
    const long steps = full + (rest > 1e-9 * h ? 1 : 0);

    RunReport result;
    result.end = progress.end.value_or(RunEnd::Duration);
    bool failed = false;
    while (progress.steps < steps && result.end == RunEnd::Duration) {
        const long n = progress.steps + 1;
        MoreauSettings step_settings = settings;
        if (n > full) step_settings.time_step_s = rest;
        const StepReport report = body_step(bodies, step_settings, solver, state, scratch);
        if (report.status == StepStatus::NotFinite) {
            certifier.add_finding("not_finite", state.t_s,
                                  "a force, gap or velocity became infinite or not a number");
            result.end = RunEnd::NotFinite;
            failed = true;
            break;
        }
        progress.steps = n;
        state.t_s =
            n <= full ? progress.start_s + static_cast<double>(n) * h : progress.start_s + plan.duration_s;
        const State before = std::exchange(run.state, coordinate_state(bodies, state));
        if (bodies.is_flat()) count_turns(before, run.state);
        certifier.add_step(state.t_s, report.solve.residual, report.status == StepStatus::Solved,
                           report.max_penetration_m, report.energy, report.at_end);
        progress.rest.after_step(velocities(state));

        if (report.status != StepStatus::Solved && plan.on_unsolved == OnUnsolved::Stop) {
            progress.end = RunEnd::UnsolvedStep;
        }
        if (plan.until.rest && progress.rest.at_rest()) progress.end = RunEnd::Rest;
        if (plan.until.formula && plan.until.formula->value(point_of(run.state), shown.work) >= 0) {
            progress.end = RunEnd::Formula;
        }
        const BodyStep bodies_now{bodies, state, scratch.contacts};
        std::swap(shown.problem, scratch.problem);  // listeners may keep it
        const bool wanted =
            !listener || listener({coordinates, n, before, run.state, report, shown, progress, &bodies_now});
        std::swap(shown.problem, scratch.problem);
        result.end = progress.end.value_or(wanted ? RunEnd::Duration : RunEnd::Listener);
    }
    result.certificate = certifier.certificate();
    result.findings = certifier.findings();
    result.status = failed                  ? RunStatus::Failed
                    : certifier.certified() ? RunStatus::Certified
                                            : RunStatus::Uncertified;
    return result;
}

}  // namespace carom
