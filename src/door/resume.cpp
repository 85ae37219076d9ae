#include "core/messages.hpp"
#include "core/text.hpp"
#include "scene/scene_bodies.hpp"
#include "task.hpp"
#include "trace/checkpoint.hpp"

#include <fmt/format.h>

namespace carom {
namespace {

/// A run that goes on may last longer; everything else about it has been decided.
Errors check_overrides(const std::vector<Override>& overrides)
{
    Errors errors;
    for (const Override& set : overrides) {
        if (set.path == "duration_s") continue;
        errors.push_back({.code = ErrorCode::NotAllowedHere,
                          .where = fmt::format("--set {}={}", printable(set.path), printable(set.value)),
                          .message = "a resumed run keeps its settings",
                          .hint = "only duration_s can be set; carom run begins a new run",
                          .excerpt = {}});
    }
    return errors;
}

Error contradiction(const std::string& file, std::string message)
{
    return {.code = ErrorCode::FileMalformed,
            .where = printable(file),
            .message = std::move(message),
            .hint = "give a recording of carom run -o",
            .excerpt = {}};
}

/// A sweep goes on with the steps it began with, from a checkpoint that holds them.
Expected<void> check_sweep(const Scene& scene, const Recording& recording, const std::string& file)
{
    const RunProgress& progress = recording.checkpoint->progress;
    if (!scene.sweeping && progress.sweep)
        return contradiction(file, "the scene in the recording is not the one that was run");
    if (!scene.sweeping) return {};
    if (progress.steps > 0 && !progress.sweep) {
        return Error{.code = ErrorCode::FileMalformed,
                     .where = printable(file),
                     .message = fmt::format("carom {} wrote this sweep without the data that resuming needs",
                                            printable(recording.carom_version)),
                     .hint = "carom run begins a new run",
                     .excerpt = {}};
    }
    if (scene.plan.duration_s == recording.duration_s) return {};
    return Error{.code = ErrorCode::NotAllowedHere,
                 .where = "--set duration_s",
                 .message = "a sweep fits the lengths of its steps to its duration",
                 .hint = "carom run begins a new run with the other duration",
                 .excerpt = {}};
}

/// The scene of the recording; its head says the same.
Expected<Scene, Errors> scene_of(const Recording& recording, const std::string& file,
                                 const std::vector<Override>& overrides)
{
    auto scene = read_scene_text(recording.scene_text, file + ":/scene", overrides);
    if (!scene) return scene.error();
    if (auto good = check_sweep(*scene, recording, file); !good) return Errors{good.error()};
    scene->title = recording.title;
    const bool same = time_step_s(scene->integrator) == recording.time_step_s &&
                      scene->start.t_s == recording.start_s &&
                      (!overrides.empty() || scene->plan.duration_s == recording.duration_s);
    const auto& kept = recording.checkpoint->bodies;
    const bool same_bodies = kept.has_value() == (scene->bodies != nullptr) &&
                             (!kept || recording.checkpoint->state.bodies() == scene->start.bodies());
    if (!same || !same_bodies)
        return Errors{contradiction(file, "the scene in the recording is not the one that was run")};
    return scene;
}

/// A new duration must leave what has been computed as it is.
Expected<void> check_duration(const Scene& scene, const RunSoFar& run)
{
    if (scene.sweeping) return {};
    const double steps = static_cast<double>(run.progress.steps);
    const double done_s = steps * time_step_s(scene.integrator);
    if (scene.plan.duration_s >= done_s * (1 - 1e-12)) return {};
    return Error{.code = ErrorCode::SettingOutOfRange,
                 .where = "--set duration_s",
                 .message = fmt::format("the run has lasted {:.6g} s already", done_s),
                 .hint = "give a longer duration",
                 .excerpt = {}};
}

/// Why nothing can be added to a recording; empty: something can.
std::string why_complete(const Recording& recording, bool longer)
{
    if (is_finished(recording) && !longer) return "the run is complete";
    if (is_finished(recording) && recording.report->end != RunEnd::Duration)
        return "the run ended before its duration; a longer duration changes nothing";
    return {};
}

}  // namespace

/// The task looks at the scene: both stay where they are.
struct Resumption::Impl {
    explicit Impl(Scene read) : scene(std::move(read)) {}

    Scene scene;
    std::optional<detail::Task> task;
    std::string note;
    bool records = false;           ///< this rank writes some of it
    bool together = false;          ///< and so do all others
    std::optional<WriteLock> lock;  ///< of a recording that grows
    std::optional<RunText> prolonged;
};

Resumption::Resumption(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Resumption::Resumption(Resumption&&) noexcept = default;
Resumption& Resumption::operator=(Resumption&&) noexcept = default;
Resumption::~Resumption() = default;

const Scene& Resumption::scene() const noexcept
{
    return impl_->scene;
}

const std::string& Resumption::note() const noexcept
{
    return impl_->note;
}

Expected<Resumption, Errors> Resumption::open(const std::string& file, ResumeOptions options)
{
    // the lock first: what is read must still be there when the run goes on
    std::optional<Expected<WriteLock>> lock;
    const bool first = detail::records_here({});
    if (first) lock = WriteLock::take(file);
    const auto recording = read_recording(file);
    if (!recording) return Errors{recording.error()};
    if (Errors errors = check_overrides(options.overrides); !errors.empty()) return errors;
    auto scene = scene_of(*recording, file, options.overrides);
    if (!scene) return scene.error();
    auto impl = std::make_unique<Impl>(std::move(*scene));
    auto run = run_at_checkpoint(*recording, impl->scene.model);
    if (!run) {
        Error error = run.error();
        error.where = printable(file);
        return Errors{std::move(error)};
    }
    if (auto good = check_duration(impl->scene, *run); !good) return Errors{good.error()};
    impl->task.emplace(detail::Task{.scene = impl->scene,
                                    .so_far = std::move(*run),
                                    .snapshots = detail::Snapshots::of(*recording, impl->scene),
                                    .recording = file,
                                    .listener = std::move(options.listener),
                                    .stop = options.stop,
                                    .columns = options.columns});

    const bool longer = impl->scene.plan.duration_s != recording->duration_s;
    impl->note = why_complete(*recording, longer);
    if (!impl->note.empty()) return Resumption(std::move(impl));
    impl->records = detail::records_here(recording->settings);
    impl->together = recording->settings.parts > 0;
    if (!impl->records) return Resumption(std::move(impl));  // another rank writes it
    if (lock && !*lock) return Errors{lock->error()};
    if (lock) impl->lock.emplace(std::move(**lock));
    if (longer)
        impl->prolonged = RunText{.scene = impl->scene.text, .duration_s = impl->scene.plan.duration_s};
    return Resumption(std::move(impl));
}

Expected<Run, Errors> Resumption::run()
{
    // the recording is opened again, unless it has all of the run
    detail::Task& task = *impl_->task;
    Expected<void> ready;
    if (impl_->records) {
        auto recorder =
            Recorder::resume(task.recording, impl_->scene.model, impl_->prolonged, {},
                             detail::to_record(impl_->scene), std::move(impl_->lock), impl_->together);
        if (recorder)
            task.recorder.emplace(std::move(*recorder));
        else
            ready = recorder.error();
    }
    if (auto all = all_done(ready); !all) return Errors{all.error()};
    Run run = detail::carry_out(task);
    run.note = impl_->note;
    return run;
}

Expected<Run, Errors> resume(const std::string& recording, ResumeOptions options)
{
    auto resumed = Resumption::open(recording, std::move(options));
    if (!resumed) return resumed.error();
    return resumed->run();
}

}  // namespace carom
