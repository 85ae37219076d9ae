#pragma once

#include <string>
#include <string_view>

namespace carom::detail {

/// The bytes packed by zlib, as PDF and PNG want them.
[[nodiscard]] std::string deflated(std::string_view bytes);

}  // namespace carom::detail
