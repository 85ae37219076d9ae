#pragma once

#include "carom/core/expected.hpp"

#include <span>
#include <string>

namespace carom {

/// Writes a whole file, of pieces that follow each other. Errors: FileUnwritable, with the reason that the
/// operating system gives; a plain file that was begun, for example on a disk that became full, is removed.
[[nodiscard]] Expected<void> write_file(const std::string& path, std::span<const std::string> pieces);
[[nodiscard]] Expected<void> write_file(const std::string& path, const std::string& text);

}  // namespace carom
