#include "geometry/four_frames.hpp"

#include "core/four_numbers.hpp"

#include <cmath>

namespace carom::detail {
namespace {

struct Space {
    Four x, y, z;
};

[[gnu::always_inline]] inline Four size_of(Four a)
{
    return a < 0.0 ? -a : a;
}

[[gnu::always_inline]] inline Four component(const std::array<Axes*, 4>& axes, Eigen::Index i)
{
    return Four{(*axes[0])[0][i], (*axes[1])[0][i], (*axes[2])[0][i], (*axes[3])[0][i]};
}

[[gnu::always_inline]] inline void keep(const Space& a, std::size_t which, const std::array<Axes*, 4>& axes)
{
    for (int k = 0; k < 4; ++k)
        (*axes[static_cast<std::size_t>(k)])[which] = Vec3(a.x[k], a.y[k], a.z[k]);
}

[[gnu::always_inline]] inline void set(const std::array<Axes*, 4>& axes)
{
    const Space n{component(axes, 0), component(axes, 1), component(axes, 2)};
    const Four zero{}, one = zero + 1.0;
    const auto in_plane = n.z == 0.0;

    // the axis that n has least of, made normal to it
    const Four x_size = size_of(n.x), y_size = size_of(n.y), z_size = size_of(n.z);
    const auto x = (x_size <= y_size) & (x_size <= z_size), y = ~x & (y_size <= z_size);
    const Four along = x ? n.x : y ? n.y : n.z;
    Space t1{(x ? one : zero) - along * n.x, (y ? one : zero) - along * n.y,
             ((x | y) ? zero : one) - along * n.z};
    const Four length2 = in_plane ? one : t1.x * t1.x + t1.y * t1.y + t1.z * t1.z;
    const Four length{std::sqrt(length2[0]), std::sqrt(length2[1]), std::sqrt(length2[2]),
                      std::sqrt(length2[3])};
    t1 = {in_plane ? -n.y : t1.x / length, in_plane ? n.x : t1.y / length, in_plane ? zero : t1.z / length};
    keep(t1, 1, axes);
    keep({n.y * t1.z - n.z * t1.y, n.z * t1.x - n.x * t1.z, n.x * t1.y - n.y * t1.x}, 2, axes);
}

CAROM_WIDE void set_wide(const std::array<Axes*, 4>& axes)
{
    set(axes);
}

}  // namespace

void set_tangents(const std::array<Axes*, 4>& axes) noexcept
{
    if (has_wide_registers())
        set_wide(axes);
    else
        set(axes);
}

}  // namespace carom::detail
