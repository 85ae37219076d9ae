#pragma once

#include "carom/report/json.hpp"

#include <string>

namespace carom::app {

/// What `carom study --basin` says to people.

[[nodiscard]] std::string text_of(const Study& study, const Basins& basins);
}  // namespace carom::app
