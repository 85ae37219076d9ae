#pragma once

#include <string_view>

namespace carom::detail {

/// The page without data, viewer/dist/report.html, as the build put it into the program.
[[nodiscard]] std::string_view page_template() noexcept;

/// Where the data go: this comment stands in the page once.
inline constexpr std::string_view page_data_mark = "<!--CAROM-DATA-->";

}  // namespace carom::detail
