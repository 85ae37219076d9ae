#pragma once

#include "carom/ledger/event.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace carom::app {

/// What a contact is before and after an event: "open", "closed", "stick" or "slip"; a constraint: "hold",
/// "slip" or "free".
struct EventStatus {
    std::string_view before, after;
};

/// The statuses around every event of a whole run, in its order: all contacts begin open, and what is closed
/// at the start is told by events there.
[[nodiscard]] std::vector<EventStatus> event_statuses(std::span<const Event> events, int contacts);

}  // namespace carom::app
