#pragma once

#include "carom/study/orders.hpp"
#include "carom/study/outcomes.hpp"

#include <map>
#include <string>

namespace carom::app {

/// What a study left behind, for those who print it.
struct StudyResults {
    const Study& study;
    const ResultTable& table;
    StudyProgress progress;
    Shard shard;
    long resumed = 0;  ///< runs that were in the table before
    int threads = 1;
    bool interrupted = false;
    double wall_s = 0;
    std::string output;  ///< file of the table; empty: none
    std::map<std::string, double> exact;
};

/// How many runs ended in which way.
[[nodiscard]] std::map<std::string, long> statuses_of(const StudyResults& results);

/// Rows of one combination of varied values.
struct PointRows {
    std::vector<std::string> values;  ///< one per axis
    std::size_t first = 0, end = 0;
};

/// The combinations of a table in their order.
[[nodiscard]] std::vector<PointRows> points_of(const StudyResults& results);

/// For people: counts, then orders, distributions or the rows themselves, as far as they fit a page.
[[nodiscard]] std::string study_summary(const StudyResults& results);

/// For programs: one JSON object, docs/reference/command_line.md.
[[nodiscard]] std::string study_json(const StudyResults& results);

}  // namespace carom::app
