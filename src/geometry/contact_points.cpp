#include "geometry/contact_points.hpp"

#include "cylinder_contact.hpp"
#include "surface_contact.hpp"
#include "triangle_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace carom {
namespace {

using detail::rounded_point;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Of the ball about the centre of the body that holds the shape.
double extent(const Collider& collider)
{
    if (std::holds_alternative<PlaneShape>(collider.shape)) return infinity;
    if (const auto* cylinder = std::get_if<CylinderShape>(&collider.shape)) {
        return collider.centre_m.norm() + std::hypot(cylinder->radius_m, cylinder->length_m / 2);
    }
    double largest = 0;
    for (std::size_t i = 0; i < collider.parts.size(); ++i) {
        largest = std::max(largest, collider.part_poses[i].position_m.norm() + collider.parts[i].radius_m);
    }
    if (collider.surface) {
        for (const Vec3& vertex : collider.surface->vertices) {
            largest = std::max(largest, vertex.norm());
        }
    }
    for (const Vec3& vertex : collider.hull.vertices) {
        largest = std::max(largest, vertex.norm());
    }
    return largest + collider.hull.radius_m;
}

/// The least width of a shape: how deep another can be in it before the way out is on the far side. Of a
/// polyhedron, that across its faces.
double thickness(const Collider& collider)
{
    if (is_obstacle(collider.shape)) return infinity;
    if (const auto* cylinder = std::get_if<CylinderShape>(&collider.shape)) {
        const double wide = 2 * cylinder->radius_m;
        return cylinder->length_m > 0 ? std::min(wide, cylinder->length_m) : wide;
    }
    double smallest = infinity;
    for (const Collider& part : collider.parts) {
        smallest = std::min(smallest, part.thickness_m);
    }
    const Hull& hull = collider.hull;
    if (!hull.vertices.empty() && hull.faces.empty()) return 2 * hull.radius_m;
    for (const Hull::Face& face : hull.faces) {
        const double at = face.normal.dot(hull.vertices[face.loop.front()]);
        double lowest = at;
        for (const Vec3& vertex : hull.vertices) {
            lowest = std::min(lowest, face.normal.dot(vertex));
        }
        smallest = std::min(smallest, at - lowest + 2 * hull.radius_m);
    }
    return smallest;
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
    const auto& fours = hull.corners_in_fours;
    if (!fours.empty() && fours.lowest(plane.n) - plane.offset - r > reach_m) return;
    for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
        const Vec3& x = hull.vertices[v];
        const double above = plane.above(x);
        if (above - r > reach_m) continue;
        // the gap of the point decides, it is rounded differently
        const ContactPoint point = rounded_point(x, x - above * plane.n, plane.n, r, 0, v);
        if (point.gap_m <= reach_m) points.push_back(point);
    }
}

/// Points of the two rims: the lowest of each, and where the rim is nearly level those a quarter turn on, so
/// that a standing cylinder has four. Only directions of the axis matter: a turn about it changes nothing.
void cylinder_on_plane(const PlacedCollider& placed, const HalfSpace3& plane, double reach_m,
                       std::vector<ContactPoint>& points)
{
    const detail::PlacedCylinder cylinder = detail::placed_cylinder(placed);
    const Vec3 level = plane.n - plane.n.dot(cylinder.axis) * cylinder.axis;
    // downhill within the rim; where there is none the directions of the body do
    const Vec3 down = level.norm() > 1e-9 ? Vec3(-level.normalized()) : cylinder.across;
    const Vec3 across = cylinder.axis.cross(down);
    const std::array<Vec3, 4> arms{down, across, -down, -across};
    const int rims = cylinder.half > 0 ? 2 : 1;
    for (int rim = 0; rim < rims; ++rim) {
        const Vec3 centre = cylinder.centre + (rim == 0 ? -cylinder.half : cylinder.half) * cylinder.axis;
        for (std::size_t k = 0; k < arms.size(); ++k) {
            const Vec3 x = centre + cylinder.radius * arms[k];
            const double above = plane.above(x);
            if (above > reach_m) continue;
            const ContactPoint point =
                rounded_point(x, x - above * plane.n, plane.n, 0, 0, std::uint64_t(rim) * 4 + k);
            if (point.gap_m <= reach_m) points.push_back(point);
        }
    }
}

