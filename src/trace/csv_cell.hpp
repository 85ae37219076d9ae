#pragma once

#include <string>
#include <string_view>

namespace carom::detail {

/// A cell of CSV: quoted where it holds commas, quotes or line breaks.
[[nodiscard]] inline std::string csv_cell(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string cell = "\"";
    for (const char c : text) {
        cell += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return cell + '"';
}

}  // namespace carom::detail
