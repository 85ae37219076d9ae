#pragma once

#include "geometry/contact_points.hpp"

namespace carom::detail {

/// Contact points of two rounded hulls (BO-5), (BO-6).
void hull_contact_points(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
                         std::vector<ContactPoint>& points);

/// The vertex that is lowest along an axis. Of many by going down from `start`, which reaches the lowest
/// because the hull is convex.
[[nodiscard]] int lowest_vertex(const PlacedCollider& hull, const Vec3& axis, int start);

/// A corner of the facing part of a shape, as the sides of a face leave it.
struct Corner {
    Vec3 point;
    std::uint64_t tag;   ///< a vertex of the face, or a side of it and the side of the other face that cut it
    unsigned sides = 0;  ///< which of the first 32 sides of the other face have cut it
};

/// Corners of the face of `hull` that looks against the axis and holds its extreme vertex; of a hull without
/// faces, all vertices.
[[nodiscard]] std::vector<Corner> facing_corners(const PlacedCollider& hull, const Vec3& axis,
                                                 double tolerance);

/// The part of the polygon where normal . (x - origin) <= tolerance.
void cut(const Vec3& normal, const Vec3& origin, double tolerance, std::uint64_t side,
         std::vector<Corner>& corners);

/// Nearest points of the segments p0 p1 and q0 q1, as parameters in [0, 1].
struct SegmentPair {
    double s = 0, t = 0;
};
[[nodiscard]] SegmentPair nearest_on_segments(const Vec3& p0, const Vec3& p1, const Vec3& q0, const Vec3& q1);

/// A contact from the nearest points of the unrounded hulls, n from b to a.
[[nodiscard]] ContactPoint rounded_point(const Vec3& on_a, const Vec3& on_b, const Vec3& n, double radius_a,
                                         double radius_b, std::uint64_t feature);

}  // namespace carom::detail
