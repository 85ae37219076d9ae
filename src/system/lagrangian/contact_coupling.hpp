#pragma once

#include "system/lagrangian/mass_pattern.hpp"

#include <span>
#include <vector>

namespace carom {

/// Which contacts a matrix couples: those whose coordinates share an island of its pattern.
/// Constant during a run.
class ContactCoupling {
public:
    ContactCoupling() = default;

    /// `supports` holds per contact the coordinates it names, sorted.
    ContactCoupling(const MassPattern& pattern, std::span<const std::span<const int>> supports);

    /// The islands that a contact touches, sorted.
    [[nodiscard]] std::span<const int> islands(int contact) const noexcept { return islands_[contact]; }

    /// Contacts whose row of W may meet the row of `contact`, sorted, itself included.
    [[nodiscard]] std::span<const int> neighbours(int contact) const noexcept
    {
        return neighbours_[static_cast<std::size_t>(group_[contact])];
    }

private:
    std::vector<std::vector<int>> islands_;
    std::vector<int> group_;  ///< contact -> its list: contacts of the same islands share it
    std::vector<std::vector<int>> neighbours_;  ///< per group
};

}  // namespace carom
