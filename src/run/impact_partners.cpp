#include "impact_partners.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace carom {

std::optional<Event> impact_without_partner(std::span<const Event> mine, std::span<const Event> others,
                                            const ImpactMatch& match)
{
    std::vector<std::pair<int, double>> instants;
    for (const Event& other : others) {
        if (other.kind == EventKind::Impact) instants.emplace_back(other.contact, other.time_s);
    }
    std::ranges::sort(instants);
    for (const Event& impact : mine) {
        if (impact.kind != EventKind::Impact) continue;
        const double jump_m_s = impact.velocity_after_m_s - impact.velocity_before_m_s;
        if (!(impact.percussion_Ns * jump_m_s / 2 > match.energy_J)) continue;
        const double near_s = std::max(match.shortest_s, match.off_m / jump_m_s);
        if (impact.time_s > match.end_s - near_s) continue;
        const auto partner =
            std::ranges::lower_bound(instants, std::pair(impact.contact, impact.time_s - near_s));
        if (partner == instants.end() || partner->first != impact.contact ||
            partner->second > impact.time_s + near_s)
            return impact;
    }
    return std::nullopt;
}

}  // namespace carom
