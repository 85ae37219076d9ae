#include "points_in_fours.hpp"

#include "core/four_numbers.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace carom::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t numbers_of_four = 12;

/// axis . x in the order of Vec3::dot.
[[gnu::always_inline]] inline Four product(const double* four, const Vec3& axis)
{
    return load_four(four) * axis.x() + load_four(four + 4) * axis.y() + load_four(four + 8) * axis.z();
}

[[gnu::always_inline]] inline Four smaller(Four a, Four than)
{
    return a < than ? a : than;
}

[[gnu::always_inline]] inline Four larger(Four a, Four than)
{
    return a > than ? a : than;
}

[[gnu::always_inline]] inline double smallest(Four a)
{
    return std::min(std::min(a[0], a[1]), std::min(a[2], a[3]));
}

/// What is asked of all points; `wide` versions are the same for wider registers.
struct Kernel {
    /// With room for the products in `to`, unless that is null.
    [[gnu::always_inline]] static inline double lowest(std::span<const double> numbers, const Vec3& axis,
                                                       double* to)
    {
        Four low = Four{} + infinity;
        for (std::size_t k = 0; k < numbers.size(); k += numbers_of_four) {
            const Four at = product(numbers.data() + k, axis);
            if (to != nullptr) store_four(at, to + k / 3);
            low = smaller(at, low);
        }
        return smallest(low);
    }

    [[gnu::always_inline]] static inline void heights(std::span<const double> numbers, const Vec3& axis,
                                                      const double* offsets, double* to)
    {
        for (std::size_t k = 0; k < numbers.size(); k += numbers_of_four) {
            store_four(product(numbers.data() + k, axis) - load_four(offsets + k / 3), to + k / 3);
        }
    }

    [[gnu::always_inline]] static inline double
    lower_bounds(std::span<const double> numbers, const Vec3& axis, const double* offsets, double* bounds)
    {
        Four largest = Four{} - infinity;
        for (std::size_t k = 0; k < numbers.size(); k += numbers_of_four) {
            const Four at = product(numbers.data() + k, axis) - load_four(offsets + k / 3);
            const Four bound = smaller(at, load_four(bounds + k / 3));
            store_four(bound, bounds + k / 3);
            largest = larger(bound, largest);
        }
        return -smallest(-largest);
    }

    [[gnu::always_inline]] static inline void sides_outside(std::span<const double> numbers, const Vec3& low,
                                                            const Vec3& high, std::uint8_t* sides)
    {
        using Bits = decltype(Four{} < Four{});
        for (std::size_t k = 0; k < numbers.size(); k += numbers_of_four) {
            Bits bits{};
            for (int i = 0; i < 3; ++i) {
                const Four x = load_four(numbers.data() + k + 4 * static_cast<std::size_t>(i));
                bits |= (x < Four{} + low[i]) & (Bits{} + (1 << (2 * i)));
                bits |= (x > Four{} + high[i]) & (Bits{} + (2 << (2 * i)));
            }
            for (int lane = 0; lane < 4; ++lane) {
                sides[k / 3 + static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>(bits[lane]);
            }
        }
    }

    CAROM_WIDE static double lowest_wide(std::span<const double> numbers, const Vec3& axis, double* to)
    {
        return lowest(numbers, axis, to);
    }
    CAROM_WIDE static void heights_wide(std::span<const double> numbers, const Vec3& axis,
                                        const double* offsets, double* to)
    {
        heights(numbers, axis, offsets, to);
    }
    CAROM_WIDE static double lower_bounds_wide(std::span<const double> numbers, const Vec3& axis,
                                               const double* offsets, double* bounds)
    {
        return lower_bounds(numbers, axis, offsets, bounds);
    }
    CAROM_WIDE static void sides_outside_wide(std::span<const double> numbers, const Vec3& low,
                                              const Vec3& high, std::uint8_t* sides)
    {
        sides_outside(numbers, low, high, sides);
    }
};

double lowest_of(std::span<const double> numbers, const Vec3& axis, double* to) noexcept
{
    return has_wide_registers() ? Kernel::lowest_wide(numbers, axis, to) : Kernel::lowest(numbers, axis, to);
}

}  // namespace

void PointsInFours::assign(std::span<const Vec3> points)
{
    size_ = points.size();
    numbers_.resize((size_ + at_once - 1) / at_once * numbers_of_four);
    double* to = numbers_.data();
    for (std::size_t first = 0; first < size_; first += at_once, to += numbers_of_four) {
        for (std::size_t lane = 0; lane < at_once; ++lane) {
            const Vec3& x = points[std::min(first + lane, size_ - 1)];
            to[lane] = x.x();
            to[4 + lane] = x.y();
            to[8 + lane] = x.z();
        }
    }
}

double PointsInFours::lowest(const Vec3& axis) const noexcept
{
    return lowest_of(numbers_, axis, nullptr);
}

int PointsInFours::lowest_point(const Vec3& axis, int start) const noexcept
{
    std::array<double, max_sought> at;
    const double low = lowest_of(numbers_, axis, at.data());
    // written this way for what is not a number: nothing is lower
    if (!(low < at[static_cast<std::size_t>(start)])) return start;
    return static_cast<int>(std::find(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(size_), low) -
                            at.begin());
}

void PointsInFours::heights(const Vec3& axis, std::span<const double> offsets,
                            std::span<double> to) const noexcept
{
    if (has_wide_registers())
        Kernel::heights_wide(numbers_, axis, offsets.data(), to.data());
    else
        Kernel::heights(numbers_, axis, offsets.data(), to.data());
}

double PointsInFours::lower_bounds(const Vec3& axis, std::span<const double> offsets,
                                   std::span<double> bounds) const noexcept
{
    return has_wide_registers() ? Kernel::lower_bounds_wide(numbers_, axis, offsets.data(), bounds.data())
                                : Kernel::lower_bounds(numbers_, axis, offsets.data(), bounds.data());
}

void PointsInFours::sides_outside(const Vec3& low, const Vec3& high,
                                  std::span<std::uint8_t> sides) const noexcept
{
    if (has_wide_registers())
        Kernel::sides_outside_wide(numbers_, low, high, sides.data());
    else
        Kernel::sides_outside(numbers_, low, high, sides.data());
}

}  // namespace carom::detail
