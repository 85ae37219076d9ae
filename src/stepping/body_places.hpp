#pragma once

#include "system/bodies/body_model.hpp"

#include <vector>

namespace carom::detail {

/// Places of the bodies in an order that follows the scene as it begins: halves of what is left, across its
/// longest side, one behind the other, down to a few bodies in the order of their numbers (MA-9). Empty where
/// numbers follow the scene already: boxes of four parts in a row then have surfaces that are little larger.
///
/// It depends on the scene alone, so that all ranks, and a run that is taken up, have the same one.
[[nodiscard]] std::vector<int> places_along_scene(const BodyModel& model);

}  // namespace carom::detail
