#pragma once

#include "carom/law/law.hpp"

#include <optional>
#include <span>
#include <vector>

namespace carom::detail {

/// A law as an integer and finite numbers, for files (docs/reference/problem_file.md). Every law but non-firm
/// ones with sets other than intervals, boxes, balls and ellipsoids: nothing.
struct LawNumbers {
    int kind = 0;
    std::vector<double> numbers;
};
[[nodiscard]] std::optional<LawNumbers> numbers_of(const Law& law);

/// The law of such numbers, which may come from anybody: checked. Nothing where they are none.
[[nodiscard]] std::optional<Law> law_of_numbers(int kind, std::span<const double> numbers);

}  // namespace carom::detail
