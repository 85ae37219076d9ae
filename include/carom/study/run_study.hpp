#pragma once

#include "carom/study/results.hpp"
#include "carom/study/study.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace carom {

/// What a study should produce besides its table.
struct StudyOptions {
    std::string output =
        {};  ///< file of the table, .csv, .h5 or .hdf5; the same study is resumed there; empty: none
    Shard shard = {};                                 ///< which runs
    int threads = 0;                                  ///< 0: all cores; the table does not depend on it
    std::function<void(long done)> before_runs = {};  ///< with the number of runs already in the file
    std::function<void()> after_run = {};             ///< called by one thread at a time
    const std::atomic<bool>* stop = nullptr;  ///< once true, ends the study; its file keeps the finished runs
};

/// Results of a study.
struct StudyResult {
    ResultTable table;
    StudyProgress progress;
    long resumed = 0;  ///< runs that were already in the file
    int threads = 1;
    bool stopped = false;  ///< StudyOptions::stop ended it
    double wall_s = 0;
    Errors not_written;  ///< why the file is not complete
};

/// Computes the runs of a study and appends them to its table. Errors: SettingOutOfRange for threads
/// outside 0 to 1024; FileUnwritable when the file cannot be written, is being written by another study, or
/// holds something else, another study or another part of it; FileUnreadable, FileMalformed.
[[nodiscard]] Expected<StudyResult, Errors> run_study(const Study& study, const StudyOptions& options = {});

/// The same from a scene: prepared, then run.
[[nodiscard]] Expected<StudyResult, Errors> study(const std::filesystem::path& scene,
                                                  std::span<const Override> overrides, StudyPlan plan,
                                                  const StudyOptions& options = {});

/// A part of a study that is missing from merged tables, wholly or partly.
struct MissingRuns {
    Shard shard;     ///< 1 of 1 where the tables do not say how many parts exist
    long runs = 0;   ///< missing
    long of = 0;     ///< that the part has
    long first = 0;  ///< number of the first missing run
};

/// What a merge found.
struct MergeReport {
    long runs = 0;  ///< in the merged table
    long of = 0;    ///< that the study has
    std::size_t rows = 0;
    std::vector<MissingRuns> missing;  ///< empty: the table is complete
};

/// Merges the tables of the parts of one study, in the order of runs. Errors: FileUnreadable, FileMalformed
/// when a table is not that of a study, belongs to another study, or two tables differ in a run;
/// FileUnwritable.
[[nodiscard]] Expected<MergeReport> merge_tables(const std::vector<std::string>& inputs,
                                                 const std::string& output);

/// Counts of the runs of a table by how they ended.
[[nodiscard]] std::map<std::string, long> statuses_of(const ResultTable& table);

/// Rows of one combination of varied values.
struct PointRows {
    std::vector<std::string> values;  ///< one per axis
    std::size_t first = 0, end = 0;
};

/// The combinations of a table in their order.
[[nodiscard]] std::vector<PointRows> points_of(const Study& study, const ResultTable& table);

/// Which starts lead to which attractor: a study over a grid of starts with a strobe, each run followed past
/// its transient and then compared with the others.
///
/// Theory     docs/theory/orbits.md, (OR-18)

/// An attractor that runs reach.
struct Attractor {
    int period = 1;                           ///< in periods of the strobe
    std::vector<std::vector<double>> points;  ///< coordinates and velocities, `period` of them
    long runs = 0;                            ///< that reach it
};

struct Basins {
    std::vector<Attractor> attractors;    ///< in the order in which runs found them
    std::vector<int> of;                  ///< per combination of values: the attractor, or one of these
    static constexpr int irregular = -1;  ///< no period up to half of the samples: chaotic, or still settling
    static constexpr int failed = -2;     ///< the run did not reach its end
};

/// `tolerance`: of coordinates and velocities, relative to the largest of them in the table; > 0. Errors:
/// NotAllowedHere for a study without strobe, or with fewer than two samples of a run.
[[nodiscard]] Expected<Basins> basins_of(const Study& study, const ResultTable& table,
                                         double tolerance = 1e-4);

}  // namespace carom
