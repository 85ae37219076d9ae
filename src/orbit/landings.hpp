#pragma once

#include "carom/orbit/periodic.hpp"

namespace carom::detail {

/// What an event is of a landing, which is one event, `contact_made`: the inelastic impact that closes the
/// contact, or one of the impacts that accumulate until it is closed, and the accumulation itself. How many of
/// these are told is a matter of settings.
enum class LandingPart { None, Closing, Accumulating };

/// For each event of an orbit.
[[nodiscard]] std::vector<LandingPart> parts_of_landings(const Orbit& orbit);

}  // namespace carom::detail
