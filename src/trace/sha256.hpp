#pragma once

#include <string>
#include <string_view>

namespace carom::detail {

/// SHA-256 of the text (FIPS 180-4) in base64, as policies of pages name the scripts that may run.
[[nodiscard]] std::string sha256_base64(std::string_view text);

}  // namespace carom::detail
