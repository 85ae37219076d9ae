#pragma once

#include "carom/core/expected.hpp"

#include <filesystem>
#include <string>

namespace carom::detail {

/// The file, if it lies below the folder: links and .. may not lead out of it. `what` names the kind of file
/// in the hint about its size. Errors: FileUnreadable.
[[nodiscard]] Expected<std::filesystem::path> file_below(const std::filesystem::path& folder,
                                                         const std::string& name, std::size_t max_bytes,
                                                         const char* what);

}  // namespace carom::detail
