#include "run_events.hpp"

namespace carom::detail {
namespace {

std::string_view after(const Event& event, std::string_view before)
{
    switch (event.kind) {
    case EventKind::Engage: return event.velocity_after_m_s == 0 ? "hold" : "slip";
    case EventKind::Lock: return "hold";
    case EventKind::Release: return "free";
    case EventKind::ContactMade: return "closed";
    case EventKind::ContactLost: return "open";
    case EventKind::Stick: return "stick";
    case EventKind::Slip: return "slip";
    case EventKind::Impact:
    case EventKind::Accumulation: break;
    }
    return before;  // a velocity jumps; what stays closed is told by the next event
}

/// What a constraint was before its first event.
std::string_view first_status(EventKind kind)
{
    if (kind == EventKind::Engage) return "free";
    return kind == EventKind::Lock ? "slip" : "hold";
}

}  // namespace

std::vector<RunEvent> named_events(const RunReport& report)
{
    const std::size_t contacts = report.event_contacts;
    std::vector<std::string_view> now(contacts, "open");
    std::vector<RunEvent> result;
    for (const Event& event : report.events) {
        const auto place = static_cast<std::size_t>(event.contact);
        if (place >= now.size()) now.resize(place + 1);
        std::string_view& status = now[place];
        if (status.empty()) status = first_status(event.kind);
        const std::string_view before = status;
        status = after(event, before);
        result.push_back({event, report.event_names[place], place >= contacts, before, status});
    }
    return result;
}

}  // namespace carom::detail
