#pragma once

#include "document.hpp"

namespace carom::detail {

/// Looks at a scene with the list of fields in hand: unknown keys with the nearest known one, missing keys,
/// wrong types, words that are none of the choices, numbers out of range. What formulas say is looked at
/// later.
void validate(const Node& root, Mistakes& mistakes);

/// "did you mean `x`?", or what is known.
[[nodiscard]] std::string nearest_or_all(std::string_view seen, std::span<const std::string> known);

}  // namespace carom::detail
