#include "carom/geometry/shape.hpp"

#include <cmath>

namespace carom {

Rotation rotation_by(const Vec3& angle) noexcept
{
    const double half = 0.5 * angle.norm();
    // sin(x) / x is 1 - x^2 / 6 to roundoff below 1e-4
    const double factor = half < 1e-4 ? 0.5 * (1 - half * half / 6) : 0.5 * std::sin(half) / half;
    return Rotation(std::cos(half), factor * angle.x(), factor * angle.y(), factor * angle.z()).normalized();
}

Vec3 rotation_vector(const Rotation& R) noexcept
{
    const double sign = R.w() < 0 ? -1 : 1;
    const Vec3 v = sign * R.vec();
    const double sine = v.norm();
    if (sine < 1e-300) return Vec3::Zero();
    return 2 * std::atan2(sine, sign * R.w()) / sine * v;
}

Rotation turned(const Rotation& R, const Vec3& angle_in_body) noexcept
{
    return (R * rotation_by(angle_in_body)).normalized();
}

void tangents(const Vec3& n, Vec3& t1, Vec3& t2) noexcept
{
    // in the plane z = 0 the tangent stays there: n turned by a quarter
    if (n.z() == 0) {
        t1 = Vec3(-n.y(), n.x(), 0);
    } else {
        // the axis that n has least of, made normal to it: at least sqrt(2/3) of it remains; written without
        // branches, which would not be foreseen
        const Vec3 size = n.cwiseAbs();
        const bool x = size.x() <= size.y() && size.x() <= size.z(), y = !x && size.y() <= size.z();
        const double along = x ? n.x() : y ? n.y() : n.z();
        const Vec3 axis(x ? 1.0 : 0.0, y ? 1.0 : 0.0, x || y ? 0.0 : 1.0);
        t1 = axis - along * n;
        t1 /= std::sqrt(t1.squaredNorm());
    }
    t2 = n.cross(t1);
}

}  // namespace carom
