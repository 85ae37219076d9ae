#pragma once

#include "carom/geometry/shape.hpp"
#include "geometry/box_tree.hpp"

#include <array>
#include <memory>
#include <vector>

namespace carom::detail {

/// What lies beyond a side of a triangle.
enum class Beyond : char {
    Nothing,  ///< the surface ends, or more than two triangles meet
    Ridge,    ///< a triangle that bends away
    Smooth,   ///< a triangle in the same plane, or one that rises: this side is never touched by itself
};

/// A surface of triangles made ready for contacts: what meets at its sides and corners, and a tree.
struct TriangleSurface {
    struct Triangle {
        std::array<int, 3> corners;
        Vec3 normal;
        std::array<Beyond, 3> beyond{Beyond::Nothing, Beyond::Nothing, Beyond::Nothing};
        std::array<int, 3> opposite{-1, -1, -1};  ///< corner of the triangle beyond that is not on the side
    };

    std::vector<Vec3> vertices;  ///< from the centre of the body
    std::vector<Triangle> triangles;
    std::vector<char> sharp;  ///< per vertex: the surface ends or bends away at a side that it is on
    std::vector<int> first_neighbour, neighbours;  ///< vertices joined by a side, as in Hull
    BoxTree tree;
};

/// Vertices at exactly the same place become one, triangles without area are left out.
[[nodiscard]] std::shared_ptr<const TriangleSurface> make_surface(const MeshShape& mesh,
                                                                  const Vec3& centre_m);

/// The triangles of a height field that check() has accepted.
[[nodiscard]] MeshShape mesh_of(const HeightFieldShape& field);

/// Whether a triangle has a plane.
[[nodiscard]] bool has_area(const Vec3& a, const Vec3& b, const Vec3& c) noexcept;

}  // namespace carom::detail
