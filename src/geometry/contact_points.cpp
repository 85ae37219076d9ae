#include "carom/geometry/contact_points.hpp"

#include "hull_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace carom {
namespace {

using detail::rounded_point;

constexpr double infinity = std::numeric_limits<double>::infinity();

double extent(const Shape& shape, const Hull& hull)
{
    if (std::holds_alternative<PlaneShape>(shape)) return infinity;
    if (const auto* cylinder = std::get_if<CylinderShape>(&shape)) {
        return std::hypot(cylinder->radius_m, cylinder->length_m / 2);
    }
    double largest = 0;
    for (const Vec3& vertex : hull.vertices) {
        largest = std::max(largest, vertex.norm());
    }
    return largest + hull.radius_m;
}

/// A half-space in the world: n . x <= offset is solid.
struct HalfSpace3 {
    Vec3 n;
    double offset;

    [[nodiscard]] double above(const Vec3& x) const { return n.dot(x) - offset; }
};

HalfSpace3 half_space(const PlacedCollider& plane)
{
    const auto& shape = std::get<PlaneShape>(plane.collider->shape);
    const Vec3 n = plane.pose.rotation * shape.normal;
    return {n, n.dot(plane.pose.to_world(shape.offset_m * shape.normal - plane.collider->centre_m))};
}

void hull_on_plane(const PlacedCollider& hull, const HalfSpace3& plane, double reach_m,
                   std::vector<ContactPoint>& points)
{
    const double r = hull.collider->hull.radius_m;
    for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
        const Vec3& x = hull.vertices[v];
        const double above = plane.above(x);
        if (above - r <= reach_m) {
            points.push_back(rounded_point(x, x - above * plane.n, plane.n, r, 0, v));
        }
    }
}

/// Points of the two rims: the lowest of each, and where the rim is nearly level those a quarter turn on, so
/// that a standing cylinder has four. Only directions of the axis matter: a turn about it changes nothing.
void cylinder_on_plane(const PlacedCollider& placed, const HalfSpace3& plane, double reach_m,
                       std::vector<ContactPoint>& points)
{
    const auto& cylinder = std::get<CylinderShape>(placed.collider->shape);
    const Vec3 axis = placed.pose.rotation * Vec3::UnitZ();
    const Vec3 level = plane.n - plane.n.dot(axis) * axis;
    // downhill within the rim; where there is none the directions of the body do
    const Vec3 down =
        level.norm() > 1e-9 ? Vec3(-level.normalized()) : Vec3(placed.pose.rotation * Vec3::UnitX());
    const Vec3 across = axis.cross(down);
    const std::array<Vec3, 4> arms{down, across, -down, -across};
    const int rims = cylinder.length_m > 0 ? 2 : 1;
    for (int rim = 0; rim < rims; ++rim) {
        const Vec3 centre = placed.pose.position_m + (rim == 0 ? -0.5 : 0.5) * cylinder.length_m * axis;
        for (std::size_t k = 0; k < arms.size(); ++k) {
            const Vec3 x = centre + cylinder.radius_m * arms[k];
            const double above = plane.above(x);
            if (above > reach_m) continue;
            points.push_back(
                rounded_point(x, x - above * plane.n, plane.n, 0, 0, std::uint64_t(rim) * 4 + k));
        }
    }
}

/// The nearest point of the cylinder to the centre of the ball, or of its surface where that is inside.
void sphere_on_cylinder(const PlacedCollider& sphere, const PlacedCollider& placed, double reach_m,
                        std::vector<ContactPoint>& points)
{
    const auto& cylinder = std::get<CylinderShape>(placed.collider->shape);
    const double r = sphere.collider->hull.radius_m, half = cylinder.length_m / 2;
    const Vec3 X = placed.pose.to_body(sphere.vertices.front());
    const double from_axis = std::hypot(X.x(), X.y());
    const Vec3 radial = from_axis > 0 ? Vec3(X.x() / from_axis, X.y() / from_axis, 0) : Vec3(Vec3::UnitX());
    const double end = X.z() < 0 ? -1 : 1;
    const double beyond_side = from_axis - cylinder.radius_m, beyond_end = std::abs(X.z()) - half;

    Vec3 nearest = X, normal = radial;
    if (beyond_side <= 0 && beyond_end <= 0) {
        // inside: out by the shorter way
        normal = beyond_end > beyond_side ? Vec3(0, 0, end) : radial;
        nearest = X - std::max(beyond_side, beyond_end) * normal;
    } else {
        nearest =
            std::min(from_axis, cylinder.radius_m) * radial + Vec3(0, 0, std::clamp(X.z(), -half, half));
        normal = (X - nearest).normalized();
    }
    const ContactPoint point = rounded_point(sphere.vertices.front(), placed.pose.to_world(nearest),
                                             placed.pose.rotation * normal, r, 0, 0);
    if (point.gap_m <= reach_m) points.push_back(point);
}

