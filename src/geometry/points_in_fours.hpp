#pragma once

#include "carom/geometry/shape.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace carom::detail {

/// Corners or normals of a hull in fours, component by component: what is asked of all of them is asked of
/// four at once. Products with them are those of Vec3::dot, bit for bit. The last four are filled up with
/// their last one.
class PointsInFours {
public:
    static constexpr std::size_t at_once = 4;

    void assign(std::span<const Vec3> points);

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The same, up to full fours: what lists of a number for each have room for.
    [[nodiscard]] std::size_t room() const noexcept { return numbers_.size() / 3; }

    /// The smallest axis . x.
    [[nodiscard]] double lowest(const Vec3& axis) const noexcept;

    /// The first point that has it; `start`, one of them, where it is as low. Up to `max_sought` points.
    [[nodiscard]] int lowest_point(const Vec3& axis, int start) const noexcept;
    static constexpr std::size_t max_sought = 64;

    /// to[i] = axis . x_i - offsets[i].
    void heights(const Vec3& axis, std::span<const double> offsets, std::span<double> to) const noexcept;

    /// The same where it is less than what is there; returns the largest of all that are there then.
    [[nodiscard]] double lower_bounds(const Vec3& axis, std::span<const double> offsets,
                                      std::span<double> bounds) const noexcept;

    /// Of each point the sides of a box that it is outside of, a bit for each. Points with a bit in common
    /// are outside of the same side; one without bits is in the box.
    void sides_outside(const Vec3& low, const Vec3& high, std::span<std::uint8_t> sides) const noexcept;

private:
    std::vector<double> numbers_;  ///< x x x x y y y y z z z z, and so on
    std::size_t size_ = 0;
};

}  // namespace carom::detail
