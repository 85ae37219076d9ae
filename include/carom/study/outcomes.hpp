#pragma once

#include "carom/study/study.hpp"

#include <array>
#include <string>
#include <vector>

namespace carom {

/// How the results of many runs are distributed.

/// One quantity over the rows that have it.
struct Distribution {
    std::string quantity;
    std::size_t count = 0;
    double mean = 0;
    double deviation = 0;  ///< standard deviation of a sample: divided by count - 1
    double low = 0, high = 0;
    std::array<std::size_t, 20> histogram{};  ///< counts in equal parts of [low, high]
};

/// Runs that ended alike.
struct Outcome {
    std::size_t count = 0;
    std::vector<double> state;  ///< mean of coordinates and velocities at the end
};

struct Outcomes {
    std::vector<Distribution> distributions;
    std::vector<Outcome> groups;  ///< most frequent first
    bool too_many_groups = false;
};

/// Distributions of the quantities over the rows `first` to `end` of a table, and the groups of their final
/// states. A row joins the first group whose first state differs in no coordinate or velocity by more than
/// 5 % of the spread of all rows, or 1 % of the largest value where that is more; differences below 1e-9 of
/// the largest number in all states are roundoff.
[[nodiscard]] Outcomes outcomes_of(const Study& study, const ResultTable& table, std::size_t first,
                                   std::size_t end);

}  // namespace carom
