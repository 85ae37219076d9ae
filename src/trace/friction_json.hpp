#pragma once

#include "carom/trace/recording.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carom::detail {

/// The contacts of a model that rub, with the columns of their tangential percussions.
[[nodiscard]] std::vector<RecordedCone> cones_of(const std::vector<Contact>& contacts);

/// How many columns they have together.
[[nodiscard]] int column_count(const std::vector<RecordedCone>& cones) noexcept;

/// What a recording says about cones, as a JSON list.
[[nodiscard]] std::string to_json(const std::vector<RecordedCone>& cones);

/// Empty when the text is something else, or names a contact or a shape that cannot be.
[[nodiscard]] std::optional<std::vector<RecordedCone>> cones_from_json(const std::string& text, int contacts);

/// The boundary of a shape as points (x_t1, x_t2) around it; of an interval its two ends, with x_t2 = 0.
/// Empty for a rough contact, which has no bound.
[[nodiscard]] std::vector<std::array<double, 2>> outline_of(const FrictionShape& shape);

}  // namespace carom::detail