/// The nearest point of the cylinder to the centre of the ball, or of its surface where that is inside.
void sphere_on_cylinder(const PlacedCollider& sphere, const PlacedCollider& placed, double reach_m,
                        std::vector<ContactPoint>& points)
{
    const auto& cylinder = std::get<CylinderShape>(placed.collider->shape);
    const double r = sphere.collider->hull.radius_m, half = cylinder.length_m / 2;
    const Vec3 X = placed.pose.to_body(sphere.vertices.front()) + placed.collider->centre_m;
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
        // from what is beyond, which does not vanish, and not from a difference, which may
        normal = (std::max(beyond_side, 0.0) * radial + Vec3(0, 0, end * std::max(beyond_end, 0.0)))
                     .stableNormalized();
    }
    const ContactPoint point =
        rounded_point(sphere.vertices.front(), placed.pose.to_world(nearest - placed.collider->centre_m),
                      placed.pose.rotation * normal, r, 0, 0);
    if (point.gap_m <= reach_m) points.push_back(point);
}

void spheres(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
             std::vector<ContactPoint>& points)
{
    const Vec3& x = a.vertices.front();
    const Vec3& y = b.vertices.front();
    const double distance = (x - y).norm();
    // centres that coincide leave the direction open, and so do those whose distance has no square
    const Vec3 up = a.collider->hull.flat ? Vec3::UnitY() : Vec3::UnitZ();
    const Vec3 n = distance > 1e-150 ? Vec3((x - y) / distance) : up;
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

/// Every number to another one, in no order: so that features of different parts differ.
std::uint64_t mixed(std::uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9U;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

/// All parts of a against b, or b itself; points that two parts share count once.
void parts_against(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
                   std::vector<ContactPoint>& points)
{
    const std::size_t before = points.size();
    const bool of_a = !a.parts.empty();
    const auto& parts = of_a ? a.parts : b.parts;
    const PlacedCollider& other = of_a ? b : a;
    const Vec3 grown = Vec3::Constant(std::max(0.0, reach_m));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const PlacedCollider& part = parts[i];
        if (!((part.low - grown).array() <= other.high.array()).all() ||
            !((part.high + grown).array() >= other.low.array()).all())
            continue;
        const std::size_t from = points.size();
        if (of_a) {
            find_contact_points(part, other, reach_m, points);
        } else {
            find_contact_points(other, part, reach_m, points);
        }
        for (std::size_t k = from; k < points.size(); ++k) {
            points[k].feature = mixed(points[k].feature + mixed(2 * i + (of_a ? 1 : 2)));
        }
    }
    const double size = other.collider->radius_m < infinity ? other.collider->radius_m : 0;
    const double largest = of_a ? a.collider->radius_m : b.collider->radius_m;
    detail::join_points(1e-9 * (largest + size), before, points);
}

}  // namespace

namespace detail {

void convex_contact_points(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
                           std::vector<ContactPoint>& points)
{
    const std::size_t before = points.size();
    if (is<CylinderShape>(b)) {
        if (a.vertices.size() == 1) return sphere_on_cylinder(a, b, reach_m, points);
        if (!is<CylinderShape>(a)) {
            cylinder_contact_points(b, a, reach_m, points);
            return exchange(points, before);
        }
    }
    if (is<CylinderShape>(a)) {
        if (b.vertices.size() != 1) return cylinder_contact_points(a, b, reach_m, points);
        sphere_on_cylinder(b, a, reach_m, points);
        return exchange(points, before);
    }
    if (a.vertices.size() == 1 && b.vertices.size() == 1) return spheres(a, b, reach_m, points);
    hull_contact_points(a, b, reach_m, points);
}

}  // namespace detail

Collider make_collider(const Shape& shape, const Vec3& centre_m)
{
    Collider collider{.shape = shape, .hull = make_hull(shape), .centre_m = centre_m};
    for (Vec3& vertex : collider.hull.vertices) {
        vertex -= centre_m;
    }
    if (const auto* compound = std::get_if<CompoundShape>(&shape)) {
        for (const CompoundPart& part : compound->parts) {
            collider.parts.push_back(make_collider(part.shape));
            collider.part_poses.push_back(
                {.position_m = part.pose.position_m - centre_m, .rotation = part.pose.rotation});
        }
    }
    if (const auto* mesh = std::get_if<MeshShape>(&shape)) {
        collider.surface = detail::make_surface(*mesh, centre_m);
    } else if (const auto* field = std::get_if<HeightFieldShape>(&shape)) {
        collider.surface = detail::make_surface(detail::mesh_of(*field), centre_m);
    }
    collider.radius_m = extent(collider);
    collider.thickness_m = thickness(collider);
    return collider;
}

