#pragma once

#include "carom/trace/recording.hpp"
#include "storage/hdf5.hpp"

#include <string>

namespace carom::detail {

/// What a file says of its run before any row.
struct RunHead {
    std::string title, scene;
    double start_s = 0, duration_s = 0, time_step_s = 0, every_s = 0;
    bool single = false;  ///< precision of the frames
};

/// The frames of a file with so many bodies are packed.
[[nodiscard]] constexpr bool in_single(const RecordSettings& settings, std::size_t bodies) noexcept
{
    return settings.precision == RecordPrecision::Single ||
           (settings.precision == RecordPrecision::Auto && bodies > max_bodies_in_double);
}

[[nodiscard]] inline RunHead head_of(const Recording& recording)
{
    return {.title = recording.title,
            .scene = recording.scene_text,
            .start_s = recording.start_s,
            .duration_s = recording.duration_s,
            .time_step_s = recording.time_step_s,
            .every_s = recording.every_s,
            .single = in_single(recording.settings, recording.bodies.names.size())};
}

/// Attributes, scene and an empty checkpoint.
[[nodiscard]] Expected<void> write_head(Hdf5Writer& file, const RunHead& head);

}  // namespace carom::detail
