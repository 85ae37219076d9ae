#include "commands.hpp"

#include "carom/core/text.hpp"
#include "carry_out.hpp"
#include "output_files.hpp"

#include <fmt/format.h>

namespace carom::app {
namespace {

Error bad_set(const std::string& text, std::string message, std::string hint)
{
    return {.code = ErrorCode::NotAllowedHere,
            .where = "--set " + printable(text),
            .message = std::move(message),
            .hint = std::move(hint),
            .excerpt = {}};
}

/// A run that goes on may last longer; everything else about it has been decided.
std::vector<Override> read_duration(const std::vector<std::string>& sets, Errors& errors)
{
    std::vector<Override> overrides;
    for (const std::string& text : sets) {
        auto set = parse_override(text);
        if (!set) {
            errors.push_back(set.error());
        } else if (set->path != "duration_s") {
            errors.push_back(bad_set(text, "a run that goes on keeps what it began with",
                                     "only duration_s can be set; carom run begins a new run"));
        } else {
            overrides.push_back(std::move(*set));
        }
    }
    return overrides;
}

Error contradiction(const std::string& file, std::string message)
{
    return {.code = ErrorCode::FileMalformed,
            .where = printable(file),
            .message = std::move(message),
            .hint = "give a recording of carom run -o",
            .excerpt = {}};
}

/// The scene of the recording; its head says the same.
Expected<Scene, Errors> scene_of(const Recording& recording, const std::string& file,
                                 const std::vector<Override>& overrides)
{
    auto scene =
        read_scene_text(recording.scene_text, file + ":/scene", overrides, {}, BodiesInScenes::Welcome);
    if (!scene) return scene.error();
    scene->title = recording.title;
    const bool same = time_step_s(scene->integrator) == recording.time_step_s &&
                      scene->start.t_s == recording.start_s &&
                      (!overrides.empty() || scene->plan.duration_s == recording.duration_s);
    const auto& kept = recording.checkpoint.bodies;
    const bool same_bodies =
        kept.has_value() == (scene->bodies != nullptr) &&
        (!kept || kept->state.bodies() == static_cast<int>(scene->bodies->start.x.size()));
    if (!same || !same_bodies)
        return Errors{contradiction(file, "the scene in the recording is not the one that was run")};
    return scene;
}

/// A new duration must leave what has been computed as it is.
Expected<void> check_duration(const Scene& scene, const RunSoFar& run)
{
    const double steps = static_cast<double>(run.progress.steps);
    const double done_s = steps * time_step_s(scene.integrator);
    if (scene.plan.duration_s >= done_s * (1 - 1e-12)) return {};
    return Error{.code = ErrorCode::SettingOutOfRange,
                 .where = "--set duration_s",
                 .message = fmt::format("the run has lasted {:.6g} s already", done_s),
                 .hint = "give a longer duration",
                 .excerpt = {}};
}

/// The run as the recording has it, ready to go on.
Expected<Task, Errors> prepare(const ResumeOptions& options, const Recording& recording)
{
    Errors errors;
    const auto overrides = read_duration(options.sets, errors);
    if (!errors.empty()) return errors;
    auto scene = scene_of(recording, options.recording, overrides);
    if (!scene) return scene.error();
    auto run = run_at_checkpoint(recording, scene->model);
    if (!run) {
        Error error = run.error();
        error.where = printable(options.recording);
        return Errors{std::move(error)};
    }
    if (auto good = check_duration(*scene, *run); !good) return Errors{good.error()};
    if (options.svg) {
        if (auto usable = check_picture(options.recording); !usable) return Errors{usable.error()};
    }
    Snapshots snapshots = Snapshots::of(recording, *scene);
    return Task{.scene = std::move(*scene),
                .run = std::move(*run),
                .snapshots = std::move(snapshots),
                .recorder = {},
                .recording = options.recording,
                .problems = {},
                .sweeping = {},
                .bodies = recording.checkpoint.bodies ? recording.checkpoint.bodies->state : BodyState{}};
}

/// Opens the recording again, unless it has all of the run.
Expected<void> go_on_recording(const Recording& recording, Expected<WriteLock> lock, Task& task)
{
    const bool longer = task.scene.plan.duration_s != recording.duration_s;
    if (is_finished(recording) && !longer) {
        fmt::print(stderr, "{}: the run is complete\n", printable(task.recording));
        return {};
    }
    if (is_finished(recording) && recording.report->end != RunEnd::Duration) {
        fmt::print(stderr, "{}: the run ended before its time, a longer one changes nothing\n",
                   printable(task.recording));
        return {};
    }
    if (!lock) return lock.error();
    std::optional<RunText> prolonged;
    if (longer) prolonged = RunText{.scene = task.scene.text, .duration_s = task.scene.plan.duration_s};
    auto recorder = Recorder::resume(task.recording, task.scene.model, prolonged, {}, to_record(task.scene),
                                     std::move(*lock));
    if (!recorder) return recorder.error();
    task.recorder.emplace(std::move(*recorder));
    return {};
}

}  // namespace

ExitStatus resume_run(const ResumeOptions& options)
{
    const Display display{.json = options.json, .quiet = options.quiet, .svg = options.svg};
    // the lock first: what is read must still be there when the run goes on
    auto lock = WriteLock::take(options.recording);
    const auto recording = read_recording(options.recording);
    if (!recording) return refuse({recording.error()}, display);
    auto task = prepare(options, *recording);
    if (!task) return refuse(task.error(), display);
    if (auto ready = go_on_recording(*recording, std::move(lock), *task); !ready)
        return refuse({ready.error()}, display);
    return carry_out(*task, display);
}

}  // namespace carom::app
