#include "carom/geometry/shape.hpp"

#include "geometry/hull.hpp"
#include "triangle_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom {
namespace {

constexpr double pi = std::numbers::pi;

Error bad_shape(ErrorCode code, const std::string& where, std::string message, const char* hint)
{
    return {.code = code, .where = where, .message = std::move(message), .hint = hint, .excerpt = {}};
}

/// Sizes and coordinates of shapes, m. Beyond them squares and products of lengths lose all digits.
constexpr double largest_m = 1e9, smallest_m = 1e-12;

Expected<void> positive(double value, const char* key, const std::string& where)
{
    if (!(value > 0 && std::isfinite(value))) {
        return bad_shape(ErrorCode::SettingOutOfRange, where, fmt::format("{} is {}", key, value),
                         "give a length greater than zero");
    }
    if (value >= smallest_m && value <= largest_m) return {};
    return bad_shape(ErrorCode::SettingOutOfRange, where, fmt::format("{} is {} m", key, value),
                     "give a size from 1e-12 to 1e9 m; for an unbounded obstacle use a plane");
}

template <class Point>
bool is_within(const Point& point)
{
    return (point.array().abs() <= largest_m).all();  // NaN is not
}

template <class Points>
Expected<void> check_points(const Points& points, const std::string& where, const char* hint)
{
    for (const auto& point : points) {
        if (!point.allFinite()) {
            return bad_shape(ErrorCode::NotFinite, where, "a vertex is infinite or not a number", hint);
        }
        if (!is_within(point)) {
            return bad_shape(ErrorCode::SettingOutOfRange, where, "a vertex is farther away than 1e9 m",
                             "give smaller coordinates");
        }
    }
    using Point = typename Points::value_type;
    const std::size_t largest = std::is_same_v<Point, Vec3> ? max_hull_points : max_hull_vertices;
    if (points.size() > largest) {
        return bad_shape(ErrorCode::SettingOutOfRange, where,
                         fmt::format("there are {} vertices, {} at most", points.size(), largest),
                         "give fewer points");
    }
    const auto hull = points.empty() ? std::nullopt : hull_of_points(std::span<const Point>(points));
    if (!hull) {
        return bad_shape(ErrorCode::SettingOutOfRange, where,
                         fmt::format("the {} vertices span no volume or area", points.size()), hint);
    }
    if (hull->vertices.size() > max_hull_vertices) {
        return bad_shape(
            ErrorCode::SettingOutOfRange, where,
            fmt::format("the hull has {} vertices, {} at most", hull->vertices.size(), max_hull_vertices),
            "give fewer points, or a compound of simpler shapes");
    }
    return {};
}

Expected<void> finite(std::span<const Vec3> points, const std::string& where)
{
    for (const Vec3& point : points) {
        if (point.allFinite() && is_within(point)) continue;
        return bad_shape(point.allFinite() ? ErrorCode::SettingOutOfRange : ErrorCode::NotFinite, where,
                         "a vertex is not a number, or farther away than 1e9 m",
                         "give finite coordinates up to 1e9 m");
    }
    return {};
}

struct Check {
    const std::string& where;

