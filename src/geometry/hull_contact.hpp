#pragma once

#include "geometry/hull_axes.hpp"
#include "geometry/hull_clipping.hpp"

namespace carom::detail {

/// Contact points of two rounded hulls (BO-5), (BO-6).
void hull_contact_points(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
                         std::vector<ContactPoint>& points);

/// Nearest points of the segments p0 p1 and q0 q1, as parameters in [0, 1].
struct SegmentPair {
    double s = 0, t = 0;
};
[[nodiscard]] SegmentPair nearest_on_segments(const Vec3& p0, const Vec3& p1, const Vec3& q0, const Vec3& q1);

/// A contact from the nearest points of the unrounded hulls, n from b to a.
[[nodiscard]] ContactPoint rounded_point(const Vec3& on_a, const Vec3& on_b, const Vec3& n, double radius_a,
                                         double radius_b, std::uint64_t feature);

}  // namespace carom::detail
