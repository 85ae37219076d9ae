#pragma once

#include "carom/system/lagrangian/model.hpp"

namespace carom::detail {

/// Gaps at the start that are not below this part of the typical length, with a minus, do not overlap; what
/// is below it counts as closed.
inline constexpr double gap_tolerance = 1e-9;

/// The largest gap, or coordinate that is a length, at the start; 1 where all are zero.
[[nodiscard]] double typical_length(const Model& model, const State& start);

}  // namespace carom::detail
