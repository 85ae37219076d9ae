#include "carom/model/contact_coupling.hpp"

#include <set>

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
    for (const auto& islands : islands_) {
        std::set<int> neighbours;
        for (const int island : islands) {
            neighbours.insert(contacts_on_island[island].begin(), contacts_on_island[island].end());
        }
        neighbours_.emplace_back(neighbours.begin(), neighbours.end());
    }
}

}  // namespace carom
