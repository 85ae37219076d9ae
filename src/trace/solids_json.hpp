#pragma once

#include "carom/trace/recording.hpp"
#include "trace/recorder.hpp"

namespace carom::detail {

/// What pictures show of bodies: their surfaces, where those are in them, and which columns of q move them.
[[nodiscard]] RecordedSolids solids_of(const BodiesToRecord& bodies);

/// As JSON, for recordings and pages.
[[nodiscard]] std::string to_json(const RecordedSolids& solids);

/// Empty when the text is something else, or names a body, column, surface or vertex that does not exist.
[[nodiscard]] std::optional<RecordedSolids> solids_from_json(const std::string& text, std::size_t bodies,
                                                             std::size_t coordinates);

}  // namespace carom::detail
