#include "geometry/hull.hpp"

#include "quick_hull.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace carom {
namespace {

/// Two points count as one, a point as on a plane, below this part of the size of the hull.
constexpr double same = 1e-9;

template <class Vector>
double extent(std::span<const Vector> points)
{
    double largest = 0;
    for (const Vector& point : points) {
        largest = std::max(largest, (point - points.front()).norm());
    }
    return largest;
}

/// Points without those that repeat an earlier one.
template <class Vector>
std::vector<Vector> distinct(std::span<const Vector> points, double tolerance)
{
    std::vector<Vector> kept;
    for (const Vector& point : points) {
        const bool repeats = std::any_of(kept.begin(), kept.end(), [&](const Vector& other) {
            return (other - point).norm() <= tolerance;
        });
        if (!repeats) kept.push_back(point);
    }
    return kept;
}

double cross(const Eigen::Vector2d& a, const Eigen::Vector2d& b)
{
    return a.x() * b.y() - a.y() * b.x();
}

/// Indices of the corners of the convex hull in the plane, counter-clockwise, from the lowest; points on a
/// side are left out.
std::vector<int> corners_in_plane(std::span<const Eigen::Vector2d> points, double tolerance)
{
    int start = 0;
    for (int i = 1; i < static_cast<int>(points.size()); ++i) {
        const bool lower = points[i].y() < points[start].y() ||
                           (points[i].y() == points[start].y() && points[i].x() < points[start].x());
        if (lower) start = i;
    }
    std::vector<int> loop;
    for (int last = start; loop.size() < points.size();) {
        loop.push_back(last);
        // the next corner is the one that has all others on its left; among aligned ones the farthest
        int next = last == 0 ? 1 : 0;
        for (int i = 0; i < static_cast<int>(points.size()); ++i) {
            if (i == last || i == next) continue;
            const Eigen::Vector2d to_next = points[next] - points[last];
            const Eigen::Vector2d to_i = points[i] - points[last];
            const double side = cross(to_next, to_i) / std::max(to_next.norm(), to_i.norm());
            if (side < -tolerance || (side <= tolerance && to_i.norm() > to_next.norm())) next = i;
        }
        if (next == start) break;
        last = next;
    }
    return loop;
}

/// The face on the plane with this outward normal through `origin`; `on_plane` are its vertices.
Hull::Face face_on_plane(std::span<const Vec3> vertices, std::span<const int> on_plane, const Vec3& normal,
                         const Vec3& origin, double tolerance)
{
    Vec3 t1, t2;
    tangents(normal, t1, t2);
    std::vector<Eigen::Vector2d> flat;
    for (const int v : on_plane) {
        const Vec3 arm = vertices[v] - origin;
        flat.emplace_back(t1.dot(arm), t2.dot(arm));
    }
    Hull::Face face{.normal = normal, .loop = {}};
    for (const int corner : corners_in_plane(flat, tolerance)) {
        face.loop.push_back(on_plane[corner]);
    }
    return face;
}

/// Edges of all faces, each once, with the faces on their two sides, and the neighbours of the vertices.
void add_edges(Hull& hull)
{
    struct Side {
        std::array<int, 2> ends;
        int face;
        bool forward;
        bool operator<(const Side& other) const
        {
            return ends != other.ends ? ends < other.ends : forward > other.forward;
        }
    };
    std::vector<Side> sides;
    for (std::size_t f = 0; f < hull.faces.size(); ++f) {
        const auto& loop = hull.faces[f].loop;
        for (std::size_t i = 0; i < loop.size(); ++i) {
            const int a = loop[i], b = loop[(i + 1) % loop.size()];
            sides.push_back({{std::min(a, b), std::max(a, b)}, static_cast<int>(f), a < b});
        }
    }
    std::sort(sides.begin(), sides.end());
    for (const Side& side : sides) {
        if (hull.edges.empty() || hull.edges.back() != side.ends) {
            hull.edges.push_back(side.ends);
            hull.edge_faces.push_back({-1, -1});
        }
        hull.edge_faces.back()[side.forward ? 0 : 1] = side.face;
    }

    // neighbours by counting
    const std::size_t n = hull.vertices.size();
    hull.first_neighbour.assign(n + 1, 0);
    for (const auto& [a, b] : hull.edges) {
        ++hull.first_neighbour[static_cast<std::size_t>(a) + 1];
        ++hull.first_neighbour[static_cast<std::size_t>(b) + 1];
    }
    std::partial_sum(hull.first_neighbour.begin(), hull.first_neighbour.end(), hull.first_neighbour.begin());
    std::vector<int> next(hull.first_neighbour.begin(), hull.first_neighbour.end() - 1);
    hull.neighbours.resize(2 * hull.edges.size());
    for (const auto& [a, b] : hull.edges) {
        hull.neighbours[next[a]++] = b;
        hull.neighbours[next[b]++] = a;
    }
}

/// Joins triangles of one plane to faces. The largest triangles first: their planes are known best, and
/// slivers beside them are theirs.
std::vector<Hull::Face> joined_faces(std::span<const Vec3> points,
                                     std::span<const detail::HullTriangle> triangles, double tolerance)
{
    std::vector<int> order(triangles.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> area;
    for (const auto& triangle : triangles) {
        const auto& [a, b, c] = triangle.corners;
        area.push_back((points[b] - points[a]).cross(points[c] - points[a]).norm());
    }
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return area[i] > area[j]; });

