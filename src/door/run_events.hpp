#pragma once

#include "carom/door/run.hpp"

#include <vector>

namespace carom::detail {

/// The events of a whole run with the names of their places and the statuses around them, in their order: all
/// contacts begin open, and what is closed at the start is told by events there. The first `contacts` of the
/// names are those of contacts.
[[nodiscard]] std::vector<RunEvent> named_events(const RunReport& report);

}  // namespace carom::detail
