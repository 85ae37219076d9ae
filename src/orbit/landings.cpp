#include "landings.hpp"

namespace carom::detail {
namespace {

bool is_impact_of(const Event& event, int contact)
{
    return event.kind == EventKind::Impact && event.contact == contact;
}

}  // namespace

std::vector<LandingPart> parts_of_landings(const Orbit& orbit)
{
    const auto& events = orbit.events;
    const std::size_t count = events.size();
    std::vector<LandingPart> parts(count, LandingPart::None);
    const auto before = [&](std::size_t i, std::size_t steps) { return (i + count - steps) % count; };
    for (std::size_t i = 0; i < count; ++i) {
        const Event& landing = events[i].event;
        if (landing.kind != EventKind::ContactMade || count < 2) continue;
        const std::size_t last = before(i, 1);
        const Event& closing = events[last].event;
        if (closing.contact != landing.contact || closing.time_s != landing.time_s) continue;
        if (closing.kind == EventKind::Impact) parts[last] = LandingPart::Closing;
        if (closing.kind != EventKind::Accumulation) continue;
        parts[last] = LandingPart::Accumulating;
        // backwards, as long as impacts are faster the earlier they are; round the period as well
        double speed = 0;
        for (std::size_t k = 2; k < count; ++k) {
            const Event& one = events[before(i, k)].event;
            if (!is_impact_of(one, landing.contact) || !(-one.velocity_before_m_s > speed)) break;
            speed = -one.velocity_before_m_s;
            parts[before(i, k)] = LandingPart::Accumulating;
        }
    }
    return parts;
}

}  // namespace carom::detail
