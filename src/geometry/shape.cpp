#include "carom/geometry/shape.hpp"

#include "carom/geometry/hull.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace carom {
namespace {

constexpr double pi = std::numbers::pi;

Error bad_shape(ErrorCode code, const std::string& where, std::string message, const char* hint)
{
    return {.code = code, .where = where, .message = std::move(message), .hint = hint, .excerpt = {}};
}

Expected<void> positive(double value, const char* key, const std::string& where)
{
    if (value > 0 && std::isfinite(value)) return {};
    return bad_shape(ErrorCode::SettingOutOfRange, where, fmt::format("{} is {}", key, value),
                     "give a length greater than zero");
}

template <class Points>
Expected<void> check_points(const Points& points, const std::string& where, const char* hint)
{
    for (const auto& point : points) {
        if (!point.allFinite()) {
            return bad_shape(ErrorCode::NotFinite, where, "a vertex is infinite or not a number", hint);
        }
    }
    if (points.size() > max_hull_vertices) {
        return bad_shape(ErrorCode::SettingOutOfRange, where,
                         fmt::format("there are {} vertices", points.size()), "give at most 256 vertices");
    }
    using Point = typename Points::value_type;
    if (points.empty() || !hull_of_points(std::span<const Point>(points))) {
        return bad_shape(ErrorCode::SettingOutOfRange, where,
                         fmt::format("the {} vertices span nothing", points.size()), hint);
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
};

}  // namespace

const char* name_of(const Shape& shape) noexcept
{
    static constexpr const char* names[] = {"plane",    "sphere",     "capsule", "box",
                                            "cylinder", "polyhedron", "disc",    "polygon"};
    return names[shape.index()];
}

bool is_flat(const Shape& shape) noexcept
{
    return std::holds_alternative<DiscShape>(shape) || std::holds_alternative<PolygonShape>(shape);
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
