#pragma once

#include "carom/expression/formula.hpp"

#include <limits>
#include <span>
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

/// The same where the inputs of the tape take the values of these intervals only.
void register_ranges(const Tape& tape, std::span<const Interval> inputs, std::vector<Interval>& ranges);

[[nodiscard]] Interval operator+(Interval x, Interval y);
[[nodiscard]] Interval operator-(Interval x, Interval y);
[[nodiscard]] Interval operator*(Interval x, Interval y);
[[nodiscard]] Interval operator/(Interval x, Interval y);  ///< everything where y contains zero inside

/// An upper bound of the power with which each register grows when coordinates and velocities become large
/// together while the time stays bounded: infinity where nothing can be told (WP-6).
[[nodiscard]] std::vector<double> register_degrees(const Tape& tape, std::span<const Variable> variables);

}  // namespace carom::detail