namespace {

/// From so many corners on a hull is looked at by fours.
constexpr std::size_t enough_for_fours = 8;

void place_in_fours(const Hull& hull, PlacedCollider& placed)
{
    const bool enough = !hull.faces.empty() && hull.vertices.size() >= enough_for_fours;
    placed.corners_in_fours.assign(enough ? std::span<const Vec3>(placed.vertices) : std::span<const Vec3>());
    placed.normals_in_fours.assign(enough ? std::span<const Vec3>(placed.normals) : std::span<const Vec3>());
    placed.offsets.resize(placed.normals_in_fours.room());
    for (std::size_t f = 0; f < placed.offsets.size(); ++f) {
        const std::size_t face = std::min(f, hull.faces.size() - 1);
        placed.offsets[f] = placed.normals[face].dot(placed.vertices[hull.faces[face].loop.front()]);
    }
}

/// The box of a shape without vertices.
void place_box(const Collider& collider, PlacedCollider& placed)
{
    const Pose& pose = placed.pose;
    placed.low = pose.position_m - Vec3::Constant(collider.radius_m);
    placed.high = pose.position_m + Vec3::Constant(collider.radius_m);
    if (const auto* shape = std::get_if<CylinderShape>(&collider.shape)) {
        // along e the cylinder reaches half |e . axis| + radius |e across the axis|
        const Vec3 centre = pose.to_world(-collider.centre_m), axis = pose.rotation * Vec3::UnitZ();
        const Vec3 reach = shape->length_m / 2 * axis.cwiseAbs() +
                           shape->radius_m * (Vec3::Ones() - axis.cwiseAbs2()).cwiseMax(0.0).cwiseSqrt();
        placed.low = centre - reach;
        placed.high = centre + reach;
    } else if (collider.surface && !collider.surface->tree.empty()) {
        const BoxTree::Box box = collider.surface->tree.bounds();
        const Vec3 middle = pose.to_world(0.5 * (box.low + box.high));
        const Vec3 reach = pose.rotation.toRotationMatrix().cwiseAbs() * (0.5 * (box.high - box.low));
        placed.low = middle - reach;
        placed.high = middle + reach;
    }
}

}  // namespace

void place(const Collider& collider, const Pose& pose, PlacedCollider& placed)
{
    const Hull& hull = collider.hull;
    const Mat3 R = pose.rotation.toRotationMatrix();
    placed.collider = &collider;
    placed.pose = pose;
    placed.vertices.resize(hull.vertices.size());
    Vec3* vertex_at = placed.vertices.data();
    for (const Vec3& vertex : hull.vertices) {
        *vertex_at++ = pose.position_m + R * vertex;
    }
    placed.normals.resize(hull.faces.size());
    Vec3* normal_at = placed.normals.data();
    for (const Hull::Face& face : hull.faces) {
        *normal_at++ = R * face.normal;
    }
    place_in_fours(hull, placed);
    placed.parts.resize(collider.parts.size());
    for (std::size_t i = 0; i < collider.parts.size(); ++i) {
        const Pose& part = collider.part_poses[i];
        place(collider.parts[i],
              {.position_m = pose.to_world(part.position_m), .rotation = pose.rotation * part.rotation},
              placed.parts[i]);
    }
    if (!placed.parts.empty()) {
        placed.low = placed.parts.front().low;
        placed.high = placed.parts.front().high;
        for (const PlacedCollider& part : placed.parts) {
            placed.low = placed.low.cwiseMin(part.low);
            placed.high = placed.high.cwiseMax(part.high);
        }
        return;
    }
    if (placed.vertices.empty()) return place_box(collider, placed);
    Vec3 low = placed.vertices.front(), high = low;
    for (const Vec3& vertex : placed.vertices) {
        low = low.cwiseMin(vertex);
        high = high.cwiseMax(vertex);
    }
    placed.low = low - Vec3::Constant(hull.radius_m);
    placed.high = high + Vec3::Constant(hull.radius_m);
}

namespace {

/// Whether the balls that hold two shapes are farther apart than that, as of many pairs whose boxes overlap.
bool balls_are_apart(const PlacedCollider& a, const PlacedCollider& b, double far)
{
    constexpr double rounding = 1e-9;
    const double sum = (1 + rounding) * (a.collider->radius_m + b.collider->radius_m + far);
    return (a.pose.position_m - b.pose.position_m).squaredNorm() > sum * sum;
}

}  // namespace

bool can_touch(const Shape& a, const Shape& b) noexcept
{
    return !(is_obstacle(a) && is_obstacle(b));
}

void find_contact_points(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
                         std::vector<ContactPoint>& points)
{
    const std::size_t before = points.size();
    if (!a.parts.empty() || !b.parts.empty()) return parts_against(a, b, reach_m, points);
    if (is<PlaneShape>(b)) {
        if (is<CylinderShape>(a)) return cylinder_on_plane(a, half_space(b), reach_m, points);
        return hull_on_plane(a, half_space(b), reach_m, points);
    }
    if (b.collider->surface) return detail::surface_contact_points(a, b, reach_m, points);
    if (is<PlaneShape>(a) || a.collider->surface) {
        find_contact_points(b, a, reach_m, points);
        return exchange(points, before);
    }
    if (balls_are_apart(a, b, std::max(0.0, reach_m))) return;
    detail::convex_contact_points(a, b, reach_m, points);
}

}  // namespace carom
