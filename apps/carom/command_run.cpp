#include "commands.hpp"

#include "carom/core/text.hpp"
#include "carom/trace/recorder.hpp"
#include "interrupt.hpp"
#include "output_files.hpp"
#include "progress.hpp"
#include "results.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace carom::app {
namespace {

ExitStatus refuse(const Errors& errors, const RunOptions& options)
{
    print_errors(errors);
    if (options.json && !print_result(to_json(errors))) return ExitStatus::BadInput;
    return ExitStatus::BadInput;
}

std::vector<Override> read_sets(const std::vector<std::string>& sets, Errors& errors)
{
    std::vector<Override> overrides;
    for (const std::string& text : sets) {
        auto set = parse_override(text);
        if (set)
            overrides.push_back(std::move(*set));
        else
            errors.push_back(set.error());
    }
    return overrides;
}

std::vector<double> read_times(const std::vector<std::string>& times, Errors& errors)
{
    std::vector<double> numbers;
    for (const std::string& text : times) {
        double number = 0;
        const char* end = text.data() + text.size();
        const auto [stop, problem] = std::from_chars(text.data(), end, number);
        if (problem == std::errc() && stop == end && std::isfinite(number)) {
            numbers.push_back(number);
            continue;
        }
        errors.push_back({.code = ErrorCode::WrongType,
                          .where = "--at",
                          .message = fmt::format("{} is not a number", carom::quoted(text)),
                          .hint = "give times in seconds with commas between them: --at 0.5,1.0",
                          .excerpt = {}});
    }
    return numbers;
}

/// A scene and what is wanted of it, checked.
struct Task {
    Scene scene;
    Snapshots snapshots;
    std::optional<Recorder> recorder;
};

Expected<Task, Errors> prepare(const RunOptions& options)
{
    Errors errors;
    const auto overrides = read_sets(options.sets, errors);
    const auto times = read_times(options.times, errors);
    auto scene = read_scene(options.scene, overrides);
    if (!scene) errors.insert(errors.end(), scene.error().begin(), scene.error().end());
    if (!options.output.empty()) {
        if (auto usable = check_output(options); !usable) errors.push_back(usable.error());
    }
    if (!errors.empty()) return errors;
    auto snapshots = Snapshots::at(times, *scene);
    if (!snapshots) return snapshots.error();
    return Task{std::move(*scene), std::move(*snapshots), std::nullopt};
}

Expected<void> start_recording(const RunOptions& options, Task& task)
{
    if (options.output.empty()) return {};
    const Scene& scene = task.scene;
    auto recorder = Recorder::create(options.output, scene.model, scene.title, scene.text, scene.record,
                                     scene.start, scene.plan.duration_s, scene.integrator.time_step_s);
    if (!recorder) return recorder.error();
    task.recorder.emplace(std::move(*recorder));
    return {};
}

/// Ends the recording and draws the picture. What cannot be written makes the run a failed one: it is not
/// what was asked for.
void finish_files(const RunOptions& options, Task& task, RunReport& report, Results& results)
{
    if (!task.recorder) return;
    const auto fail = [&](const Error& error) {
        print_errors({error});
        report.status = RunStatus::Failed;
        report.findings.push_back(
            {.code = "not_recorded", .time_s = results.end.t_s, .message = error.message, .count = 1});
    };
    if (auto finished = task.recorder->finish(report); !finished) {
        fail(finished.error());
        return;
    }
    results.recording = options.output;
    if (!options.svg) return;
    auto picture = draw_picture(options.output);
    if (picture)
        results.picture = *picture;
    else
        fail(picture.error());
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

ExitStatus run_scene(const RunOptions& options)
{
    auto task = prepare(options);
    if (!task) return refuse(task.error(), options);
    if (auto recording = start_recording(options, *task); !recording)
        return refuse({recording.error()}, options);

    // run, with everybody listening
    note_interrupts();
    const Scene& scene = task->scene;
    Progress progress(is_terminal(stderr) && !options.quiet, scene.start.t_s, scene.plan.duration_s);
    const auto listener = [&](const StepView& step) {
        task->snapshots.after_step(step);
        progress.after_step(step);
        const bool recorded = !task->recorder || (*task->recorder)(step);
        return recorded && !interrupted();
    };
    State state = scene.start;
    RunReport report = simulate(scene.model, scene.integrator, scene.solver, scene.plan, state, listener);
    task->snapshots.at_end(scene.model, state);
    progress.clear();

    // the interrupt counts if it ended the run, not if it came too late
    Results results{.scene = scene,
                    .report = report,
                    .end = state,
                    .snapshots = task->snapshots.all(),
                    .interrupted = interrupted() && report.end == RunEnd::Listener,
                    .wall_s = progress.seconds(),
                    .recording = {},
                    .picture = {}};
    finish_files(options, *task, report, results);
    const bool printed =
        options.json ? print_result(to_json(results)) : options.quiet || print_result(summary(results));
    return printed ? status_of(results) : ExitStatus::BadInput;
}

}  // namespace carom::app
