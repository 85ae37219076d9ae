#pragma once

#include <algorithm>
#include <optional>

namespace carom::detail {

/// Where something that time alone moves jumps, and by how much.
struct Jump {
    double time_s = 0, by_m = 0;
};

/// A jump of `at(time)` within a step: halves of the step, and halves of these, in which it goes as far as in
/// the whole. What only starts or stops goes half as far. `distance(one, other)` >= 0.
///
/// Theory     docs/theory/bodies.md, (BO-31); energy_ledger.md, (LE-29)
template <class At, class Distance>
[[nodiscard]] std::optional<Jump> jump_of(const At& at, const Distance& distance, double start_s, double h_s)
{
    constexpr int halvings = 20;
    constexpr double rounding = 1e-6;
    // a jump between two steps is in one of them, by the rounding of its instant
    double from_s = start_s - rounding * h_s, to_s = start_s + (1 + rounding) * h_s;
    auto from = at(from_s), to = at(to_s);
    const double whole_m = distance(from, to);
    double by_m = whole_m;
    for (int k = 0; k < halvings && by_m > 0.5 * whole_m; ++k) {
        const double middle_s = from_s + (to_s - from_s) / 2;
        const auto middle = at(middle_s);
        const double first_m = distance(from, middle), second_m = distance(middle, to);
        const bool first = first_m > second_m;
        (first ? to_s : from_s) = middle_s;
        (first ? to : from) = middle;
        by_m = std::max(first_m, second_m);
    }
    if (!(by_m > 0.5 * whole_m)) return std::nullopt;
    return Jump{.time_s = to_s, .by_m = by_m};
}

}  // namespace carom::detail
