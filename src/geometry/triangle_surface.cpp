#include "triangle_surface.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace carom::detail {
namespace {

/// Planes that differ by less than this angle count as one.
constexpr double level = 1e-6;

struct Side {
    std::array<int, 2> ends;  ///< the smaller number first
    int triangle, place;
    bool forward;
};

/// For every vertex the first that lies at the same place.
std::vector<int> first_at_place(const std::vector<Vec3>& vertices)
{
    std::vector<int> order(vertices.size());
    std::iota(order.begin(), order.end(), 0);
    const auto before = [&](int i, int j) {
        const Vec3 &a = vertices[i], &b = vertices[j];
        if (a.x() != b.x()) return a.x() < b.x();
        if (a.y() != b.y()) return a.y() < b.y();
        if (a.z() != b.z()) return a.z() < b.z();
        return i < j;
    };
    std::sort(order.begin(), order.end(), before);
    std::vector<int> first(vertices.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        const bool same = k > 0 && vertices[order[k]] == vertices[order[k - 1]];
        first[order[k]] = same ? first[order[k - 1]] : order[k];
    }
    return first;
}

std::vector<Side> sides_of(const TriangleSurface& surface)
{
    std::vector<Side> sides;
    sides.reserve(3 * surface.triangles.size());
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
        const auto& corners = surface.triangles[t].corners;
        for (int i = 0; i < 3; ++i) {
            const int a = corners[i], b = corners[(i + 1) % 3];
            sides.push_back({{std::min(a, b), std::max(a, b)}, static_cast<int>(t), i, a < b});
        }
    }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
        return a.ends != b.ends ? a.ends < b.ends : a.triangle < b.triangle;
    });
    return sides;
}

/// Two triangles that share a side, each going its own way along it.
void join(const Side& a, const Side& b, TriangleSurface& surface)
{
    auto &one = surface.triangles[a.triangle], &other = surface.triangles[b.triangle];
    const Vec3 &from = surface.vertices[one.corners[a.place]],
               &to = surface.vertices[one.corners[(a.place + 1) % 3]];
    // positive where the second bends away from the normal of the first
    const double sine = one.normal.cross(other.normal).dot((to - from).normalized());
    const bool folded = one.normal.dot(other.normal) < -1 + level;
    const Beyond beyond = sine > level || folded ? Beyond::Ridge : Beyond::Smooth;
    one.beyond[a.place] = other.beyond[b.place] = beyond;
    one.opposite[a.place] = other.corners[(b.place + 2) % 3];
    other.opposite[b.place] = one.corners[(a.place + 2) % 3];
}

void add_neighbours(const std::vector<Side>& sides, TriangleSurface& surface)
{
    surface.first_neighbour.assign(surface.vertices.size() + 1, 0);
    const auto each = [&](auto&& visit) {
        for (std::size_t i = 0; i < sides.size(); ++i) {
            if (i == 0 || sides[i].ends != sides[i - 1].ends) visit(sides[i].ends[0], sides[i].ends[1]);
        }
    };
    each([&](int a, int b) {
        ++surface.first_neighbour[static_cast<std::size_t>(a) + 1];
        ++surface.first_neighbour[static_cast<std::size_t>(b) + 1];
    });
    std::partial_sum(surface.first_neighbour.begin(), surface.first_neighbour.end(),
                     surface.first_neighbour.begin());
    std::vector<int> next(surface.first_neighbour.begin(), surface.first_neighbour.end() - 1);
    surface.neighbours.resize(static_cast<std::size_t>(surface.first_neighbour.back()));
    each([&](int a, int b) {
        surface.neighbours[next[a]++] = b;
        surface.neighbours[next[b]++] = a;
    });
}

}  // namespace

bool has_area(const Vec3& a, const Vec3& b, const Vec3& c) noexcept
{
    const double longest = std::max((b - a).norm(), (c - a).norm());
    return (b - a).cross(c - a).norm() > 1e-12 * longest * longest;
}

std::shared_ptr<const TriangleSurface> make_surface(const MeshShape& mesh, const Vec3& centre_m)
{
    auto surface = std::make_shared<TriangleSurface>();
    const std::vector<int> first = first_at_place(mesh.vertices_m);
    for (const Vec3& vertex : mesh.vertices_m) {
        surface->vertices.emplace_back(vertex - centre_m);
    }
    for (const auto& triangle : mesh.triangles) {
        const std::array<int, 3> corners{first[triangle[0]], first[triangle[1]], first[triangle[2]]};
        const Vec3 &a = surface->vertices[corners[0]], &b = surface->vertices[corners[1]],
                   &c = surface->vertices[corners[2]];
        if (!has_area(a, b, c)) continue;
        surface->triangles.push_back({.corners = corners, .normal = (b - a).cross(c - a).normalized()});
    }

    // what meets at each side
    const std::vector<Side> sides = sides_of(*surface);
    for (std::size_t i = 0; i < sides.size();) {
        std::size_t j = i + 1;
        while (j < sides.size() && sides[j].ends == sides[i].ends) {
            ++j;
        }
        if (j - i == 2 && sides[i].forward != sides[i + 1].forward) join(sides[i], sides[i + 1], *surface);
        i = j;
    }
    surface->sharp.assign(surface->vertices.size(), 0);
    for (const auto& triangle : surface->triangles) {
        for (int i = 0; i < 3; ++i) {
            if (triangle.beyond[i] == Beyond::Smooth) continue;
            surface->sharp[triangle.corners[i]] = surface->sharp[triangle.corners[(i + 1) % 3]] = 1;
        }
    }
    add_neighbours(sides, *surface);

    std::vector<BoxTree::Box> boxes;
    for (const auto& triangle : surface->triangles) {
        const Vec3 &a = surface->vertices[triangle.corners[0]], &b = surface->vertices[triangle.corners[1]],
                   &c = surface->vertices[triangle.corners[2]];
        boxes.push_back({a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)});
    }
    surface->tree.build(boxes);
    return surface;
}

MeshShape mesh_of(const HeightFieldShape& field)
{
    MeshShape mesh;
    const int columns = field.columns, rows = static_cast<int>(field.heights_m.size()) / columns;
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            mesh.vertices_m.emplace_back((i - 0.5 * (columns - 1)) * field.spacing_m.x(),
                                         (j - 0.5 * (rows - 1)) * field.spacing_m.y(),
                                         field.heights_m[static_cast<std::size_t>(j) * columns + i]);
        }
    }
    for (int j = 0; j + 1 < rows; ++j) {
        for (int i = 0; i + 1 < columns; ++i) {
            const int a = j * columns + i, b = a + 1, c = b + columns, d = a + columns;
            mesh.triangles.push_back({a, b, c});
            mesh.triangles.push_back({a, c, d});
        }
    }
    return mesh;
}

}  // namespace carom::detail