    std::vector<Hull::Face> faces;
    std::vector<char> taken(triangles.size(), 0);
    std::vector<int> group, corners;
    for (const int seed : order) {
        if (taken[seed] != 0) continue;
        const Vec3& normal = triangles[seed].normal;
        const Vec3& origin = points[triangles[seed].corners[0]];
        const auto fits = [&](const detail::HullTriangle& triangle) {
            return std::all_of(triangle.corners.begin(), triangle.corners.end(),
                               [&](int v) { return std::abs(normal.dot(points[v] - origin)) <= tolerance; });
        };
        taken[seed] = 1;
        group.assign(1, seed);
        corners.clear();
        for (std::size_t k = 0; k < group.size(); ++k) {
            const detail::HullTriangle& triangle = triangles[group[k]];
            corners.insert(corners.end(), triangle.corners.begin(), triangle.corners.end());
            for (const int next : triangle.neighbours) {
                if (taken[next] != 0 || !fits(triangles[next])) continue;
                taken[next] = 1;
                group.push_back(next);
            }
        }
        std::sort(corners.begin(), corners.end());
        corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
        Hull::Face face = face_on_plane(points, corners, normal, origin, tolerance);
        if (face.loop.size() >= 3) faces.push_back(std::move(face));
    }
    return faces;
}

/// Leaves out vertices that no face uses: points inside and on faces.
void drop_unused(Hull& hull)
{
    std::vector<int> place(hull.vertices.size(), -1);
    std::vector<Vec3> used;
    for (Hull::Face& face : hull.faces) {
        for (int& vertex : face.loop) {
            if (place[vertex] < 0) {
                place[vertex] = static_cast<int>(used.size());
                used.push_back(hull.vertices[vertex]);
            }
            vertex = place[vertex];
        }
    }
    hull.vertices = std::move(used);
}

Hull box_hull(const Vec3& size)
{
    std::vector<Vec3> corners;
    for (int i = 0; i < 8; ++i) {
        corners.emplace_back(0.5 * size.x() * ((i & 1) != 0 ? 1 : -1),
                             0.5 * size.y() * ((i & 2) != 0 ? 1 : -1),
                             0.5 * size.z() * ((i & 4) != 0 ? 1 : -1));
    }
    // written down and not searched for, so that very flat boxes are boxes too
    Hull hull{.vertices = corners,
              .faces = {{-Vec3::UnitX(), {0, 4, 6, 2}},
                        {Vec3::UnitX(), {1, 3, 7, 5}},
                        {-Vec3::UnitY(), {0, 1, 5, 4}},
                        {Vec3::UnitY(), {2, 6, 7, 3}},
                        {-Vec3::UnitZ(), {0, 2, 3, 1}},
                        {Vec3::UnitZ(), {4, 5, 7, 6}}},
              .edges = {}};
    add_edges(hull);
    return hull;
}

