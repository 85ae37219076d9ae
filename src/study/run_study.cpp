#include "carom/study/run_study.hpp"

#include "carom/core/threads.hpp"
#include "study/table_file.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace carom {

Expected<StudyResult, Errors> run_study(const Study& study, const StudyOptions& options)
{
    if (options.threads < 0 || options.threads > 1024) {
        return Errors{{.code = ErrorCode::SettingOutOfRange,
                       .where = "StudyOptions::threads",
                       .message = fmt::format("{} threads cannot be started", options.threads),
                       .hint = "give from 1 to 1024, or leave it out for all cores",
                       .excerpt = {}}};
    }
    auto file = TableFile::open(options.output, study, options.shard);
    if (!file) return Errors{file.error()};
    StudyResult result;
    result.resumed = file->done();
    result.threads = options.threads > 0 ? options.threads : usable_cores();

    // run after run, in order, into the table
    if (options.before_runs) options.before_runs(result.resumed);
    const auto begin = std::chrono::steady_clock::now();
    const auto sink = [&](long, std::span<const Row> rows) {
        if (options.after_run) options.after_run();
        return file->add(rows);
    };
    const auto stopped = [&] {
        return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
    };
    result.progress = compute_runs(study, options.shard, result.resumed, result.threads, sink, stopped);
    result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.stopped = result.progress.stopped && stopped();

    // what cannot be written is not what was asked for
    if (auto finished = file->finish(); !finished) result.not_written.push_back(finished.error());
    result.table = file->table();
    return result;
}

Expected<StudyResult, Errors> study(const std::filesystem::path& scene, std::span<const Override> overrides,
                                    StudyPlan plan, const StudyOptions& options)
{
    const auto prepared = Study::prepare(scene, overrides, std::move(plan));
    if (!prepared) return prepared.error();
    return run_study(*prepared, options);
}

std::map<std::string, long> statuses_of(const ResultTable& table)
{
    std::map<std::string, long> counts;
    const auto& runs = table.find("run")->numbers;
    const auto& statuses = table.find("status")->texts;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (i == 0 || runs[i] != runs[i - 1]) ++counts[statuses[i]];
    }
    return counts;
}

std::vector<PointRows> points_of(const Study& study, const ResultTable& table)
{
    const auto& runs = table.find("run")->numbers;
    std::vector<PointRows> points;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto values = study.run(static_cast<long>(runs[i])).values;
        if (points.empty() || points.back().values != values)
            points.push_back({.values = std::move(values), .first = i, .end = i});
        points.back().end = i + 1;
    }
    return points;
}

}  // namespace carom
