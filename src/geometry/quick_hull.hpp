#pragma once

#include "carom/geometry/shape.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace carom::detail {

/// A triangle of the surface of a convex hull, counter-clockwise seen from outside.
struct HullTriangle {
    std::array<int, 3> corners;     ///< in the list of points
    std::array<int, 3> neighbours;  ///< across the side from corner i to corner i + 1
    Vec3 normal;                    ///< unit, outward
};

/// The hull of points by quickhull: from a tetrahedron outwards, always the point farthest above a face.
/// Points not farther than `tolerance` above all faces count as inside. Nothing where the points span no
/// volume.
[[nodiscard]] std::optional<std::vector<HullTriangle>> quick_hull(std::span<const Vec3> points,
                                                                  double tolerance);

}  // namespace carom::detail
