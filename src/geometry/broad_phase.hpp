#pragma once

#include "geometry/box_tree.hpp"

#include <array>
#include <span>
#include <vector>

namespace carom {

/// Which of many boxes along the axes overlap: the pairs that contact detection has to look at.

struct AxisBox {
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();
    bool moves = true;  ///< two boxes that do not move are no pair
};

/// How pairs are looked for; the pairs are the same.
enum class BroadPhaseKind {
    Auto,  ///< the grid, unless more than one box in sixteen is too large for it
    Grid,
    Tree,
};

/// A uniform grid with cells as large as the largest of the ordinary boxes; boxes more than four times as
/// large as the middle one are in a tree where they are many; infinite ones are looked at one by one. Or a
/// tree of boxes, which does not mind their sizes. Memory is linear in the boxes.
class BroadPhase {
public:
    BroadPhaseKind kind = BroadPhaseKind::Auto;

    /// All pairs i < j that overlap, sorted. The same boxes give the same pairs, whatever was asked before.
    void find_pairs(std::span<const AxisBox> boxes, std::vector<std::array<int, 2>>& pairs);

private:
    void sort_by_size(std::span<const AxisBox> boxes);
    void pairs_of_tree(std::span<const AxisBox> boxes, std::vector<std::array<int, 2>>& pairs);
    void pairs_of_large(std::span<const AxisBox> boxes, std::vector<std::array<int, 2>>& pairs);
    void sort_into_cells(std::span<const AxisBox> boxes);
    void pairs_of_cells(std::span<const AxisBox> boxes, std::vector<std::array<int, 2>>& pairs) const;
    void pairs_of_entries(std::span<const AxisBox> boxes, std::size_t first, std::size_t last,
                          std::vector<std::array<int, 2>>& pairs) const;
    [[nodiscard]] std::array<long, 3> cell_of(const AxisBox& box) const;

    struct Entry {
        std::array<long, 3> cell;
        int box;
    };

    double cell_m_ = 1;
    Vec3 origin_ = Vec3::Zero();
    std::vector<int> ordinary_, large_;
    std::vector<double> sizes_;
    std::vector<Entry> entries_;
    BoxTree tree_;
    std::vector<BoxTree::Box> tree_boxes_;
    std::vector<int> found_;
};

}  // namespace carom
