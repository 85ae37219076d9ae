#include "geometry/ball_pairs.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Cells per ball at most: a scene that is spread out gets wider ones.
constexpr double max_cells_per_ball = 8;

/// By how much balls are larger whose neighbours are kept, as a part of their radii.
constexpr double margin = 0.1;

/// Searches without neighbours that are kept, where balls are fast.
constexpr int searches_between = 16;

/// Balls that one thread takes at once.
constexpr std::size_t balls_in_block = 256;

/// Classes of sizes at most: what is smaller is in the last one.
constexpr std::size_t max_classes = 24;

}  // namespace

void BallPairs::find(std::span<const Vec3> centres, std::span<const double> radii)
{
    if (keeps_near_ && still_hold(centres, radii)) {
        lost_ = 0;
        return take_from_near(centres, radii);
    }
    lost_ = keeps_near_ ? lost_ + 1 : lost_;
    keeps_near_ = false;

    // balls that are fast leave any margin in a step or two: those are asked again now and then
    if (lost_ >= 2 && ++waited_ < searches_between) return find_all(centres, radii);
    waited_ = 0;
    enlarge(centres, radii);
    find_all(near_centres_, near_radii_);
    near_begin_.swap(begin_);
    near_.swap(others_);
    keeps_near_ = true;
    take_from_near(centres, radii);
}

/// Whether every ball is inside the one that its neighbours were found with.
bool BallPairs::still_hold(std::span<const Vec3> centres, std::span<const double> radii) const
{
    if (centres.size() != near_centres_.size()) return false;
    for (std::size_t i = 0; i < centres.size(); ++i) {
        if ((radii[i] < 0) != (near_radii_[i] < 0)) return false;
        if (radii[i] < 0) continue;
        const double room = near_radii_[i] - radii[i];
        if (!(room >= 0 && (centres[i] - near_centres_[i]).squaredNorm() <= room * room)) return false;
    }
    return true;
}

void BallPairs::enlarge(std::span<const Vec3> centres, std::span<const double> radii)
{
    near_centres_.assign(centres.begin(), centres.end());
    near_radii_.resize(radii.size());
    for (std::size_t i = 0; i < radii.size(); ++i) {
        near_radii_[i] = radii[i] < 0 ? radii[i] : (1 + margin) * radii[i];
    }
}

/// Of the neighbours those that overlap: a ball overlaps no other, since the larger ones hold them all.
void BallPairs::take_from_near(std::span<const Vec3> centres, std::span<const double> radii)
{
    make_lists(centres.size(), [&](std::size_t i, std::vector<int>& list) {
        for (std::size_t k = near_begin_[i]; k < near_begin_[i + 1]; ++k) {
            const auto j = static_cast<std::size_t>(near_[k]);
            const double reach = radii[i] + radii[j];
            if ((centres[j] - centres[i]).squaredNorm() <= reach * reach) list.push_back(near_[k]);
        }
    });
}

/// add(i, list) for every ball. Lengths of the lists first, each behind its ball; then where they begin.
template <class F>
void BallPairs::make_lists(std::size_t balls, F add)
{
    begin_.resize(balls + 1);
    begin_[0] = 0;
    others_.clear();
    append_shared_blocks(balls, balls_in_block, others_,
                         [&](std::size_t begin, std::size_t end, std::vector<int>& list) {
                             for (std::size_t i = begin; i < end; ++i) {
                                 const std::size_t first = list.size();
                                 add(i, list);
                                 begin_[i + 1] = list.size() - first;
                             }
                         });
    gather_records(balls, balls_in_block, std::span(begin_).subspan(1));
    for (std::size_t i = 0; i < balls; ++i) {
        begin_[i + 1] += begin_[i];
    }
}

void BallPairs::find_all(std::span<const Vec3> centres, std::span<const double> radii)
{
    sort_by_size(radii);
    grids_.resize(std::max(grids_.size(), used_));
    for (std::size_t c = 0; c < used_; ++c) {
        grids_[c].fill(centres, radii, classes_[c]);
    }
    if (used_ == 1)
        lists_of_one_class(centres, radii);
    else
        lists_of_all_classes(centres, radii);
}

void BallPairs::sort_by_size(std::span<const double> radii)
{
    double largest = -1;
    for (const double radius : radii) {
        largest = std::max(largest, radius);
    }
    std::array<double, max_classes> floor{};  // radii of a class are above it
    for (std::size_t c = 0; c < max_classes; ++c) {
        floor[c] = std::ldexp(largest, -static_cast<int>(c) - 1);
    }
    classes_.resize(max_classes);
    for (auto& members : classes_) {
        members.clear();
    }
    for (std::size_t i = 0; i < radii.size(); ++i) {
        if (radii[i] < 0) continue;
        std::size_t c = 0;
        while (c + 1 < max_classes && radii[i] <= floor[c]) {
            ++c;
        }
        classes_[c].push_back(static_cast<int>(i));
    }

    // those that have members come first; memory is kept
    used_ = 0;
    for (auto& members : classes_) {
        if (!members.empty()) std::swap(members, classes_[used_++]);
    }
}

void BallPairs::lists_of_one_class(std::span<const Vec3> centres, std::span<const double> radii)
{
    make_lists(centres.size(), [&](std::size_t i, std::vector<int>& list) {
        if (radii[i] < 0) return;
        const auto first = static_cast<std::ptrdiff_t>(list.size());
        grids_.front().around(centres[i], radii[i], static_cast<int>(i), [&](int j) { list.push_back(j); });
        std::sort(list.begin() + first, list.end());
    });
}

