#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace carom::detail {

/// What all pages have in common, whatever they show.

/// The colours of pages and pictures.
[[nodiscard]] nlohmann::ordered_json palette_json();

/// JSON that can stand between script tags: without `<` nothing in it can end or begin a tag or a comment.
[[nodiscard]] std::string script_safe(const nlohmann::ordered_json& json);

/// The page with its data in place. Its policy lets run the script of the page itself and no other.
[[nodiscard]] std::string page_with(const std::string& data);

/// What comes before the data and after them.
[[nodiscard]] std::string page_beginning();
[[nodiscard]] std::string_view page_end();

}  // namespace carom::detail
