#pragma once

#include "branch_walk.hpp"

namespace carom::detail {

/// A node as a special point of this kind.
[[nodiscard]] SpecialPoint special(std::string kind, const BranchNode& node);

/// Where a nearness vanishes, and what the polynomials of its last points differ by.
struct VanishingPoint {
    SpecialPoint point;
    double error = 0;  ///< of the parameter
};

/// The first gap that grazes, contact that is lost or stick that is born ahead of a node, within some `reach`
/// of arclength, located from this side; nothing: there is none.
[[nodiscard]] std::optional<VanishingPoint> vanishing_ahead(BranchWalk& walk, const BranchNode& node,
                                                            double reach);

}  // namespace carom::detail
