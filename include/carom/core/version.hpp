#pragma once

#include <string_view>

namespace carom {

/// The version of the library, as CMakeLists.txt declares it; written into recordings.
inline constexpr std::string_view version = "0.2.0";

}  // namespace carom