void BallPairs::lists_of_all_classes(std::span<const Vec3> centres, std::span<const double> radii)
{
    // every ball looks for equals and for larger ones
    pairs_.clear();
    for (std::size_t c = 0; c < used_; ++c) {
        for (const int i : classes_[c]) {
            const auto k = static_cast<std::size_t>(i);
            grids_[c].around(centres[k], radii[k], i, [&](int j) { pairs_.push_back({i, j}); });
            for (std::size_t larger = 0; larger < c; ++larger) {
                grids_[larger].around(centres[k], radii[k], -1,
                                      [&](int j) { pairs_.push_back({std::min(i, j), std::max(i, j)}); });
            }
        }
    }

    // lists per ball, by counting: ends first; filling makes beginnings of them
    begin_.assign(centres.size() + 1, 0);
    for (const auto& [i, j] : pairs_) {
        ++begin_[static_cast<std::size_t>(i)];
    }
    std::size_t sum = 0;
    for (std::size_t& count : begin_) {
        sum += count;
        count = sum;
    }
    others_.resize(pairs_.size());
    for (const auto& [i, j] : pairs_) {
        others_[--begin_[static_cast<std::size_t>(i)]] = j;
    }
    for (std::size_t i = 0; i < centres.size(); ++i) {
        std::sort(others_.begin() + static_cast<std::ptrdiff_t>(begin_[i]),
                  others_.begin() + static_cast<std::ptrdiff_t>(begin_[i + 1]));
    }
}

/// Origin, width and numbers of the cells.
void BallPairs::Grid::lay(std::span<const Vec3> centres, std::span<const double> radii,
                          std::span<const int> members)
{
    Vec3 low = centres[static_cast<std::size_t>(members.front())], high = low;
    double largest = 0;
    for (const int i : members) {
        const auto k = static_cast<std::size_t>(i);
        low = low.cwiseMin(centres[k]);
        high = high.cwiseMax(centres[k]);
        largest = std::max(largest, radii[k]);
    }
    origin_ = low;
    cell_m_ = largest > 0 ? 2 * largest : 1;
    const Vec3 size = high - low;
    const auto numbers = [&] { return Vec3((size / cell_m_).array().floor() + 1); };
    while (numbers().prod() > max_cells_per_ball * static_cast<double>(members.size()) + 1) {
        cell_m_ *= 1.25;
    }
    const Vec3 n = numbers();
    cells_ = {static_cast<int>(n.x()), static_cast<int>(n.y()), static_cast<int>(n.z())};
}

/// The cell of a centre, or the nearest one.
std::array<int, 3> BallPairs::Grid::cell_of(const Vec3& centre) const noexcept
{
    std::array<int, 3> cell;
    for (int k = 0; k < 3; ++k) {
        const double at = (centre[k] - origin_[k]) / cell_m_, last = cells_[static_cast<std::size_t>(k)] - 1;
        cell[static_cast<std::size_t>(k)] = at > 0 ? static_cast<int>(std::min(at, last)) : 0;
    }
    return cell;
}

/// Balls by cells, by counting; within a cell in their own order.
void BallPairs::Grid::fill(std::span<const Vec3> centres, std::span<const double> radii,
                           std::span<const int> members)
{
    lay(centres, radii, members);
    const auto total = static_cast<std::size_t>(cells_[0]) * static_cast<std::size_t>(cells_[1]) *
                       static_cast<std::size_t>(cells_[2]);
    cell_begin_.assign(total + 1, 0);
    cell_of_.resize(members.size());
    for (std::size_t m = 0; m < members.size(); ++m) {
        const auto [x, y, z] = cell_of(centres[static_cast<std::size_t>(members[m])]);
        cell_of_[m] = (x * cells_[1] + y) * cells_[2] + z;
        ++cell_begin_[static_cast<std::size_t>(cell_of_[m])];
    }

    // ends of the cells; filling from the last ball on makes beginnings of them
    int sum = 0;
    for (int& count : cell_begin_) {
        sum += count;
        count = sum;
    }
    balls_.resize(members.size());
    for (std::size_t m = members.size(); m-- > 0;) {
        const auto i = static_cast<std::size_t>(members[m]);
        const int place = --cell_begin_[static_cast<std::size_t>(cell_of_[m])];
        balls_[static_cast<std::size_t>(place)] = {centres[i], radii[i], members[m]};
    }
}

/// From the cell of the centre and those around. Cells along z follow each other. Whoever asks is not larger
/// than the class: what overlaps is at most one cell away.
template <class Visit>
void BallPairs::Grid::around(const Vec3& centre, double radius, int after, Visit visit) const
{
    const auto [x, y, z] = cell_of(centre);
    const int low = std::max(z - 1, 0), high = std::min(z + 1, cells_[2] - 1);
    for (int near_x = std::max(x - 1, 0); near_x <= std::min(x + 1, cells_[0] - 1); ++near_x) {
        for (int near_y = std::max(y - 1, 0); near_y <= std::min(y + 1, cells_[1] - 1); ++near_y) {
            const auto row = static_cast<std::size_t>((near_x * cells_[1] + near_y) * cells_[2]);
            const int end = cell_begin_[row + static_cast<std::size_t>(high) + 1];
            for (int k = cell_begin_[row + static_cast<std::size_t>(low)]; k < end; ++k) {
                const Ball& other = balls_[static_cast<std::size_t>(k)];
                const double reach = radius + other.radius;
                if (other.index > after && (other.centre - centre).squaredNorm() <= reach * reach) {
                    visit(other.index);
                }
            }
        }
    }
}

}  // namespace carom
