#pragma once

#include "branch_walk.hpp"

namespace carom::detail {

/// The same events in the same order, wherever in it the period begins.
[[nodiscard]] bool same_cycle(const BranchNode& a, const BranchNode& b);

/// Special points between two nodes that are `step` apart, located (OR-14); the second is turned to lead away
/// from them. False: their events differ, and nothing that vanishes between them tells why.
[[nodiscard]] bool add_special_points(BranchWalk& walk, const BranchNode& a, BranchNode& b, double step,
                                      Branch& branch);

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
