#include "study_results.hpp"

namespace carom::app {

std::map<std::string, long> statuses_of(const StudyResults& results)
{
    std::map<std::string, long> counts;
    const auto& runs = results.table.find("run")->numbers;
    const auto& statuses = results.table.find("status")->texts;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (i == 0 || runs[i] != runs[i - 1]) ++counts[statuses[i]];
    }
    return counts;
}

std::vector<PointRows> points_of(const StudyResults& results)
{
    const auto& runs = results.table.find("run")->numbers;
    std::vector<PointRows> points;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto values = results.study.run(static_cast<long>(runs[i])).values;
        if (points.empty() || points.back().values != values)
            points.push_back({.values = std::move(values), .first = i, .end = i});
        points.back().end = i + 1;
    }
    return points;
}

}  // namespace carom::app
