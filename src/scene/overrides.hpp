#pragma once

#include "document.hpp"

#include <span>

namespace carom::detail {

/// Puts the values of the overrides into the tree. Mistakes: UnknownKey for paths that lead nowhere,
/// SceneSyntax for values that begin like a TOML string, list or table and are none.
void apply_overrides(std::span<const Override> overrides, Node& root, Mistakes& mistakes);

}  // namespace carom::detail
