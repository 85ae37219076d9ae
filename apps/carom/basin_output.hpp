#pragma once

#include "carom/figure/diagram.hpp"
#include "carom/study/basin.hpp"

#include <string>

namespace carom::app {

/// What `carom study --basin` prints and draws.

[[nodiscard]] std::string text_of(const Study& study, const Basins& basins);
[[nodiscard]] std::string json_of(const Study& study, const Basins& basins);

/// A cell per start, a colour per attractor; grey: no period, white: failed. Errors: NotAllowedHere where the
/// study has not two axes of numbers at equal distances.
[[nodiscard]] Expected<Diagram> diagram_of(const Study& study, const Basins& basins);

}  // namespace carom::app
