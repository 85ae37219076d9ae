#include "carom/ledger/event.hpp"

#include <map>
#include <tuple>

namespace carom {

std::string_view name_of(EventKind kind) noexcept
{
    switch (kind) {
    case EventKind::Impact: return "impact";
    case EventKind::ContactMade: return "contact_made";
    case EventKind::ContactLost: return "contact_lost";
    case EventKind::Stick: return "stick";
    case EventKind::Slip: return "slip";
    case EventKind::Accumulation: return "accumulation";
    case EventKind::Engage: return "engage";
    case EventKind::Lock: return "lock";
    case EventKind::Release: return "release";
    }
    return "unknown";
}

EventPlaces number_contacts(std::span<const std::string> bodies, const EventPlaces& places,
                            std::span<Event> events)
{
    const auto known = places.names.begin() + static_cast<std::ptrdiff_t>(places.contacts);
    EventPlaces result{.names = {places.names.begin(), known}};
    std::vector<std::string>& names = result.names;
    std::map<std::tuple<int, int, std::uint64_t>, int> numbers;
    std::map<std::tuple<int, int>, int> points;
    for (Event& event : events) {
        if (event.first < 0) continue;
        const auto [found, fresh] =
            numbers.try_emplace({event.first, event.second, event.feature}, static_cast<int>(names.size()));
        event.contact = found->second;
        if (!fresh) continue;
        const int point = ++points[{event.first, event.second}];
        std::string name = bodies[static_cast<std::size_t>(event.first)] + "-" +
                           bodies[static_cast<std::size_t>(event.second)];
        if (point > 1) name += " (" + std::to_string(point) + ")";
        names.push_back(std::move(name));
    }
    result.contacts = names.size();
    // constraints come after the pairs; events keep their place, so that they can be numbered again
    for (Event& event : events) {
        if (event.first >= 0) continue;
        const std::size_t pairs = event.feature < places.contacts ? 0 : result.contacts - places.contacts;
        event.contact = static_cast<int>(event.feature + pairs);
    }
    names.insert(names.end(), known, places.names.end());
    return result;
}

}  // namespace carom
