#pragma once

#include "carom/scene/scene.hpp"

#include <string>
#include <vector>

namespace carom::app {

/// The values of --set; what is no PATH=VALUE goes to `errors`.
[[nodiscard]] std::vector<Override> read_sets(const std::vector<std::string>& sets, Errors& errors);

}  // namespace carom::app
