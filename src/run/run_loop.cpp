#include "run_loop.hpp"

#include "core/messages.hpp"
#include "run_parts.hpp"
#include "stepping/step_parts.hpp"
#include "system/bodies/body_coordinates.hpp"
#include "until.hpp"

#include <algorithm>

namespace carom {
namespace {

/// A copy in every step: few numbers, for which vectors' own assignment takes long to begin.
void keep(const State& from, State& to)
{
    to.t_s = from.t_s;
    assign(from.q, to.q);
    assign(from.u, to.u);
    assign(from.percussion_Ns, to.percussion_Ns);
    assign(from.closed, to.closed);
    assign(from.slides, to.slides);
    assign(from.constraint_status, to.constraint_status);
    if (!from.x.empty()) copy_bodies(from, to);
}

}  // namespace

RunLoop::RunLoop(Steps& steps, const RunOrder& order, RunSoFar& run) : steps_(steps), order_(order), run_(run)
{
}

void RunLoop::begin()
{
    RunProgress& progress = run_.progress;
    progress.certifier.set_energy_tolerance(order_.plan.energy_tolerance);
    std::vector<Finding> why;
    const StepStatus status = steps_.begin(run_, why);
    if (progress.steps == 0) {
        progress.rest.at_start(steps_.velocities(run_));
        if (ends_at_start(order_.plan.until, run_.state, work_)) progress.end = RunEnd::Formula;
    }
    end_ = progress.end.value_or(RunEnd::Duration);
    static_cast<void>(fails(status, why));
}

bool RunLoop::step()
{
    if (end_ != RunEnd::Duration || failed_ || steps_.is_over(run_)) return false;
    keep(run_.state, before_);
    {
        const SharedWork ranks;  // all of them are here
        report_ = steps_.take(run_);
    }
    // somebody stopped the solve: the step has not been taken
    if (report_.status == StepStatus::NotSolved && order_.solver.is_stopped()) {
        run_.state = before_;
        end_ = RunEnd::Listener;
        return false;
    }
    if (!has_advanced(report_.status) && fails(report_.status, report_.findings)) return false;
    settle();
    tell();
    return true;
}

std::optional<RunEnd> RunLoop::end() const
{
    if (end_ != RunEnd::Duration || failed_ || steps_.is_over(run_)) return end_;
    return std::nullopt;
}

/// Whether a step did not come about, which ends the run.
bool RunLoop::fails(StepStatus status, const std::vector<Finding>& why)
{
    const auto end = end_of_failed(status);
    if (!end) return false;
    Certifier& certifier = run_.progress.certifier;
    for (const Finding& finding : why) {
        certifier.add_finding(finding);
    }
    if (why.empty()) certifier.add_finding(std::string(name_of(*end)), run_.state.t_s, explain(*end));
    end_ = *end;
    failed_ = true;
    return true;
}

/// The step becomes part of the run, its certificate, and what theory asks of it.
void RunLoop::settle()
{
    RunProgress& progress = run_.progress;
    steps_.settle(before_, run_, report_);
    ++progress.steps;
    const std::span<Event> events = steps_.events();
    for (Event& event : events) {
        event.step = progress.steps;
    }
    account({.report = report_,
             .contacts = steps_.contacts(),
             .events = events,
             .number = progress.steps,
             .began_s = before_.t_s,
             .ended_s = run_.state.t_s,
             .tolerance = order_.solver.tolerance,
             .names = steps_},
            progress.certifier);
    progress.rest.after_step(steps_.velocities(run_));
    steps_.watch(before_, report_, run_);
}

StepView RunLoop::last_step()
{
    const std::span<const Event> happened = steps_.events();
    StepView view{.model = order_.model,
                  .step = run_.progress.steps,
                  .before = before_,
                  .after = run_.state,
                  .report = report_,
                  .progress = run_.progress,
                  .events = order_.plan.keep_events ? happened : std::span<const Event>(),
                  .smooth = happened.empty()};
    view.source = &steps_;
    steps_.show(view);
    return view;
}

/// For everybody who listens.
void RunLoop::tell()
{
    // whether it was the last is known before anyone keeps it: a run taken up here must not go further
    RunProgress& progress = run_.progress;
    const bool until =
        report_.until || crosses_until(order_.plan.until, before_, run_.state, progress.steps == 1, work_);
    progress.end = end_by_plan(order_.plan, report_, progress.rest, until);
    const std::span<const Event> happened = steps_.events();
    if (order_.plan.keep_events && !happened.empty())
        run_.events.insert(run_.events.end(), happened.begin(), happened.end());
    const bool wanted = !order_.listener || order_.listener(last_step());
    end_ = progress.end.value_or(wanted ? RunEnd::Duration : RunEnd::Listener);
}

RunReport RunLoop::report()
{
    RunReport result;
    result.end = end_;
    result.events = run_.events;
    EventPlaces places = steps_.name_events(result.events);
    result.event_names = std::move(places.names);
    result.event_contacts = places.contacts;
    // what the end tells belongs to the report alone
    const bool continues = !end().has_value();
    Certifier at_end = run_.progress.certifier;
    for (const Finding& finding : steps_.findings_of_end(run_, continues || end_ == RunEnd::Listener)) {
        at_end.add_finding(finding);
    }
    judge_run(at_end, failed_, result);
    return result;
}

std::unique_ptr<Steps> steps_of(const Model& model, const IntegratorSettings& settings,
                                const SolverSettings& solver, const RunPlan& plan, const RunSoFar& run,
                                const State& start)
{
    const auto make = model.bodies() != nullptr ? body_steps : coordinate_steps;
    return make(model, settings, solver, plan, run, start);
}

RunReport resume_run(const Model& model, const IntegratorSettings& settings, const SolverSettings& solver,
                     const RunPlan& plan, RunSoFar& run, const StepListener& listener)
{
    const auto steps = steps_of(model, settings, solver, plan, run);
    return run_to_end(*steps, {model, solver, plan, listener}, run);
}

RunReport run_to_end(Steps& steps, const RunOrder& order, RunSoFar& run)
{
    RunLoop loop(steps, order, run);
    loop.begin();
    while (loop.step()) {
    }
    return loop.report();
}

}  // namespace carom
