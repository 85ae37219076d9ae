#pragma once

#include "geometry/contact_points.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace carom::detail {

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

/// The corners of the facing part of `other` that lie above the face (BO-6).
[[nodiscard]] std::vector<Corner> corners_above(const PlacedCollider& hull, int f,
                                                std::vector<Corner> corners, double tolerance);

/// One of the earlier corners is at the same place.
[[nodiscard]] bool repeats(const Corner& corner, std::span<const Corner> earlier, double tolerance);

}  // namespace carom::detail
