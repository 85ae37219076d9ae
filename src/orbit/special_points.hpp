#pragma once

#include "branch_walk.hpp"

namespace carom::detail {

/// Special points between two nodes that are `step` apart, located (OR-14); the second is turned to lead away
/// from them. False: their events differ, and nothing that vanishes between them tells why.
[[nodiscard]] bool add_special_points(BranchWalk& walk, const BranchNode& a, BranchNode& b, double step,
                                      Branch& branch);

}  // namespace carom::detail
