#pragma once

#include "terminal.hpp"

#include <string>
#include <vector>

namespace carom::app {

struct NewOptions {
    std::string name;             ///< of the scene; .toml is added where it is missing
    std::string kind = "bounce";  ///< which of the templates
};

/// carom new: writes a commented scene that runs; never over a file that is there.
[[nodiscard]] ExitStatus run_new(const NewOptions& options);

struct RunOptions {
    std::string scene;
    std::string output;              ///< recording; empty: none
    std::vector<std::string> sets;   ///< path=value
    std::vector<std::string> times;  ///< numbers, of --at
    bool json = false;
    bool quiet = false;
    bool svg = true;
};

/// carom run: simulates a scene.
[[nodiscard]] ExitStatus run_scene(const RunOptions& options);

struct ExportOptions {
    std::string recording;
    std::string format;  ///< csv or svg
    std::string output;  ///< empty: beside the recording; "-": standard output
};

/// carom export: a recording in another format.
[[nodiscard]] ExitStatus run_export(const ExportOptions& options);

}  // namespace carom::app
