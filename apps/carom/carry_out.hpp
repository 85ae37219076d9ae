#pragma once

#include "carom/scene/sweeping_scene.hpp"
#include "carom/trace/recorder.hpp"
#include "kept_problems.hpp"
#include "snapshots.hpp"
#include "terminal.hpp"

#include <optional>
#include <string>

namespace carom::app {

/// A run that can begin or go on, and what is wanted of it; checked. The recorder looks at the scene's model:
/// a task that has one stays where it is.
struct Task {
    Scene scene;
    RunSoFar run;
    Snapshots snapshots;
    std::optional<Recorder> recorder;           ///< listens, where the run is recorded
    std::string recording;                      ///< its file; empty: there is none
    KeptProblems problems = {};                 ///< keeps one-step problems, where that is asked
    std::optional<SweepingPlan> sweeping = {};  ///< of a sweeping process
    BodyState bodies = {};                      ///< where the bodies are, in a scene that has them
};

/// The bodies of a scene, as a recorder wants them.
[[nodiscard]] std::optional<BodiesToRecord> to_record(const Scene& scene);

/// How a run is shown.
struct Display {
    bool json = false;   ///< one JSON object instead of the summary
    bool quiet = false;  ///< no progress and no summary
    bool svg = true;     ///< a picture beside the recording
};

/// Runs a task to its end: steps with everybody listening, files, and the result on standard output.
[[nodiscard]] ExitStatus carry_out(Task& task, const Display& display);

/// Bad input: says so.
[[nodiscard]] ExitStatus refuse(const Errors& errors, const Display& display);

}  // namespace carom::app
