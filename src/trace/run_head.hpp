#pragma once

#include "carom/trace/recording.hpp"
#include "storage/hdf5.hpp"

#include <string>

namespace carom::detail {

/// Formats that files name in an attribute: of a recording, and of a part of one.
inline constexpr const char *run_format = "carom-run", *part_format = "carom-run-part";

/// What a file says of its run before any row.
struct RunHead {
    std::string title, scene;
    double start_s = 0, duration_s = 0, time_step_s = 0, every_s = 0;
    bool single = false;  ///< precision of the frames
    int parts = 0, checkpoint_steps = 0;
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
            .single = in_single(recording.settings, recording.bodies.names.size()),
            .parts = recording.settings.parts,
            .checkpoint_steps = recording.settings.checkpoint_steps};
}

/// Attributes, scene and an empty checkpoint.
[[nodiscard]] Expected<void> write_head(Hdf5Writer& file, const RunHead& head);

/// What a part says of the recording to which it belongs.
[[nodiscard]] Expected<void> write_part_head(Hdf5Writer& file, const RunHead& head, int part);

}  // namespace carom::detail
