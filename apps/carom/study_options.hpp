#pragma once

#include "commands.hpp"

#include <CLI/CLI.hpp>

namespace carom::app {

/// Arguments, options and examples of `carom study`.
void describe_study(CLI::App& command, StudyOptions& options);

}  // namespace carom::app
