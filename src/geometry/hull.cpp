#include "carom/geometry/hull.hpp"

#include <algorithm>
#include <cmath>

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

/// The face of `vertices` on the plane with this outward normal through `origin`.
Hull::Face face_on_plane(std::span<const Vec3> vertices, const Vec3& normal, const Vec3& origin,
                         double tolerance)
{
    Vec3 t1, t2;
    tangents(normal, t1, t2);
    std::vector<int> on_plane;
    std::vector<Eigen::Vector2d> flat;
    for (int i = 0; i < static_cast<int>(vertices.size()); ++i) {
        const Vec3 arm = vertices[i] - origin;
        if (std::abs(normal.dot(arm)) > tolerance) continue;
        on_plane.push_back(i);
        flat.emplace_back(t1.dot(arm), t2.dot(arm));
    }
    Hull::Face face{.normal = normal, .loop = {}};
    for (const int corner : corners_in_plane(flat, tolerance)) {
        face.loop.push_back(on_plane[corner]);
    }
    return face;
}

/// Edges of all faces, each once, and their directions.
void add_edges(Hull& hull)
{
    for (const Hull::Face& face : hull.faces) {
        for (std::size_t i = 0; i < face.loop.size(); ++i) {
            const int a = face.loop[i], b = face.loop[(i + 1) % face.loop.size()];
            if (a < b) hull.edges.push_back({a, b});
        }
    }
    std::sort(hull.edges.begin(), hull.edges.end());
    for (const auto& [a, b] : hull.edges) {
        const Vec3 direction = (hull.vertices[b] - hull.vertices[a]).normalized();
        const bool known = std::any_of(hull.directions.begin(), hull.directions.end(),
                                       [&](const Vec3& d) { return d.cross(direction).norm() <= same; });
        if (!known) hull.directions.push_back(direction);
    }
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
              .edges = {},
              .directions = {}};
    add_edges(hull);
    return hull;
}

Hull rounded_vertex(double radius, bool flat)
{
    return {.vertices = {Vec3::Zero()},
            .faces = {},
            .edges = {},
            .directions = {},
            .radius_m = radius,
            .flat = flat};
}

}  // namespace

bool Hull::holds(const Face& face, int vertex) noexcept
{
    return std::find(face.loop.begin(), face.loop.end(), vertex) != face.loop.end();
}

std::optional<Hull> hull_of_points(std::span<const Vec3> points)
{
    const double tolerance = same * extent(points);
    Hull hull;
    hull.vertices = distinct(points, tolerance);
    const std::span<const Vec3> vertices = hull.vertices;
    const int n = static_cast<int>(vertices.size());

    const auto all_below = [&](const Vec3& normal, const Vec3& origin) {
        return std::all_of(vertices.begin(), vertices.end(),
                           [&](const Vec3& v) { return normal.dot(v - origin) <= tolerance; });
    };
    // every three vertices with all others on one side give a face, once
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) {
            for (int k = j + 1; k < n; ++k) {
                Vec3 normal = (vertices[j] - vertices[i]).cross(vertices[k] - vertices[i]);
                const double longest =
                    std::max((vertices[j] - vertices[i]).norm(), (vertices[k] - vertices[i]).norm());
                if (normal.norm() <= tolerance * longest) continue;
                normal.normalize();
                for (const double sign : {1.0, -1.0}) {
                    if (!all_below(sign * normal, vertices[i])) continue;
                    const bool known = std::any_of(hull.faces.begin(), hull.faces.end(), [&](const auto& f) {
                        const Vec3& origin = vertices[f.loop.front()];
                        return std::abs(f.normal.dot(vertices[i] - origin)) <= tolerance &&
                               std::abs(f.normal.dot(vertices[j] - origin)) <= tolerance &&
                               std::abs(f.normal.dot(vertices[k] - origin)) <= tolerance;
                    });
                    if (!known) {
                        hull.faces.push_back(face_on_plane(vertices, sign * normal, vertices[i], tolerance));
                    }
                }
            }
        }
    }
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
                    .directions = {Vec3::UnitZ()},
                    .radius_m = s.radius_m};
        }
    };
    return std::visit(Make{}, shape);
}

}  // namespace carom
