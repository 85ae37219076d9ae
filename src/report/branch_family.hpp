#pragma once

#include "carom/report/json.hpp"

#include <vector>

namespace carom {

/// A branch of orbits with those that leave it.

struct FamilyOptions {
    int doublings = 0;          ///< so often branches of doubled orbits are switched to
    bool past_grazing = false;  ///< and to orbits with one impact more, where an orbit grazes
};

/// The branch through the start, both ways, and those that leave it. Errors: those of follow_branch.
[[nodiscard]] Expected<std::vector<FollowedBranch>, Errors>
follow_family(const Scene& scene, const BranchOptions& options, const FamilyOptions& family);

/// A curve over the parameter and range of `second`.
[[nodiscard]] CurveOptions curve_over(const BranchOptions& second);

/// Follows all special points over the parameter and range of `second`. Errors: those of
/// follow_special_point.
[[nodiscard]] Errors add_curves_over(const BranchOptions& second, const Scene& scene,
                                     std::vector<FollowedBranch>& branches);

}  // namespace carom
