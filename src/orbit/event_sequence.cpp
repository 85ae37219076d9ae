#include "event_sequence.hpp"

#include "landings.hpp"

#include <algorithm>

namespace carom::detail {

std::vector<const SensitiveEvent*> deciding_events(const Orbit& orbit)
{
    constexpr double rounding = 1e-9;
    std::vector<const SensitiveEvent*> result;
    const auto parts = parts_of_landings(orbit);
    const double begin_s = orbit.start.t_s + rounding * orbit.period_s;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i] == LandingPart::None && orbit.events[i].event.time_s > begin_s)
            result.push_back(&orbit.events[i]);
    }
    return result;
}

Mark::Mark(const SensitiveEvent& one, const std::vector<const SensitiveEvent*>& all)
    : kind(one.event.kind),
      contact(one.event.contact),
      slides(one.friction ? one.friction->slides : 0),
      joint(std::ranges::any_of(all, [&](const SensitiveEvent* other) {
          return other->event.time_s == one.event.time_s && other->event.contact != contact;
      }))
{
}

std::vector<Mark> sequence(const Orbit& orbit)
{
    std::vector<Mark> result;
    const auto events = deciding_events(orbit);
    for (const SensitiveEvent* one : events) {
        result.emplace_back(*one, events);
    }
    return result;
}

bool same_cycle(const BranchNode& a, const BranchNode& b)
{
    const auto of_a = sequence(a.orbit);
    auto of_b = sequence(b.orbit);
    if (of_a.size() != of_b.size()) return false;
    for (std::size_t i = 0; i < std::max<std::size_t>(of_b.size(), 1); ++i) {
        if (of_a == of_b) return true;
        std::ranges::rotate(of_b, of_b.begin() + 1);
    }
    return false;
}

std::vector<int> slides_of_landings(const BranchNode& node)
{
    std::vector<int> result;
    const auto parts = parts_of_landings(node.orbit);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto& friction = node.orbit.events[i].friction;
        if (parts[i] == LandingPart::Closing) result.push_back(friction ? friction->slides : 0);
    }
    return result;
}

}  // namespace carom::detail
