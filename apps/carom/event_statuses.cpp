#include "event_statuses.hpp"

namespace carom::app {
namespace {

std::string_view after(EventKind kind, std::string_view before)
{
    switch (kind) {
    case EventKind::ContactMade: return "closed";
    case EventKind::ContactLost: return "open";
    case EventKind::Stick: return "stick";
    case EventKind::Slip: return "slip";
    case EventKind::Impact:
    case EventKind::Accumulation: break;
    }
    return before;  // a velocity jumps; what stays closed is told by the next event
}

}  // namespace

std::vector<EventStatus> event_statuses(std::span<const Event> events, int contacts)
{
    std::vector<std::string_view> now(static_cast<std::size_t>(contacts), "open");
    std::vector<EventStatus> result;
    for (const Event& event : events) {
        std::string_view& status = now[static_cast<std::size_t>(event.contact)];
        const std::string_view before = status;
        status = after(event.kind, before);
        result.push_back({before, status});
    }
    return result;
}

}  // namespace carom::app
