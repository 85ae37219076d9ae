#pragma once

#include "carom/geometry/shape.hpp"

#include <vector>

namespace carom {

struct Collider;  // a shape prepared for contact detection

/// Surfaces of shapes for pictures; the mechanics does not use them.

/// Vertices and faces, counter-clockwise seen from outside. Of a flat shape one face, its outline; of a plane
/// the part to be shown.
struct Surface {
    std::vector<Vec3> vertices;
    std::vector<std::vector<int>> faces;
    bool smooth = false;  ///< round: shaded across the edges of its faces
};

/// A surface at a pose in a body, stretched along its own axes. Spheres of all sizes are one surface, and so
/// are boxes: pictures of many bodies draw it once.
struct PlacedSurface {
    int surface = 0;  ///< in a list of them
    Vec3 scale{1, 1, 1};
    Pose pose = {};  ///< from the centre of mass, body axes
};

/// The surfaces of a collider, from its centre. New ones go to the end of `surfaces`, known ones are reused.
/// Planes have none: they are unbounded. `fine`: more faces for round shapes.
[[nodiscard]] std::vector<PlacedSurface> surfaces_of(const Collider& collider, bool fine,
                                                     std::vector<Surface>& surfaces);

}  // namespace carom
