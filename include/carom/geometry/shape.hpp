#pragma once

#include "carom/core/expected.hpp"

#include <Eigen/Dense>

#include <array>
#include <variant>
#include <vector>

namespace carom {

/// Positions and orientations of rigid bodies.
///
/// Symbols    x   of a point in the world;  X  of the same point in the body
///            R   rotation: x = position + R X;  w  angular velocity, rad/s
/// Theory     docs/theory/bodies.md, (BO-1) configuration, (BO-2) exponential

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

/// Unit quaternion. Not aligned, so that its layout does not depend on how carom was compiled.
using Rotation = Eigen::Quaternion<double, Eigen::DontAlign>;

struct Pose {
    Vec3 position_m = Vec3::Zero();
    Rotation rotation = Rotation::Identity();

    [[nodiscard]] Vec3 to_world(const Vec3& X) const { return position_m + rotation * X; }
    [[nodiscard]] Vec3 to_body(const Vec3& x) const { return rotation.conjugate() * (x - position_m); }
};

/// exp(angle): the rotation by |angle| about the direction of `angle` (BO-2). Exact for every angle.
[[nodiscard]] Rotation rotation_by(const Vec3& angle) noexcept;

/// The shortest rotation vector whose exponential is R.
[[nodiscard]] Vec3 rotation_vector(const Rotation& R) noexcept;

/// R exp(angle), normalised to roundoff after any number of products.
[[nodiscard]] Rotation turned(const Rotation& R, const Vec3& angle_in_body) noexcept;

/// Two unit vectors that make a right-handed frame with the unit vector n. Depends on n alone.
void tangents(const Vec3& n, Vec3& t1, Vec3& t2) noexcept;

/// Shapes of bodies, each in the frame of its body, m.
///
/// Theory     docs/theory/bodies.md, (BO-3) mass and inertia of shapes

/// Half-space  normal . X <= offset_m;  only for fixed and prescribed bodies.
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
/// Axis z, centred; length_m = 0 is a thin disc in space.
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

/// Several shapes as one body: all in space, or all in the plane. Parts cannot be planes, surfaces or
/// compounds; where they overlap, mass counts twice.
struct CompoundPart;
struct CompoundShape {
    std::vector<CompoundPart> parts;
};

/// The ground below  z = height(x, y),  a surface of triangles over a grid. Only for fixed and prescribed
/// bodies. Its centre is at x = y = 0; cells are split from their corner (0, 0) to (1, 1).
struct HeightFieldShape {
    Eigen::Vector2d spacing_m{1, 1};  ///< of the grid along x and y
    int columns = 0;                  ///< points along x, at least 2
    std::vector<double> heights_m;    ///< row after row, y upwards; a multiple of `columns`
};

/// A surface of triangles, counter-clockwise seen from the free side, which is the only side that pushes.
/// Only for fixed and prescribed bodies.
struct MeshShape {
    std::vector<Vec3> vertices_m;
    std::vector<std::array<int, 3>> triangles;
};

using Shape = std::variant<PlaneShape, SphereShape, CapsuleShape, BoxShape, CylinderShape, PolyhedronShape,
                           DiscShape, PolygonShape, CompoundShape, HeightFieldShape, MeshShape>;

struct CompoundPart {
    Shape shape;
    Pose pose = {};  ///< of its frame in that of the compound
};

/// The word used in scenes and messages, e.g. "box".
[[nodiscard]] const char* name_of(const Shape& shape) noexcept;

/// Lies in the plane z = 0.
[[nodiscard]] bool is_flat(const Shape& shape) noexcept;

/// A plane, height field or mesh: shapes that free bodies cannot have.
[[nodiscard]] bool is_obstacle(const Shape& shape) noexcept;

/// Upper limits: points of a hull, its vertices, parts of a compound, triangles.
inline constexpr std::size_t max_hull_points = 1'000'000;
inline constexpr std::size_t max_hull_vertices = 4096;
inline constexpr std::size_t max_compound_parts = 10'000;
inline constexpr std::size_t max_triangles = 4'000'000;

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

/// Of a shape that check() has accepted, filled evenly (BO-3). Obstacles and a thin disc in
/// space have no volume: their mass is zero.
[[nodiscard]] MassProperties mass_properties(const Shape& shape, double density);

}  // namespace carom
