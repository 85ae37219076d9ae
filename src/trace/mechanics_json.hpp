#pragma once

#include "carom/trace/recording.hpp"
#include "system/bodies/body_model.hpp"

#include <optional>

namespace carom::detail {

/// Masses, materials and joints of bodies, as recordings keep them.
[[nodiscard]] RecordedMechanics mechanics_of(const BodyModel& model);

[[nodiscard]] std::string to_json(const RecordedMechanics& mechanics);

/// Nothing when the text is damaged, or speaks of other bodies.
[[nodiscard]] std::optional<RecordedMechanics> mechanics_from_json(const std::string& text,
                                                                   std::size_t bodies);

}  // namespace carom::detail
