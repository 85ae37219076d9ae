#pragma once

#include "carom/door/run.hpp"
#include "input.hpp"

#include <functional>
#include <string>

namespace carom::app {

/// How a run is shown.
struct Display {
    bool json = false;   ///< one JSON object instead of the summary
    bool quiet = false;  ///< no progress and no summary
    bool svg = true;     ///< a picture beside the recording
};

/// Runs with these listeners; run() or resume() with their other options.
using Runner =
    std::function<Expected<Run, Errors>(const RunListener& listener, const std::atomic<bool>& stop)>;

/// Runs a scene to its end: progress while it runs, then files and the result on standard output. `problems`:
/// folder of kept one-step problems, empty where none are kept.
[[nodiscard]] ExitStatus carry_out(const Scene& scene, const Runner& runner, const Display& display,
                                   const std::string& problems = {});

}  // namespace carom::app
