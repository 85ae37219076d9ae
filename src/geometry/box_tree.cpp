#include "geometry/box_tree.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace carom {
namespace {

constexpr int leaf_size = 4;

bool overlap(const Vec3& low, const Vec3& high, const Vec3& other_low, const Vec3& other_high)
{
    return (low.array() <= other_high.array()).all() && (other_low.array() <= high.array()).all();
}

}  // namespace

void BoxTree::build(std::span<const Box> boxes)
{
    const int n = static_cast<int>(boxes.size());
    nodes_.clear();
    order_.resize(boxes.size());
    std::iota(order_.begin(), order_.end(), 0);
    centres_.clear();
    for (const Box& box : boxes) {
        centres_.emplace_back(0.5 * box.low + 0.5 * box.high);
    }
    if (n > 0) split(boxes, 0, n);
    sorted_.clear();
    for (const int i : order_) {
        sorted_.push_back(boxes[static_cast<std::size_t>(i)]);
    }
}

void BoxTree::split(std::span<const Box> boxes, int first, int count)
{
    Node node{
        .low = boxes[order_[first]].low, .high = boxes[order_[first]].high, .first = first, .count = count};
    Vec3 low = centres_[order_[first]], high = low;
    for (int k = first; k < first + count; ++k) {
        const Box& box = boxes[order_[k]];
        node.low = node.low.cwiseMin(box.low);
        node.high = node.high.cwiseMax(box.high);
        low = low.cwiseMin(centres_[order_[k]]);
        high = high.cwiseMax(centres_[order_[k]]);
    }
    const auto place = nodes_.size();
    nodes_.push_back(node);
    if (count <= leaf_size) return;

    // half of the centres on each side, equal ones by number: the depth is the logarithm whatever they are
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    const auto begin = order_.begin() + first;
    std::nth_element(begin, begin + count / 2, begin + count, [&](int i, int j) {
        const double x = centres_[i][axis], y = centres_[j][axis];
        return x != y ? x < y : i < j;
    });
    nodes_[place].count = 0;
    split(boxes, first, count / 2);
    nodes_[place].right = static_cast<int>(nodes_.size());
    split(boxes, first + count / 2, count - count / 2);
}

void BoxTree::find(const Vec3& low, const Vec3& high, std::vector<int>& found) const
{
    if (nodes_.empty()) return;
    // 2^31 boxes make a tree of depth 31; of each level one node waits
    std::array<int, 64> waiting{};
    int depth = 0;
    for (int at = 0;;) {
        const Node& node = nodes_[at];
        if (overlap(low, high, node.low, node.high)) {
            if (node.count == 0) {
                waiting[depth++] = node.right;
                ++at;
                continue;
            }
            for (int k = node.first; k < node.first + node.count; ++k) {
                if (overlap(low, high, sorted_[k].low, sorted_[k].high)) found.push_back(order_[k]);
            }
        }
        if (depth == 0) return;
        at = waiting[--depth];
    }
}

}  // namespace carom
