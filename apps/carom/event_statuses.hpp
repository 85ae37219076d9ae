#pragma once

#include "carom/ledger/event.hpp"
#include "carom/model/lagrangian_system.hpp"

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

/// The name of the contact or constraint of an event.
[[nodiscard]] const std::string& name_of_place(const Event& event, const LagrangianSystem& system);

}  // namespace carom::app
