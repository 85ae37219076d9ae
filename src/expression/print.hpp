#pragma once

#include "carom/expression/formula.hpp"

#include <optional>
#include <span>
#include <string>

namespace carom {

/// The formula as users would type it (EX-1), coordinates by the names given; parse_formula reads it back, with
/// the same operations in the same order but for the order of terms. Nothing where no text can say it: tables,
/// which have no name, numbers that are not finite, coordinates without a name, texts beyond the limits of
/// (EX-8).
[[nodiscard]] std::optional<std::string> text_of(const Formula& formula,
                                                 std::span<const std::string> coordinates);

}  // namespace carom
