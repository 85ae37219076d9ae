#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace carom::detail {

using Json = nlohmann::ordered_json;

/// One line; numbers read back to the same bits, and what is no number is null.
[[nodiscard]] inline std::string one_line(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace carom::detail
