#pragma once

#include "branch_walk.hpp"

namespace carom::detail {

/// Special points between two nodes that are `step` apart, located (OR-14).
void add_special_points(BranchWalk& walk, const BranchNode& a, const BranchNode& b, double step,
                        Branch& branch);

/// Why a branch does not go on: a gap that grazes, a contact that is lost, stick that is born, else the words
/// of Newton's method. The point is located from this side and added.
[[nodiscard]] std::string end_of_branch(BranchWalk& walk, const BranchNode& node, Branch& branch);

}  // namespace carom::detail
