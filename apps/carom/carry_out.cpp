#include "carry_out.hpp"

#include "carom/core/text.hpp"
#include "interrupt.hpp"
#include "output_files.hpp"
#include "progress.hpp"
#include "results.hpp"

#include <fmt/format.h>

namespace carom::app {
namespace {

/// Ends the recording and draws the picture. What cannot be written makes the run a failed one: it is not
/// what was asked for.
void finish_files(const Display& display, Task& task, RunReport& report, Results& results)
{
    const auto fail = [&](const Error& error) {
        print_errors({error});
        report.status = RunStatus::Failed;
        report.findings.push_back(
            {.code = "not_recorded", .time_s = results.end.t_s, .message = error.message, .count = 1});
    };
    if (task.recorder) {
        if (auto finished = task.recorder->finish(report); !finished) {
            fail(finished.error());
            return;
        }
    }
    results.recording = task.recording;
    if (auto kept = task.problems.finish(); !kept) {
        fail(kept.error());
        return;
    }
    if (task.recording.empty() || !display.svg) return;
    auto picture = draw_picture(task.recording);
    if (picture)
        results.picture = *picture;
    else
        fail(picture.error());
}

/// Where the problems are, on standard error.
void tell_problems(const KeptProblems& problems, const Display& display)
{
    if (display.quiet || problems.folder().empty()) return;
    fmt::print(stderr, "{} one-step problems in {}\n", problems.written(), printable(problems.folder()));
    if (problems.left_out() > 0) {
        fmt::print(stderr, "{} left out, FCLIB has no place for them: {}\n", problems.left_out(),
                   problems.why());
    }
    if (problems.without_problem() > 0) {
        fmt::print(stderr, "{} steps went by power series, which solve no one-step problem\n",
                   problems.without_problem());
    }
    if (problems.written() + problems.left_out() + problems.without_problem() == 0) {
        fmt::print(stderr, "no step that was asked for had a contact, joint or constraint to solve\n");
    }
}

/// The steps of the scene: of its bodies, its sweep, or its coordinates.
RunReport go_on_with(Task& task, const StepListener& listener)
{
    const Scene& scene = task.scene;
    if (task.sweeping) return sweep(scene.model, *task.sweeping, scene.plan, task.run, listener);
    if (!scene.bodies) {
        return go_on(scene.model, scene.integrator, scene.solver, scene.plan, task.run, listener);
    }
    return go_on(scene.bodies->model, scene.model, scene.bodies->integrator, scene.solver, scene.plan,
                 task.bodies, task.run, listener);
}

ExitStatus status_of(const Results& results)
{
    if (results.interrupted) return ExitStatus::Interrupted;
    switch (results.report.status) {
    case RunStatus::Certified: return ExitStatus::Certified;
    case RunStatus::Uncertified: return ExitStatus::Uncertified;
    case RunStatus::Failed: break;
    }
    return ExitStatus::Failed;
}

}  // namespace

std::optional<BodiesToRecord> to_record(const Scene& scene)
{
    if (!scene.bodies) return std::nullopt;
    const SceneBodies& bodies = *scene.bodies;
    return BodiesToRecord{bodies.model, bodies.start, bodies.probes, bodies.colours};
}

ExitStatus carry_out(Task& task, const Display& display)
{
    // run, with everybody listening
    note_interrupts();
    task.scene.solver.stop = &interrupt_flag();
    const Scene& scene = task.scene;
    const long steps_before = task.run.progress.steps;
    Progress progress(is_terminal(stderr) && !display.quiet, task.run, scene.plan.duration_s);
    const auto listener = [&](const StepView& step) {
        task.snapshots.after_step(step);
        task.problems.after_step(step);
        progress.after_step(step);
        const bool recorded = !task.recorder || (*task.recorder)(step);
        return recorded && !interrupted();
    };
    RunReport report = go_on_with(task, listener);
    task.snapshots.at_end(scene.model, task.run.state);
    progress.clear();

    // the interrupt counts if it ended the run, not if it came too late
    Results results{.scene = scene,
                    .report = report,
                    .end = task.run.state,
                    .snapshots = task.snapshots.all(),
                    .interrupted = interrupted() && report.end == RunEnd::Listener,
                    .wall_s = progress.seconds(),
                    .steps_now = task.run.progress.steps - steps_before,
                    .recording = {},
                    .picture = {},
                    .is_sweep = task.sweeping.has_value()};
    finish_files(display, task, report, results);
    tell_problems(task.problems, display);
    const bool printed =
        display.json ? print_result(to_json(results)) : display.quiet || print_result(summary(results));
    return printed ? status_of(results) : ExitStatus::BadInput;
}

ExitStatus refuse(const Errors& errors, const Display& display)
{
    print_errors(errors);
    if (display.json && !print_result(to_json(errors))) return ExitStatus::BadInput;
    return ExitStatus::BadInput;
}

}  // namespace carom::app
