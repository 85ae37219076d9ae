#include "commands.hpp"

#include "carom/core/threads.hpp"
#include "carry_out.hpp"
#include "core/text.hpp"
#include "input.hpp"
#include "output_files.hpp"
#include "ranks.hpp"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>

namespace carom::app {
namespace {

/// Reads "all", "failed" or "worst:N", 1 <= N <= 10000. Errors: WrongType.
Expected<KeepProblems> parse_problems(const std::string& text)
{
    if (text == "all") return KeepProblems{.which = KeepProblems::Which::All, .folder = {}};
    if (text == "failed") return KeepProblems{.which = KeepProblems::Which::Failed, .folder = {}};
    constexpr std::string_view prefix = "worst:";
    if (text.starts_with(prefix)) {
        KeepProblems plan{.which = KeepProblems::Which::Worst, .folder = {}};
        const char* end = text.data() + text.size();
        const auto [stop, problem] = std::from_chars(text.data() + prefix.size(), end, plan.count);
        if (problem == std::errc() && stop == end && plan.count >= 1 && plan.count <= 10000) return plan;
    }
    return mistake(ErrorCode::WrongType, "--save-problems",
                   fmt::format("{} is not known", carom::quoted(text)),
                   "give all, failed, or worst:N with N from 1 to 10000, for example worst:10");
}

/// Problems go beside the recording; without one into the working folder, named after the scene.
std::string problems_folder(const RunOptions& options)
{
    namespace fs = std::filesystem;
    const fs::path stem = options.output.empty() ? fs::path(options.scene).stem()
                                                 : fs::path(options.output).replace_extension();
    return stem.string() + "_problems";
}

KeepProblems problems_to_keep(const RunOptions& options, Errors& errors)
{
    if (options.save_problems.empty()) return {};
    auto problems = parse_problems(options.save_problems);
    if (!problems) {
        errors.push_back(problems.error());
        return {};
    }
    problems->folder = problems_folder(options);
    return *problems;
}

/// A scene, and what is wanted of its run.
struct RunTask {
    Scene scene;
    carom::RunOptions wanted;
    int threads = 1;
};

Expected<RunTask, Errors> prepare(const RunOptions& options)
{
    Errors errors;
    const auto overrides = read_sets(options.sets, errors);
    const auto times = read_times(options.times, errors);
    auto scene = read_scene(options.scene, overrides);
    if (!scene) errors.insert(errors.end(), scene.error().begin(), scene.error().end());
    if (!options.output.empty() && is_first_rank()) {
        if (auto usable = check_output(options); !usable) errors.push_back(usable.error());
    }
    auto problems = problems_to_keep(options, errors);
    const auto threads = checked_threads(options.threads.value_or(cores_for_threads()), "--threads");
    if (!threads) errors.push_back(threads.error());
    if (auto met = meet_ranks(errors, scene ? &*scene : nullptr); !met) return met.error();
    print_warnings(scene->warnings);
    return RunTask{
        std::move(*scene),
        {.recording = options.output, .at_s = times, .problems = std::move(problems), .columns = false},
        *threads};
}

/// The same with the names of the options that were given.
Errors with_options(Errors errors)
{
    for (Error& error : errors) {
        if (error.where == "RunOptions::at_s") error.where = "--at";
    }
    return errors;
}

}  // namespace

ExitStatus run_scene(const RunOptions& options)
{
    if (!options.sensitivity.empty()) {
        if (ranks() != nullptr) {
            return refuse({mistake(ErrorCode::NotAllowedHere, "--sensitivity",
                                   "derivatives are not shared among ranks", "run one process")},
                          options.json);
        }
        return run_sensitivity(options);
    }
    const Display display{
        .json = options.json, .quiet = options.quiet, .svg = options.svg && is_first_rank()};
    auto task = prepare(options);
    if (!task) return refuse(task.error(), display.json);
    const auto runner = [&](const RunListener& listener,
                            const std::atomic<bool>& stop) -> Expected<Run, Errors> {
        const Threads threads(task->threads);
        const RunOfRanks together;
        carom::RunOptions wanted = task->wanted;
        wanted.listener = listener;
        wanted.stop = &stop;
        auto run = carom::run(task->scene, wanted);
        if (!run) return with_options(run.error());
        return run;
    };
    return carry_out(task->scene, runner, display, task->wanted.problems.folder);
}

}  // namespace carom::app
