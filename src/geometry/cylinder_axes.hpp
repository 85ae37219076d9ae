#pragma once

#include "cylinder_contact.hpp"

#include <algorithm>
#include <limits>

namespace carom::detail {

/// The axis along which a cylinder and another shape are farthest apart, or overlap least (BO-15).
struct CylinderAxis {
    enum class Kind {
        Face,      ///< of the hull, or the end of the second cylinder
        End,       ///< of the cylinder
        SideLine,  ///< the side and an edge, or two sides
        Vertex,    ///< of the hull, or the rim of the second cylinder against the side
        Rim,       ///< and an edge, or the side or rim of the second cylinder
    };
    double separation = -std::numeric_limits<double>::infinity();
    Vec3 normal = Vec3::UnitZ();  ///< from the cylinder to the other
    Kind kind = Kind::Face;
    int face = -1, edge = -1, vertex = -1;
};

/// The best flat part and the best of the others. The flat one goes first; where nothing of the other shape
/// that is nearest lies above it, which is so within rounding of its rim, the second is right.
struct CylinderAxisPair {
    CylinderAxis flat, other;

    [[nodiscard]] bool flat_first(double tolerance) const
    {
        return flat.separation >= other.separation - tolerance;
    }
    [[nodiscard]] double separation() const { return std::max(flat.separation, other.separation); }
};

/// Against a hull; `a` is the cylinder as a collider. Exact: every pair of features that can be nearest is
/// looked at. What is farther apart than `far` may be reported by any axis that shows it.
[[nodiscard]] CylinderAxisPair best_axes(const PlacedCylinder& cylinder, const PlacedCollider& a,
                                         const PlacedCollider& b, double far, double tolerance);

/// Against a cylinder. Exact where they are apart; of overlaps of rim and rim the least that is found from
/// thirty directions.
[[nodiscard]] CylinderAxisPair best_axes(const PlacedCylinder& cylinder, const PlacedCylinder& other,
                                         double tolerance);

}  // namespace carom::detail