void spheres(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
             std::vector<ContactPoint>& points)
{
    const Vec3& x = a.vertices.front();
    const Vec3& y = b.vertices.front();
    const double distance = (x - y).norm();
    // centres that coincide leave the direction open
    const Vec3 up = a.collider->hull.flat ? Vec3::UnitY() : Vec3::UnitZ();
    const Vec3 n = distance > 0 ? Vec3((x - y) / distance) : up;
    const ContactPoint point =
        rounded_point(x, y, n, a.collider->hull.radius_m, b.collider->hull.radius_m, 0);
    if (point.gap_m <= reach_m) points.push_back(point);
}

/// The same points seen from the other shape.
void exchange(std::vector<ContactPoint>& points, std::size_t from)
{
    for (std::size_t i = from; i < points.size(); ++i) {
        points[i].normal = -points[i].normal;
    }
}

template <class S>
bool is(const PlacedCollider& placed)
{
    return std::holds_alternative<S>(placed.collider->shape);
}

}  // namespace

Collider make_collider(const Shape& shape, const Vec3& centre_m)
{
    Collider collider{.shape = shape, .hull = make_hull(shape), .centre_m = centre_m};
    for (Vec3& vertex : collider.hull.vertices) {
        vertex -= centre_m;
    }
    collider.radius_m = extent(shape, collider.hull);
    return collider;
}

void place(const Collider& collider, const Pose& pose, PlacedCollider& placed)
{
    const Hull& hull = collider.hull;
    const Mat3 R = pose.rotation.toRotationMatrix();
    placed.collider = &collider;
    placed.pose = pose;
    placed.vertices.clear();
    placed.normals.clear();
    placed.directions.clear();
    for (const Vec3& vertex : hull.vertices) {
        placed.vertices.emplace_back(pose.position_m + R * vertex);
    }
    for (const Hull::Face& face : hull.faces) {
        placed.normals.emplace_back(R * face.normal);
    }
    for (const Vec3& direction : hull.directions) {
        placed.directions.emplace_back(R * direction);
    }

    if (placed.vertices.empty()) {
        placed.low = pose.position_m - Vec3::Constant(collider.radius_m);
        placed.high = pose.position_m + Vec3::Constant(collider.radius_m);
        return;
    }
    placed.low = placed.high = placed.vertices.front();
    for (const Vec3& vertex : placed.vertices) {
        placed.low = placed.low.cwiseMin(vertex);
        placed.high = placed.high.cwiseMax(vertex);
    }
    placed.low -= Vec3::Constant(hull.radius_m);
    placed.high += Vec3::Constant(hull.radius_m);
}

bool can_touch(const Shape& a, const Shape& b) noexcept
{
    const auto plane = [](const Shape& s) { return std::holds_alternative<PlaneShape>(s); };
    const auto cylinder = [](const Shape& s) { return std::holds_alternative<CylinderShape>(s); };
    const auto sphere = [](const Shape& s) { return std::holds_alternative<SphereShape>(s); };
    if (plane(a) || plane(b)) return !(plane(a) && plane(b));
    if (cylinder(a)) return sphere(b);
    if (cylinder(b)) return sphere(a);
    return true;
}

void find_contact_points(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
                         std::vector<ContactPoint>& points)
{
    const std::size_t before = points.size();
    if (is<PlaneShape>(b)) {
        if (is<CylinderShape>(a)) return cylinder_on_plane(a, half_space(b), reach_m, points);
        return hull_on_plane(a, half_space(b), reach_m, points);
    }
    if (is<PlaneShape>(a) || is<CylinderShape>(a)) {
        find_contact_points(b, a, reach_m, points);
        return exchange(points, before);
    }
    if (is<CylinderShape>(b)) return sphere_on_cylinder(a, b, reach_m, points);
    if (a.vertices.size() == 1 && b.vertices.size() == 1) return spheres(a, b, reach_m, points);
    detail::hull_contact_points(a, b, reach_m, points);
}

}  // namespace carom
