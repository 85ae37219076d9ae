#include "geometry/ball_pairs.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Cells per ball at most: a scene that is spread out gets wider ones.
constexpr double max_cells = 8;

}  // namespace

void BallPairs::find(std::span<const Vec3> centres, std::span<const double> radii)
{
    lay_grid(centres, radii);
    sort_into_cells(centres, radii);
    begin_.resize(centres.size() + 1);
    others_.clear();
    for (std::size_t i = 0; i < centres.size(); ++i) {
        begin_[i] = others_.size();
        if (radii[i] >= 0) collect(centres[i], radii[i], static_cast<int>(i));
    }
    begin_[centres.size()] = others_.size();
}

/// Origin, width and numbers of the cells.
void BallPairs::lay_grid(std::span<const Vec3> centres, std::span<const double> radii)
{
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();
    double largest = 0, count = 0;
    for (std::size_t i = 0; i < centres.size(); ++i) {
        if (radii[i] < 0) continue;
        low = count == 0 ? centres[i] : low.cwiseMin(centres[i]);
        high = count == 0 ? centres[i] : high.cwiseMax(centres[i]);
        largest = std::max(largest, radii[i]);
        ++count;
    }
    origin_ = low;
    cell_m_ = largest > 0 ? 2 * largest : 1;
    const Vec3 size = high - low;
    const auto numbers = [&] { return Vec3((size / cell_m_).array().floor() + 1); };
    while (numbers().prod() > max_cells * count + 1) {
        cell_m_ *= 1.25;
    }
    const Vec3 n = numbers();
    cells_ = {static_cast<int>(n.x()), static_cast<int>(n.y()), static_cast<int>(n.z())};
}

std::array<int, 3> BallPairs::cell_of(const Vec3& centre) const noexcept
{
    std::array<int, 3> cell;
    for (int k = 0; k < 3; ++k) {
        const double at = (centre[k] - origin_[k]) / cell_m_, last = cells_[static_cast<std::size_t>(k)] - 1;
        cell[static_cast<std::size_t>(k)] = at > 0 ? static_cast<int>(std::min(at, last)) : 0;
    }
    return cell;
}

/// Balls by cells, by counting; within a cell in their own order.
void BallPairs::sort_into_cells(std::span<const Vec3> centres, std::span<const double> radii)
{
    const auto total = static_cast<std::size_t>(cells_[0]) * static_cast<std::size_t>(cells_[1]) *
                       static_cast<std::size_t>(cells_[2]);
    cell_begin_.assign(total + 1, 0);
    cell_of_.resize(centres.size());
    for (std::size_t i = 0; i < centres.size(); ++i) {
        if (radii[i] < 0) continue;
        const auto [x, y, z] = cell_of(centres[i]);
        cell_of_[i] = (x * cells_[1] + y) * cells_[2] + z;
        ++cell_begin_[static_cast<std::size_t>(cell_of_[i])];
    }

    // ends of the cells; filling from the last ball on makes beginnings of them
    int sum = 0;
    for (int& count : cell_begin_) {
        sum += count;
        count = sum;
    }
    balls_.resize(static_cast<std::size_t>(sum));
    for (std::size_t i = centres.size(); i-- > 0;) {
        if (radii[i] < 0) continue;
        const int place = --cell_begin_[static_cast<std::size_t>(cell_of_[i])];
        balls_[static_cast<std::size_t>(place)] = {centres[i], radii[i], static_cast<int>(i)};
    }
}

/// The list of one ball, from its cell and those around. Cells along z follow each other.
void BallPairs::collect(const Vec3& centre, double radius, int i)
{
    const std::size_t first = others_.size();
    const auto [x, y, z] = cell_of(centre);
    const int low = std::max(z - 1, 0), high = std::min(z + 1, cells_[2] - 1);
    for (int near_x = std::max(x - 1, 0); near_x <= std::min(x + 1, cells_[0] - 1); ++near_x) {
        for (int near_y = std::max(y - 1, 0); near_y <= std::min(y + 1, cells_[1] - 1); ++near_y) {
            const auto row = static_cast<std::size_t>((near_x * cells_[1] + near_y) * cells_[2]);
            const int end = cell_begin_[row + static_cast<std::size_t>(high) + 1];
            for (int k = cell_begin_[row + static_cast<std::size_t>(low)]; k < end; ++k) {
                const Ball& other = balls_[static_cast<std::size_t>(k)];
                const double reach = radius + other.radius;
                if (other.index > i && (other.centre - centre).squaredNorm() <= reach * reach) {
                    others_.push_back(other.index);
                }
            }
        }
    }
    std::sort(others_.begin() + static_cast<std::ptrdiff_t>(first), others_.end());
}

}  // namespace carom
