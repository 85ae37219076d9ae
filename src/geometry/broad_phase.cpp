#include "geometry/broad_phase.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace carom {
namespace {

/// Large boxes that are looked at one by one.
constexpr std::ptrdiff_t few_large = 8;

/// Boxes that one thread takes at once.
constexpr std::size_t entries_in_block = 256;

bool overlap(const AxisBox& a, const AxisBox& b)
{
    return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

/// Such a box is in no pair; so is one that is not a number.
bool is_empty(const AxisBox& box)
{
    return !(box.low.array() <= box.high.array()).all();
}

double size_of(const AxisBox& box)
{
    return (box.high - box.low).maxCoeff();
}

void add_pair(std::span<const AxisBox> boxes, int i, int j, std::vector<std::array<int, 2>>& pairs)
{
    if (!boxes[i].moves && !boxes[j].moves) return;
    if (overlap(boxes[i], boxes[j])) pairs.push_back({std::min(i, j), std::max(i, j)});
}

/// By their first boxes, counted, and then the few of each by their second.
void sort_pairs(std::size_t boxes, std::vector<std::array<int, 2>>& pairs)
{
    thread_local std::vector<std::size_t> end;
    thread_local std::vector<std::array<int, 2>> sorted;
    end.assign(boxes + 1, 0);
    for (const auto& pair : pairs) {
        ++end[static_cast<std::size_t>(pair[0]) + 1];
    }
    std::partial_sum(end.begin(), end.end(), end.begin());
    sorted.resize(pairs.size());
    for (const auto& pair : pairs) {
        sorted[end[static_cast<std::size_t>(pair[0])]++] = pair;
    }
    // each end is now where the pairs of the next box begin
    for (std::size_t box = 0, begin = 0; box < boxes; begin = end[box++]) {
        std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                  sorted.begin() + static_cast<std::ptrdiff_t>(end[box]));
    }
    pairs.swap(sorted);
}

}  // namespace

void BroadPhase::find_pairs(std::span<const AxisBox> boxes, std::vector<std::array<int, 2>>& pairs)
{
    pairs.clear();
    if (boxes.empty()) return;
    sort_by_size(boxes);
    const bool mixed = std::ssize(large_) > few_large && 16 * large_.size() > boxes.size();
    if (kind == BroadPhaseKind::Tree || (kind == BroadPhaseKind::Auto && mixed)) {
        pairs_of_tree(boxes, pairs);
    } else if (!ordinary_.empty()) {
        sort_into_cells(boxes);
        pairs_of_cells(boxes, pairs);
    }
    pairs_of_large(boxes, pairs);
    sort_pairs(boxes.size(), pairs);
}

void BroadPhase::sort_by_size(std::span<const AxisBox> boxes)
{
    ordinary_.clear();
    large_.clear();
    sizes_.clear();
    for (const AxisBox& box : boxes) {
        if (!is_empty(box)) sizes_.push_back(size_of(box));
    }
    if (sizes_.empty()) return;
    // what is ordinary: not more than four times the middle size; infinite boxes never are
    std::nth_element(sizes_.begin(), sizes_.begin() + static_cast<long>(sizes_.size() / 2), sizes_.end());
    const double limit = 4 * sizes_[sizes_.size() / 2];
    cell_m_ = 0;
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
        if (is_empty(boxes[i])) continue;
        const double size = size_of(boxes[i]);
        const bool fits = size <= limit && std::isfinite(size);
        (fits ? ordinary_ : large_).push_back(i);
        if (fits) cell_m_ = std::max(cell_m_, size);
    }
}

void BroadPhase::pairs_of_tree(std::span<const AxisBox> boxes, std::vector<std::array<int, 2>>& pairs)
{
    // all finite boxes are ordinary now
    ordinary_.clear();
    large_.clear();
    tree_boxes_.clear();
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
        if (is_empty(boxes[i])) continue;
        const bool finite = boxes[i].low.allFinite() && boxes[i].high.allFinite();
        (finite ? ordinary_ : large_).push_back(i);
        if (finite) tree_boxes_.push_back({boxes[i].low, boxes[i].high});
    }
    tree_.build(tree_boxes_);
    for (const int i : ordinary_) {
        found_.clear();
        tree_.find(boxes[i].low, boxes[i].high, found_);
        for (const int k : found_) {
            if (ordinary_[k] > i) add_pair(boxes, i, ordinary_[k], pairs);
        }
    }
}

