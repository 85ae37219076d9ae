#pragma once

#include <string>
#include <vector>

namespace carom::detail {

/// Axes of plots: round numbers, and how they are written.

/// A closed interval of an axis.
struct Range {
    double low = 0, high = 1;
};

/// Whether an axis can reach a value: beyond 1e300 its length would overflow. False for NaN.
[[nodiscard]] bool fits_on_axis(double value);

/// Multiples of 1, 2 or 5 times a power of ten inside the range, about `wanted` of them; `step` is their
/// distance.
struct Ticks {
    double step = 1;
    std::vector<double> at;
};
[[nodiscard]] Ticks round_ticks(Range range, int wanted);

/// Power of ten, a multiple of three, that the labels of an axis leave out.
[[nodiscard]] int common_exponent(Range range);

/// "time (s)", "gap (10⁻⁶ m)": plain text.
[[nodiscard]] std::string axis_label(const std::string& quantity, const std::string& unit, int exponent);

[[nodiscard]] std::string tick_label(double value, double step, int exponent);

}  // namespace carom::detail
