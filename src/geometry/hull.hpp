#pragma once

#include "carom/geometry/shape.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace carom {

/// A shape as contact detection sees it: the convex hull of some vertices, rounded by a radius.
///
///     sphere, disc   one vertex          capsule   two vertices, one edge
///     box, polyhedron   faces and edges, radius 0        polygon   its sides are the faces
///
/// Theory     docs/theory/bodies.md, (BO-4) rounded hulls
struct Hull {
    struct Face {
        Vec3 normal;  ///< unit, outward
        std::vector<int>
            loop;  ///< vertices, counter-clockwise seen from outside; two for a side of a polygon
    };

    std::vector<Vec3> vertices;
    std::vector<Face> faces;
    std::vector<std::array<int, 2>> edges = {};       ///< none for a single vertex
    std::vector<std::array<int, 2>> edge_faces = {};  ///< left and right of each edge in space; -1: none
    std::vector<int> first_neighbour = {};  ///< neighbours of vertex v: from [v] to [v + 1] in the next list
    std::vector<int> neighbours = {};
    double radius_m = 0;
    bool flat = false;

    /// Whether the vertex is a corner of the face.
    [[nodiscard]] static bool holds(const Face& face, int vertex) noexcept;
};

/// The hull of points in space by quickhull; triangles within 1e-9 of the size of one plane are merged into
/// one face. Empty where they span no volume.
[[nodiscard]] std::optional<Hull> hull_of_points(std::span<const Vec3> points);

/// The hull of points in the plane, counter-clockwise. Empty where they span no area.
[[nodiscard]] std::optional<Hull> hull_of_points(std::span<const Eigen::Vector2d> points);

/// The rounded hull of a shape that check() has accepted; without vertices for planes, cylinders, compounds
/// and surfaces of triangles, which are handled separately.
[[nodiscard]] Hull make_hull(const Shape& shape);

}  // namespace carom
