#pragma once

#include "carom/core/expected.hpp"
#include "carom/geometry/pose.hpp"

#include <variant>
#include <vector>

namespace carom {

/// Shapes of bodies, each in the frame of its body, m.
///
/// Theory     docs/theory/bodies.md, (BO-3) mass and inertia of shapes

/// Half-space  normal . X <= offset_m;  only bodies that are not moved by forces may have it.
struct PlaneShape {
    Vec3 normal{0, 0, 1};
    double offset_m = 0;
};
struct SphereShape {
    double radius_m = 0.5;
};
/// All points within radius_m of a segment of length_m on the z axis, centred.
struct CapsuleShape {
    double radius_m = 0.5;
    double length_m = 1;
};
struct BoxShape {
    Vec3 size_m{1, 1, 1};  ///< lengths of the edges
};
/// Axis z, centred; length_m = 0 is a thin disc in space. Meets planes and spheres.
struct CylinderShape {
    double radius_m = 0.5;
    double length_m = 1;
};
/// Convex hull of some points.
struct PolyhedronShape {
    std::vector<Vec3> vertices_m;
};

/// Shapes of the plane z = 0: bodies that have them move in that plane and turn about z.
struct DiscShape {
    double radius_m = 0.5;
};
/// Convex hull of some points (x, y).
struct PolygonShape {
    std::vector<Eigen::Vector2d> vertices_m;
};

using Shape = std::variant<PlaneShape, SphereShape, CapsuleShape, BoxShape, CylinderShape, PolyhedronShape,
                           DiscShape, PolygonShape>;

/// The word used in scenes and messages, e.g. "box".
[[nodiscard]] const char* name_of(const Shape& shape) noexcept;

/// Lives in the plane z = 0.
[[nodiscard]] bool is_flat(const Shape& shape) noexcept;

/// Hulls of more points than this are refused: their faces are found by looking at every three of them.
inline constexpr std::size_t max_hull_vertices = 256;

/// Refuses sizes that are not positive and finite, and points that span no volume (no area). `where` names
/// the shape in the error.
[[nodiscard]] Expected<void> check(const Shape& shape, const std::string& where);

/// Mass, centre and inertia about the centre, axes of the shape. For flat shapes the density is kg/m^2 and
/// only the inertia about z is set.
struct MassProperties {
    double mass_kg = 0;
    Vec3 centre_m = Vec3::Zero();
    Mat3 inertia_kg_m2 = Mat3::Zero();
};

/// Of a shape that check() has accepted, filled evenly (BO-3). A plane and a thin disc in space have no
/// volume: their mass is zero.
[[nodiscard]] MassProperties mass_properties(const Shape& shape, double density);

}  // namespace carom
