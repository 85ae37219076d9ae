#pragma once

#include "kept_problems.hpp"
#include "scene_steps.hpp"
#include "snapshots.hpp"
#include "trace/recorder.hpp"

#include <optional>

namespace carom::detail {

/// A run that can begin or go on, and who listens to it; checked. The recorder looks at the scene's model:
/// the scene stays where it is.
struct Task {
    const Scene& scene;
    RunSoFar so_far;
    Snapshots snapshots;
    std::optional<Recorder> recorder = {};  ///< into a file, or into memory
    std::string recording = {};             ///< the file; empty: there is none
    KeptProblems problems = {};
    RunListener listener = {};
    const std::atomic<bool>* stop = nullptr;
    bool columns = true;
};

/// The bodies of a scene, as a recorder wants them.
[[nodiscard]] std::optional<BodiesToRecord> to_record(const Scene& scene);

/// Whether this rank writes files: the first one, or one that is alone; all where a recording has parts.
[[nodiscard]] bool records_here(const RecordSettings& settings) noexcept;

/// Runs a task to its end: steps with everybody listening, then files and columns.
[[nodiscard]] Run carry_out(Task& task);

}  // namespace carom::detail
