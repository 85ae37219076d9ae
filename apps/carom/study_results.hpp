#pragma once

#include "carom/study/run_study.hpp"

#include <map>
#include <string>

namespace carom::app {

/// What a study left behind, for those who print it.
struct StudyResults {
    const Study& study;
    const StudyResult& result;
    Shard shard;
    std::string output;  ///< file of the table; empty: none
    std::map<std::string, double> exact;
};

/// For people: counts, then orders, distributions or the rows themselves, as far as they fit a page.
[[nodiscard]] std::string study_summary(const StudyResults& results);

/// For programs: one JSON object, docs/reference/command_line.md.
[[nodiscard]] std::string study_json(const StudyResults& results);

}  // namespace carom::app
