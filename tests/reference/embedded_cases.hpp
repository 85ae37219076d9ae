#pragma once

#include <string_view>

namespace carom::detail {

/// The text of cases.json, as the build put it into the program.
[[nodiscard]] std::string_view embedded_cases() noexcept;

}  // namespace carom::detail