Hull rounded_vertex(double radius, bool flat)
{
    return {.vertices = {Vec3::Zero()}, .faces = {}, .edges = {}, .radius_m = radius, .flat = flat};
}

}  // namespace

bool Hull::holds(const Face& face, int vertex) noexcept
{
    return std::find(face.loop.begin(), face.loop.end(), vertex) != face.loop.end();
}

std::optional<Hull> hull_of_points(std::span<const Vec3> points)
{
    if (points.empty()) return std::nullopt;
    const double size = extent(points);
    const double tolerance = same * size;

    // where rounding breaks the surface, points count as inside a little sooner
    std::optional<std::vector<detail::HullTriangle>> triangles;
    for (double inside = 0.1 * tolerance; !triangles && inside < 1e3 * tolerance; inside *= 10) {
        triangles = detail::quick_hull(points, inside);
    }
    if (!triangles) return std::nullopt;

    Hull hull;
    hull.vertices.assign(points.begin(), points.end());
    hull.faces = joined_faces(points, *triangles, tolerance);
    if (hull.faces.size() < 4) return std::nullopt;
    drop_unused(hull);
    add_edges(hull);
    return hull;
}

std::optional<Hull> hull_of_points(std::span<const Eigen::Vector2d> points)
{
    const double tolerance = same * extent(points);
    const std::vector<Eigen::Vector2d> kept = distinct(points, tolerance);
    if (kept.size() < 3) return std::nullopt;
    const std::vector<int> loop = corners_in_plane(kept, tolerance);
    if (loop.size() < 3) return std::nullopt;

    Hull hull;
    hull.flat = true;
    for (const int corner : loop) {
        hull.vertices.emplace_back(kept[corner].x(), kept[corner].y(), 0);
    }
    const int n = static_cast<int>(loop.size());
    for (int i = 0; i < n; ++i) {
        const int j = (i + 1) % n;
        const Vec3 side = hull.vertices[j] - hull.vertices[i];
        hull.faces.push_back({.normal = Vec3(side.y(), -side.x(), 0).normalized(), .loop = {i, j}});
        hull.edges.push_back({i, j});
    }
    return hull;
}

Hull make_hull(const Shape& shape)
{
    struct Make {
        Hull operator()(const PlaneShape&) const { return {}; }
        Hull operator()(const CylinderShape&) const { return {}; }
        Hull operator()(const CompoundShape&) const { return {}; }
        Hull operator()(const HeightFieldShape&) const { return {}; }
        Hull operator()(const MeshShape&) const { return {}; }
        Hull operator()(const SphereShape& s) const { return rounded_vertex(s.radius_m, false); }
        Hull operator()(const DiscShape& s) const { return rounded_vertex(s.radius_m, true); }
        Hull operator()(const BoxShape& s) const { return box_hull(s.size_m); }
        Hull operator()(const PolyhedronShape& s) const
        {
            return hull_of_points(s.vertices_m).value_or(Hull{});
        }
        Hull operator()(const PolygonShape& s) const { return hull_of_points(s.vertices_m).value_or(Hull{}); }
        Hull operator()(const CapsuleShape& s) const
        {
            return {.vertices = {Vec3(0, 0, -s.length_m / 2), Vec3(0, 0, s.length_m / 2)},
                    .faces = {},
                    .edges = {{0, 1}},
                    .edge_faces = {{-1, -1}},
                    .first_neighbour = {0, 1, 2},
                    .neighbours = {1, 0},
                    .radius_m = s.radius_m};
        }
    };
    return std::visit(Make{}, shape);
}

}  // namespace carom
