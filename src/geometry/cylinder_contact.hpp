#pragma once

#include "hull_contact.hpp"

namespace carom::detail {

/// A placed cylinder in the world: points within `radius` of the axis, at most `half` along it from the
/// centre.
struct PlacedCylinder {
    Vec3 centre, axis, across;  ///< axis and a direction of the body normal to it, unit
    double radius = 0, half = 0;

    /// The farthest extent along n:  max n . x.
    [[nodiscard]] double support(const Vec3& n) const;

    /// The point of the rim that is farthest along n, on the end that is; where n is the axis, along
    /// `across`.
    [[nodiscard]] Vec3 rim_point(const Vec3& n) const;

    /// Centre of the end that is farthest along n.
    [[nodiscard]] Vec3 end(const Vec3& n) const { return centre + (axis.dot(n) < 0 ? -half : half) * axis; }
};

[[nodiscard]] PlacedCylinder placed_cylinder(const PlacedCollider& placed);

/// A flat part of a surface against which points are looked at: a polygon, or the end of a cylinder.
struct FlatRegion {
    Vec3 normal = Vec3::UnitZ(), origin = Vec3::Zero();
    std::vector<Vec3> corners = {};  ///< of a polygon, counter-clockwise around the normal
    double radius = 0;               ///< of a disc about the origin; 0: polygon

    /// How far a point, moved along the normal, is outside; negative inside.
    [[nodiscard]] double outside(const Vec3& x) const;
    /// Of one side of the polygon.
    [[nodiscard]] double outside(const Vec3& x, std::size_t side) const;
};

/// Points of the cylinder that lie above the region (BO-15): of the rim that faces it the lowest and those a
/// quarter turn on, where it leaves the region, corners of the region under its end; of the lowest line of
/// the side both ends as far as they lie above the region.
[[nodiscard]] std::vector<Corner> cylinder_above(const PlacedCylinder& cylinder, const FlatRegion& region,
                                                 double tolerance);

/// Contacts of a cylinder with a hull of any kind, or with a cylinder (BO-15).
void cylinder_contact_points(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
                             std::vector<ContactPoint>& points);

}  // namespace carom::detail
