#pragma once

#include "carom/expression/formula.hpp"

#include <limits>
#include <vector>

namespace carom::detail {

/// Numbers from low to high.
struct Interval {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    [[nodiscard]] bool contains(double x) const noexcept { return low <= x && x <= high; }
};

/// Which values each register of a term can take when coordinates, velocities and time take all values. Safe
/// but not sharp, up to rounding: x - x is all numbers. It proves that 2 + cos(x) and 1 + x^2 never vanish.
[[nodiscard]] std::vector<Interval> register_ranges(const Tape& tape);

}  // namespace carom::detail
