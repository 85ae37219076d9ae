#pragma once

#include "carom/core/expected.hpp"

#include <span>
#include <string>
#include <string_view>

namespace carom {

/// FileUnwritable for a number of `errno`, or 0: what the operating system says, and what can be done.
[[nodiscard]] Error unwritable_file(const std::string& path, int reason);

/// Writes a whole file, of pieces that follow each other. Errors: FileUnwritable, with the reason that the
/// operating system gives; a plain file that was begun, for example on a disk that became full, is removed.
[[nodiscard]] Expected<void> write_file(const std::string& path, std::span<const std::string> pieces);
[[nodiscard]] Expected<void> write_file(const std::string& path, const std::string& text);

/// The same for a file that must not be there yet: FileUnwritable, and no change, where one is.
[[nodiscard]] Expected<void> write_new_file(const std::string& path, std::string_view text);

}  // namespace carom
