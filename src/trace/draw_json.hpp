#pragma once

#include "carom/trace/recording.hpp"

namespace carom::detail {

/// The drawings of a model with the columns of their numbers: for each its points, then its radius, its
/// normal and its tangent if it has them.
[[nodiscard]] std::vector<RecordedDrawing> columns_of(const std::vector<Drawing>& drawings);

/// How many columns they have together.
[[nodiscard]] int column_count(const std::vector<RecordedDrawing>& drawings) noexcept;

/// The numbers of one instant, in the order of the columns, behind what is in `row`.
void append_drawings(const std::vector<Drawing>& drawings, const Point& at, Workspace& work,
                     std::vector<double>& row);

/// What a recording and a page say about drawings, as a JSON list.
[[nodiscard]] std::string to_json(const std::vector<RecordedDrawing>& drawings);

/// Empty when the text is something else, or names a contact, kind or column that does not exist.
[[nodiscard]] std::optional<std::vector<RecordedDrawing>> drawings_from_json(const std::string& text,
                                                                             int contacts);

}  // namespace carom::detail
