#pragma once

#include "commands.hpp"

#include <CLI/CLI.hpp>

namespace carom::app {

/// Adds `carom study` to the commands.
void describe_study(CLI::App& app, StudyOptions& options);

}  // namespace carom::app
