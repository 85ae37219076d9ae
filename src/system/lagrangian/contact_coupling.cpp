#include "system/lagrangian/contact_coupling.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace carom {

ContactCoupling::ContactCoupling(const MassPattern& pattern, std::span<const std::span<const int>> supports)
{
    std::vector<std::vector<int>> contacts_on_island(static_cast<std::size_t>(pattern.islands()));
    for (std::size_t c = 0; c < supports.size(); ++c) {
        std::set<int> islands;
        for (const int i : supports[c]) {
            islands.insert(pattern.island(i));
        }
        islands_.emplace_back(islands.begin(), islands.end());
        for (const int island : islands) {
            contacts_on_island[island].push_back(static_cast<int>(c));
        }
    }
    // thousands of contacts on one coordinate have one list, not one each
    std::map<std::vector<int>, int> groups;
    for (const auto& islands : islands_) {
        const auto [found, fresh] = groups.try_emplace(islands, static_cast<int>(neighbours_.size()));
        group_.push_back(found->second);
        if (!fresh) continue;
        std::vector<int> neighbours;
        for (const int island : islands) {
            const auto& others = contacts_on_island[island];
            neighbours.insert(neighbours.end(), others.begin(), others.end());
        }
        // lists of islands are sorted: of one island nothing has to be put in order
        if (islands.size() > 1) {
            std::ranges::sort(neighbours);
            const auto repeated = std::ranges::unique(neighbours);
            neighbours.erase(repeated.begin(), repeated.end());
        }
        neighbours_.push_back(std::move(neighbours));
    }
}

}  // namespace carom
