#pragma once

#include "geometry/contact_points.hpp"

#include <array>
#include <limits>
#include <vector>

namespace carom::detail {

/// Axes that keep two hulls apart (BO-5): normals of faces, and of pairs of edges.

/// The best axis of a kind (BO-5). The hulls are apart by `separation` along it, or overlap.
struct HullAxis {
    double separation = -std::numeric_limits<double>::infinity();
    Vec3 normal = Vec3::UnitZ();  ///< from the first hull to the second
    int face = -1;
    int edge_a = -1, edge_b = -1;
};

/// How far some points reach along an axis.
struct Extremes {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};
[[nodiscard]] Extremes extremes_along(const Vec3& axis, const std::vector<Vec3>& points);

/// Of hulls with more corners the lowest one is found by climbing.
inline constexpr std::size_t few_vertices = 32;

/// The vertex that is lowest along an axis. Of many by going down from `start`, which reaches the lowest
/// because the hull is convex.
[[nodiscard]] int lowest_vertex(const PlacedCollider& hull, const Vec3& axis, int start);

/// The face of `a` from which `b` is farthest, of equal ones the first; any that is farther away than `far`.
[[nodiscard]] HullAxis best_face(const PlacedCollider& a, const PlacedCollider& b, double far);

/// What the faces know when edges are looked at. A pair of edges counts if the hulls are farther apart along
/// its normal than along that of any face; along the normals of an edge they are not farther apart than the
/// edge is from any corner of the other hull.
struct FoundByFaces {
    double separation =
        -std::numeric_limits<double>::infinity();   ///< of the better face, less what rounding may do
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();  ///< corners that look at the other hull
};

/// Whether the box of an edge comes within `grown` of the box of the other hull.
[[nodiscard]] bool comes_near(const PlacedCollider& hull, const std::array<int, 2>& edge,
                              const PlacedCollider& other, double grown);

/// The normal of two edges along which the hulls are farthest apart, among those edges that lie within
/// `grown` of the other hull; less than what faces have found does not count. Only pairs whose arcs of
/// normals cross are a face of the difference of the hulls.
[[nodiscard]] HullAxis best_edges(const PlacedCollider& a, const PlacedCollider& b, double grown,
                                  const FoundByFaces& found);

}  // namespace carom::detail
