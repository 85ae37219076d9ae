#pragma once

#include "bodies.hpp"

namespace carom::detail {

/// Coordinates, contacts or constraints of formulas stand beside the bodies.
[[nodiscard]] bool has_formulas(const Node& root);

/// Formulas beside the bodies may name their coordinates. A name that a parameter or table has already is a
/// mistake; others are found when the coordinates are made.
[[nodiscard]] Names with_coordinates(const Node& root, Names names, const BodyDraft& draft,
                                     Mistakes& mistakes);

}  // namespace carom::detail