    Expected<void> operator()(const PlaneShape& s) const
    {
        if (std::isfinite(s.offset_m) && std::abs(s.normal.norm() - 1) <= 1e-9) return {};
        return bad_shape(ErrorCode::SettingOutOfRange, where,
                         fmt::format("the normal of the plane has length {}", s.normal.norm()),
                         "give a unit vector and a finite offset");
    }
    Expected<void> operator()(const SphereShape& s) const { return positive(s.radius_m, "radius_m", where); }
    Expected<void> operator()(const DiscShape& s) const { return positive(s.radius_m, "radius_m", where); }
    Expected<void> operator()(const CapsuleShape& s) const
    {
        if (auto radius = positive(s.radius_m, "radius_m", where); !radius) return radius;
        return positive(s.length_m, "length_m", where);
    }
    Expected<void> operator()(const CylinderShape& s) const
    {
        if (auto radius = positive(s.radius_m, "radius_m", where); !radius) return radius;
        if (s.length_m == 0) return {};
        return positive(s.length_m, "length_m", where);
    }
    Expected<void> operator()(const BoxShape& s) const
    {
        for (const double length : s.size_m) {
            if (auto fine = positive(length, "size_m", where); !fine) return fine;
        }
        return {};
    }
    Expected<void> operator()(const PolyhedronShape& s) const
    {
        return check_points(s.vertices_m, where, "give at least four points that do not lie in one plane");
    }
    Expected<void> operator()(const PolygonShape& s) const
    {
        return check_points(s.vertices_m, where, "give at least three points that do not lie on one line");
    }
    Expected<void> operator()(const CompoundShape& s) const
    {
        if (s.parts.empty() || s.parts.size() > max_compound_parts) {
            return bad_shape(ErrorCode::SettingOutOfRange, where,
                             fmt::format("a compound has {} parts", s.parts.size()),
                             "give one part at least, ten thousand at most");
        }
        const bool flat = is_flat(s.parts.front().shape);
        for (const CompoundPart& part : s.parts) {
            const bool nested = std::holds_alternative<CompoundShape>(part.shape);
            if (nested || is_obstacle(part.shape) || is_flat(part.shape) != flat) {
                return bad_shape(ErrorCode::NotAllowedHere, where,
                                 fmt::format("a {} cannot be a part here", name_of(part.shape)),
                                 "parts are convex shapes, all in space or all in the plane");
            }
            if (auto fine = check(part.shape, where); !fine) return fine;
            const bool placed =
                is_within(part.pose.position_m) && std::abs(part.pose.rotation.norm() - 1) <= 1e-9;
            const bool in_plane =
                part.pose.position_m.z() == 0 && part.pose.rotation.x() == 0 && part.pose.rotation.y() == 0;
            if (!placed || (flat && !in_plane)) {
                return bad_shape(ErrorCode::SettingOutOfRange, where,
                                 "the position of a part is not finite or leaves the plane",
                                 "give finite numbers; in the plane x, y and an angle about z");
            }
        }
        return {};
    }
    Expected<void> operator()(const HeightFieldShape& s) const
    {
        for (const double spacing : s.spacing_m) {
            if (auto fine = positive(spacing, "spacing_m", where); !fine) return fine;
        }
        const std::size_t columns = s.columns > 0 ? static_cast<std::size_t>(s.columns) : 0;
        const std::size_t rows = columns > 0 ? s.heights_m.size() / columns : 0;
        if (columns < 2 || rows < 2 || rows * columns != s.heights_m.size() ||
            s.heights_m.size() > max_triangles / 2) {
            return bad_shape(
                ErrorCode::WrongSize, where,
                fmt::format("{} heights in {} columns do not form a grid", s.heights_m.size(), s.columns),
                "give two rows and two columns at least, two million points at most");
        }
        for (const double height : s.heights_m) {
            if (!(std::abs(height) <= largest_m)) {
                return bad_shape(ErrorCode::NotFinite, where, "a height is not a number, or beyond 1e9 m",
                                 "give finite heights");
            }
        }
        return {};
    }
    Expected<void> operator()(const MeshShape& s) const
    {
        if (s.triangles.empty() || s.triangles.size() > max_triangles ||
            s.vertices_m.size() > 3 * max_triangles) {
            return bad_shape(ErrorCode::SettingOutOfRange, where,
                             fmt::format("a mesh has {} triangles", s.triangles.size()),
                             "give one triangle at least, four million at most");
        }
        if (auto fine = finite(s.vertices_m, where); !fine) return fine;
        const int n = static_cast<int>(s.vertices_m.size());
        for (const auto& triangle : s.triangles) {
            for (const int v : triangle) {
                if (v >= 0 && v < n) continue;
                return bad_shape(ErrorCode::SettingOutOfRange, where,
                                 fmt::format("a triangle has the vertex {}, of {}", v, n),
                                 "count the vertices from 0");
            }
        }
        const bool flat = std::any_of(s.triangles.begin(), s.triangles.end(), [&](const auto& t) {
            return detail::has_area(s.vertices_m[t[0]], s.vertices_m[t[1]], s.vertices_m[t[2]]);
        });
        if (!flat) {
            return bad_shape(ErrorCode::SettingOutOfRange, where, "no triangle of the mesh has an area",
                             "give triangles whose corners do not lie on one line");
        }
        return {};
    }
};

Mat3 about_centre(double mass, const Mat3& second_moment)
{
    // J = trace(S) 1 - S, S the integral of x x^T dm
    return mass * (second_moment.trace() * Mat3::Identity() - second_moment);
}

MassProperties even(double mass, const Vec3& second_moment)
{
    return {.mass_kg = mass, .inertia_kg_m2 = about_centre(mass, second_moment.asDiagonal())};
}

/// Of the hull: sums over tetrahedra from the origin to the triangles of its faces.
MassProperties of_polyhedron(const Hull& hull, double density)
{
    double volume = 0;
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();
    for (const Hull::Face& face : hull.faces) {
        for (std::size_t i = 1; i + 1 < face.loop.size(); ++i) {
            const Vec3& a = hull.vertices[face.loop[0]];
            const Vec3& b = hull.vertices[face.loop[i]];
            const Vec3& c = hull.vertices[face.loop[i + 1]];
            const double part = a.dot(b.cross(c)) / 6;
            const Vec3 sum = a + b + c;
            volume += part;
            first += part / 4 * sum;
            second += part / 20 *
                      (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
        }
    }
    const Vec3 centre = first / volume;
    const double mass = density * volume;
    return {.mass_kg = mass,
            .centre_m = centre,
            .inertia_kg_m2 = about_centre(mass, second / volume - centre * centre.transpose())};
}

/// Of a polygon: sums over triangles from the origin to its sides.
MassProperties of_polygon(const Hull& hull, double density)
{
    double area = 0, polar = 0;
    Vec3 first = Vec3::Zero();
    for (const auto& [i, j] : hull.edges) {
        const Vec3& a = hull.vertices[i];
        const Vec3& b = hull.vertices[j];
        const double part = a.cross(b).z() / 2;
        area += part;
        first += part / 3 * (a + b);
        polar += part / 6 * (a.dot(a) + a.dot(b) + b.dot(b));
    }
    MassProperties result{.mass_kg = density * area, .centre_m = first / area};
    result.inertia_kg_m2(2, 2) = density * (polar - area * result.centre_m.squaredNorm());
    return result;
}

struct Fill {
    double density;

    MassProperties operator()(const PlaneShape&) const { return {}; }
    MassProperties operator()(const SphereShape& s) const
    {
        const double r = s.radius_m;
        return even(density * 4 / 3 * pi * r * r * r, Vec3::Constant(r * r / 5));
    }
    MassProperties operator()(const BoxShape& s) const
    {
        return even(density * s.size_m.prod(), s.size_m.cwiseAbs2() / 12);
    }
    MassProperties operator()(const CylinderShape& s) const
    {
        const double r2 = s.radius_m * s.radius_m;
        return even(density * pi * r2 * s.length_m, {r2 / 4, r2 / 4, s.length_m * s.length_m / 12});
    }
    MassProperties operator()(const CapsuleShape& s) const
    {
        // a cylinder and two half balls, whose centres lie 3/8 r beyond its ends
        const double r = s.radius_m, l = s.length_m;
        const double cylinder = pi * r * r * l, ball = 4.0 / 3 * pi * r * r * r;
        const double z2 = cylinder * l * l / 12 + ball * (r * r / 5 + l * l / 4 + 3.0 / 8 * r * l);
        const double x2 = cylinder * r * r / 4 + ball * r * r / 5;
        const double volume = cylinder + ball;
        return even(density * volume, Vec3(x2, x2, z2) / volume);
    }
    MassProperties operator()(const PolyhedronShape& s) const { return of_polyhedron(make_hull(s), density); }
    MassProperties operator()(const PolygonShape& s) const { return of_polygon(make_hull(s), density); }
    MassProperties operator()(const DiscShape& s) const
    {
        MassProperties result{.mass_kg = density * pi * s.radius_m * s.radius_m};
        result.inertia_kg_m2(2, 2) = result.mass_kg * s.radius_m * s.radius_m / 2;
        return result;
    }
    MassProperties operator()(const HeightFieldShape&) const { return {}; }
    MassProperties operator()(const MeshShape&) const { return {}; }
    MassProperties operator()(const CompoundShape& s) const;
};

/// Sums over the parts; each inertia is moved to the common centre by Steiner's theorem.
MassProperties Fill::operator()(const CompoundShape& s) const
{
    MassProperties whole;
    std::vector<MassProperties> parts;
    for (const CompoundPart& part : s.parts) {
        MassProperties one = mass_properties(part.shape, density);
        const Mat3 R = part.pose.rotation.toRotationMatrix();
        one.centre_m = part.pose.to_world(one.centre_m);
        one.inertia_kg_m2 = R * one.inertia_kg_m2 * R.transpose();
        whole.mass_kg += one.mass_kg;
        whole.centre_m += one.mass_kg * one.centre_m;
        parts.push_back(one);
    }
    if (!(whole.mass_kg > 0)) return {};
    whole.centre_m /= whole.mass_kg;
    for (const MassProperties& one : parts) {
        const Vec3 arm = one.centre_m - whole.centre_m;
        whole.inertia_kg_m2 += one.inertia_kg_m2 + about_centre(one.mass_kg, Mat3(arm * arm.transpose()));
    }
    return whole;
}

}  // namespace

const char* name_of(const Shape& shape) noexcept
{
    static constexpr const char* names[] = {"plane",    "sphere",      "capsule", "box",
                                            "cylinder", "polyhedron",  "disc",    "polygon",
                                            "compound", "heightfield", "mesh"};
    return names[shape.index()];
}

bool is_flat(const Shape& shape) noexcept
{
    if (const auto* compound = std::get_if<CompoundShape>(&shape)) {
        return !compound->parts.empty() && is_flat(compound->parts.front().shape);
    }
    return std::holds_alternative<DiscShape>(shape) || std::holds_alternative<PolygonShape>(shape);
}

bool is_obstacle(const Shape& shape) noexcept
{
    return std::holds_alternative<PlaneShape>(shape) || std::holds_alternative<HeightFieldShape>(shape) ||
           std::holds_alternative<MeshShape>(shape);
}

Expected<void> check(const Shape& shape, const std::string& where)
{
    return std::visit(Check{where}, shape);
}

MassProperties mass_properties(const Shape& shape, double density)
{
    return std::visit(Fill{density}, shape);
}

}  // namespace carom