/// Large boxes against all: finite ones by a tree of their own where they are many, the others one by one.
void BroadPhase::pairs_of_large(std::span<const AxisBox> boxes, std::vector<std::array<int, 2>>& pairs)
{
    const auto infinite = std::stable_partition(large_.begin(), large_.end(), [&](int i) {
        return boxes[i].low.allFinite() && boxes[i].high.allFinite();
    });
    const bool many = infinite - large_.begin() > few_large;
    const auto alone = many ? static_cast<std::size_t>(infinite - large_.begin()) : 0;
    for (std::size_t k = alone; k < large_.size(); ++k) {
        for (const int j : ordinary_) {
            add_pair(boxes, large_[k], j, pairs);
        }
        for (std::size_t l = 0; l < k; ++l) {
            add_pair(boxes, large_[k], large_[l], pairs);
        }
    }
    if (!many) return;
    tree_boxes_.clear();
    for (std::size_t k = 0; k < alone; ++k) {
        tree_boxes_.push_back({boxes[large_[k]].low, boxes[large_[k]].high});
    }
    tree_.build(tree_boxes_);
    const auto ask = [&](int i, int after) {
        found_.clear();
        tree_.find(boxes[i].low, boxes[i].high, found_);
        for (const int k : found_) {
            if (k > after) add_pair(boxes, i, large_[k], pairs);
        }
    };
    for (const int i : ordinary_) {
        ask(i, -1);
    }
    for (std::size_t k = 0; k < alone; ++k) {
        ask(large_[k], static_cast<int>(k));
    }
}

std::array<long, 3> BroadPhase::cell_of(const AxisBox& box) const
{
    const Vec3 at = (0.5 * (box.low + box.high) - origin_) / cell_m_;
    // far beyond any scene, where a long would overflow, all share the last cell
    const auto index = [](double x) { return static_cast<long>(std::floor(std::clamp(x, -1e15, 1e15))); };
    return {index(at.x()), index(at.y()), index(at.z())};
}

void BroadPhase::sort_into_cells(std::span<const AxisBox> boxes)
{
    // centres of overlapping boxes are at most one cell apart along each axis
    cell_m_ = cell_m_ > 0 ? cell_m_ : 1;
    origin_ = boxes[ordinary_.front()].low;
    entries_.clear();
    for (const int i : ordinary_) {
        entries_.push_back({cell_of(boxes[i]), i});
    }
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
        return a.cell != b.cell ? a.cell < b.cell : a.box < b.box;
    });
}

/// Boxes in a row ask: cells are sorted by x, then y, then z.
void BroadPhase::pairs_of_cells(std::span<const AxisBox> boxes, std::vector<std::array<int, 2>>& pairs) const
{
    append_shared_blocks(entries_.size(), entries_in_block, pairs,
                         [&](std::size_t begin, std::size_t end, std::vector<std::array<int, 2>>& list) {
                             pairs_of_entries(boxes, begin, end, list);
                         });
}

void BroadPhase::pairs_of_entries(std::span<const AxisBox> boxes, std::size_t first, std::size_t last,
                                  std::vector<std::array<int, 2>>& pairs) const
{
    // the neighbours (x', y', z - 1 .. z + 1) of a cell are one range, and the beginnings of the nine ranges
    // only move forward
    const auto low = [](const Entry& entry, std::size_t k) {
        return std::array<long, 3>{entry.cell[0] + static_cast<long>(k) / 3 - 1,
                                   entry.cell[1] + static_cast<long>(k) % 3 - 1, entry.cell[2] - 1};
    };
    std::array<std::size_t, 9> begin{};
    for (std::size_t k = 0; k < 9 && first > 0; ++k) {
        const auto found = std::ranges::lower_bound(entries_, low(entries_[first], k), {}, &Entry::cell);
        begin[k] = static_cast<std::size_t>(found - entries_.begin());
    }
    for (std::size_t one = first; one < last; ++one) {
        const Entry& entry = entries_[one];
        for (std::size_t k = 0; k < 9; ++k) {
            const std::array<long, 3> from = low(entry, k), to{from[0], from[1], entry.cell[2] + 1};
            while (begin[k] < entries_.size() && entries_[begin[k]].cell < from) {
                ++begin[k];
            }
            for (std::size_t e = begin[k]; e < entries_.size() && entries_[e].cell <= to; ++e) {
                if (entry.box < entries_[e].box) add_pair(boxes, entry.box, entries_[e].box, pairs);
            }
        }
    }
}

}  // namespace carom
