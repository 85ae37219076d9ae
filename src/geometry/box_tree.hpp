#pragma once

#include "carom/geometry/shape.hpp"

#include <span>
#include <vector>

namespace carom {

/// Boxes along the axes, halved again and again along the longest side of what they fill, so that a query
/// looks at few of them. The same boxes give the same tree.
class BoxTree {
public:
    struct Box {
        Vec3 low, high;
    };

    /// Finite boxes; memory is linear in them and kept from call to call.
    void build(std::span<const Box> boxes);

    /// Appends the numbers of the boxes that overlap low .. high, in the order of the tree.
    void find(const Vec3& low, const Vec3& high, std::vector<int>& found) const;

    [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
    /// Of all boxes together.
    [[nodiscard]] Box bounds() const { return {nodes_.front().low, nodes_.front().high}; }

private:
    struct Node {
        Vec3 low, high;
        int first = 0, count = 0;  ///< of a leaf: where its boxes are in the order; count 0: not a leaf
        int right = -1;            ///< the left child follows its parent
    };
    void split(std::span<const Box> boxes, int first, int count);

    std::vector<Node> nodes_;
    std::vector<int> order_;
    std::vector<Box> sorted_;  ///< the boxes in the order of the leaves
    std::vector<Vec3> centres_;
};

}  // namespace carom
