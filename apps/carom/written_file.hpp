#pragma once

#include "terminal.hpp"

#include <span>
#include <string>
#include <string_view>

namespace carom::app {

/// Writes what was made from a recording: to `output`, to standard output when that is "-", or beside the
/// recording with the ending `extension` when it is empty; prints the name of the file. Never over the
/// recording itself.
[[nodiscard]] ExitStatus write_made(std::string_view text, const std::string& recording,
                                    const std::string& output, const std::string& extension);

/// The same of pieces that follow each other.
[[nodiscard]] ExitStatus write_made(std::span<const std::string> pieces, const std::string& recording,
                                    const std::string& output, const std::string& extension);

}  // namespace carom::app
