#pragma once

#include "carom/core/expected.hpp"
#include "commands.hpp"

#include <string>

namespace carom::app {

/// Finds out before a run whether its files can be written, and that they do not replace the scene. The
/// recorder looks at the recording itself. Errors: FileUnwritable.
[[nodiscard]] Expected<void> check_output(const RunOptions& options);

/// Whether the picture of a recording can be written beside it. Errors: FileUnwritable.
[[nodiscard]] Expected<void> check_picture(const std::string& recording);

/// Draws the recording into a file of the same name with the ending .svg, and returns its name.
[[nodiscard]] Expected<std::string> draw_picture(const std::string& recording);

}  // namespace carom::app
