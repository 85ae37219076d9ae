#pragma once

#include "carom/door/run.hpp"

#include <string_view>

namespace carom {

/// A run from a file, as if it had just been made.
struct RecordedRun {
    Run run;                  ///< without times and kept problems; its probes are those of the last frame
    std::string_view status;  ///< certified, uncertified, failed, interrupted or unfinished
};

/// The run of a recording, finished or not; where it was killed, what its last checkpoint knew. Errors: those
/// of read_recording.
[[nodiscard]] Expected<RecordedRun, Errors> open_recorded(const std::string& recording);

/// Writes a run that has its columns to a file, the one that RunOptions::recording would have made. Errors:
/// FileUnwritable; NotAllowedHere for a run without columns.
[[nodiscard]] Expected<void, Errors> save(const Run& run, const Scene& scene, const std::string& path);

}  // namespace carom
