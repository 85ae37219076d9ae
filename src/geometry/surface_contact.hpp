#pragma once

#include "geometry/contact_points.hpp"

namespace carom::detail {

/// Contact points of two convex shapes: hulls, rounded or not, and cylinders.
void convex_contact_points(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
                           std::vector<ContactPoint>& points);

/// Contact points of a convex shape with a surface of triangles (BO-16).
void surface_contact_points(const PlacedCollider& a, const PlacedCollider& surface, double reach_m,
                            std::vector<ContactPoint>& points);

/// Of points from number `from` on that lie within `tolerance` of each other and push the same way only the
/// first is kept.
void join_points(double tolerance, std::size_t from, std::vector<ContactPoint>& points);

}  // namespace carom::detail
