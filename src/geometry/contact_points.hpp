#pragma once

#include "geometry/hull.hpp"
#include "geometry/points_in_fours.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace carom {

namespace detail {
struct TriangleSurface;
}

/// Contact points of two placed shapes, each with a signed gap: at positive gaps too, so that contacts are
/// known before they close. A function of the two poses alone: no history, no random choice, no cap.
///
/// Symbols    n   unit normal, from the second shape to the first: where a contact pushes the first one
///            g   gap, m; negative overlaps
/// Theory     docs/theory/bodies.md, (BO-4) rounded hulls, (BO-5) axes, (BO-6) points, (BO-15) cylinders,
///            (BO-16) surfaces of triangles

struct ContactPoint {
    Vec3 point_m;  ///< midway between the two surfaces
    Vec3 normal;
    double gap_m = 0;
    std::uint64_t feature = 0;  ///< which features of the shapes meet: the same while they do
};

/// A shape prepared once: its hull and its extent.
struct Collider {
    Shape shape;
    Hull hull;
    Vec3 centre_m = Vec3::Zero();       ///< of the body in the frame of the shape; hulls are shifted by it
    double radius_m = 0;                ///< of the ball about the centre that holds it; infinite for planes
    double thickness_m = 0;             ///< smallest width, of the thinnest part; infinite for obstacles
    std::vector<Collider> parts = {};   ///< of a compound
    std::vector<Pose> part_poses = {};  ///< of the parts, from the centre
    std::shared_ptr<const detail::TriangleSurface> surface = {};  ///< of a height field or mesh
};

/// The shape must have passed check(). `centre_m` becomes the origin of the collider.
[[nodiscard]] Collider make_collider(const Shape& shape, const Vec3& centre_m = Vec3::Zero());

/// A collider at a pose, in world coordinates. Refilling reuses the memory.
struct PlacedCollider {
    const Collider* collider = nullptr;
    Pose pose;
    std::vector<Vec3> vertices, normals;
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();  ///< box along the axes that holds it
    std::vector<PlacedCollider> parts;             ///< of a compound

    // of a hull with faces and many corners: the same once more, and where the planes of the faces are
    detail::PointsInFours corners_in_fours, normals_in_fours;
    std::vector<double> offsets;  ///< normal . x, with room as normals_in_fours has it
};

void place(const Collider& collider, const Pose& pose, PlacedCollider& placed);

/// Whether carom has formulas for this pair of shapes: two obstacles (planes, height fields, meshes) have
/// none.
[[nodiscard]] bool can_touch(const Shape& a, const Shape& b) noexcept;

/// Appends the points whose gap is not above `reach_m`, in an order that depends on the poses alone.
void find_contact_points(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
                         std::vector<ContactPoint>& points);

}  // namespace carom
