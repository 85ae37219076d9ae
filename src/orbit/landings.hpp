#pragma once

#include "carom/orbit/periodic.hpp"

namespace carom::detail {

/// For each event whether it only belongs to a landing: impacts that accumulate until the contact closes, the
/// accumulation itself, or the single inelastic impact with which it does. How many impacts are told before an
/// accumulation is a matter of settings; the landing is one event, `contact_made`.
[[nodiscard]] std::vector<char> parts_of_landings(const Orbit& orbit);

}  // namespace carom::detail
