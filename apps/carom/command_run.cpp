#include "commands.hpp"

#include "carom/core/text.hpp"
#include "carry_out.hpp"
#include "output_files.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

namespace carom::app {
namespace {

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

KeepPlan read_keep_plan(const RunOptions& options, Errors& errors)
{
    if (options.save_problems.empty()) return {};
    const auto plan = parse_keep_plan(options.save_problems);
    if (plan) return *plan;
    errors.push_back(plan.error());
    return {};
}

/// Problems go beside the recording; without one into the working folder, named after the scene.
std::string problems_folder(const RunOptions& options)
{
    if (options.save_problems.empty()) return {};
    namespace fs = std::filesystem;
    const fs::path stem = options.output.empty() ? fs::path(options.scene).stem()
                                                 : fs::path(options.output).replace_extension();
    return stem.string() + "_problems";
}

Expected<Task, Errors> prepare(const RunOptions& options)
{
    Errors errors;
    const auto overrides = read_sets(options.sets, errors);
    const auto times = read_times(options.times, errors);
    auto any = read_any_scene(options.scene, overrides, BodiesInScenes::Welcome);
    if (!any) errors.insert(errors.end(), any.error().begin(), any.error().end());
    if (!options.output.empty()) {
        if (auto usable = check_output(options); !usable) errors.push_back(usable.error());
    }
    const auto keep = read_keep_plan(options, errors);
    if (!errors.empty()) return errors;
    Scene* scene = &any->scene;
    print_warnings(scene->warnings);
    auto snapshots = Snapshots::at(times, *scene);
    if (!snapshots) return snapshots.error();
    RunSoFar run = start_run(scene->model, scene->start);
    BodyState bodies = scene->bodies ? scene->bodies->start : BodyState{};
    KeptProblems problems(keep, problems_folder(options), scene->title);
    return Task{.scene = std::move(*scene),
                .run = std::move(run),
                .snapshots = std::move(*snapshots),
                .recorder = {},
                .recording = options.output,
                .problems = std::move(problems),
                .sweeping = std::move(any->sweeping),
                .bodies = std::move(bodies)};
}

Expected<void> start_recording(const RunOptions& options, Task& task)
{
    if (options.output.empty()) return {};
    const Scene& scene = task.scene;
    auto recorder = Recorder::create(options.output, scene.model, scene.title, scene.text, scene.record,
                                     scene.start, scene.plan.duration_s, time_step_s(scene.integrator), {},
                                     task.snapshots.asked_s(), to_record(scene));
    if (!recorder) return recorder.error();
    task.recorder.emplace(std::move(*recorder));
    return {};
}

}  // namespace

ExitStatus run_scene(const RunOptions& options)
{
    const Display display{.json = options.json, .quiet = options.quiet, .svg = options.svg};
    auto task = prepare(options);
    if (!task) return refuse(task.error(), display);
    if (auto recording = start_recording(options, *task); !recording)
        return refuse({recording.error()}, display);
    if (auto begun = task->problems.begin(); !begun) return refuse({begun.error()}, display);
    return carry_out(*task, display);
}

}  // namespace carom::app
