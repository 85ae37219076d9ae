#include "cylinder_contact.hpp"

#include "cylinder_axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace carom::detail {
namespace {

constexpr double small = 1e-9;

/// Where the segment from p to q is above the region, as parameters; first > second: nowhere.
std::array<double, 2> part_above(const FlatRegion& region, const Vec3& p, const Vec3& q)
{
    std::array<double, 2> part{0, 1};
    if (region.radius > 0) {
        // |x + s d| = radius across the normal
        const auto across = [&](const Vec3& x) { return Vec3(x - region.normal.dot(x) * region.normal); };
        const Vec3 x = across(p - region.origin), d = across(q - p);
        const double dd = d.squaredNorm(), xd = x.dot(d),
                     rest = x.squaredNorm() - region.radius * region.radius;
        if (dd <= small * small * region.radius * region.radius)
            return rest <= 0 ? part : std::array{1.0, 0.0};
        const double root = xd * xd - dd * rest;
        if (root < 0) return {1, 0};
        return {std::max(0.0, (-xd - std::sqrt(root)) / dd), std::min(1.0, (-xd + std::sqrt(root)) / dd)};
    }
    for (std::size_t i = 0; i < region.corners.size(); ++i) {
        const double from = region.outside(p, i), to = region.outside(q, i);
        if (from > 0 && to > 0) return {1, 0};
        if (from <= 0 && to <= 0) continue;
        const double s = from / (from - to);  // one is positive and the other is not: they differ
        if (from > 0) part[0] = std::max(part[0], s);
        if (to > 0) part[1] = std::min(part[1], s);
    }
    return part;
}

/// Angles at which the circle leaves or enters a side of the polygon, or the disc, as the region has it.
std::vector<double> crossing_angles(const FlatRegion& region, const Vec3& centre, const Vec3& e1,
                                    const Vec3& e2, double tolerance)
{
    std::vector<double> angles;
    if (region.radius == 0) {
        // outside(centre) + A cos + B sin = 0
        for (std::size_t i = 0; i < region.corners.size(); ++i) {
            const double at = region.outside(centre, i);
            const double A = region.outside(centre + e1, i) - at, B = region.outside(centre + e2, i) - at;
            const double size = std::hypot(A, B);
            if (size <= std::abs(at)) continue;
            const double middle = std::atan2(B, A), width = std::acos(-at / size);
            angles.push_back(middle - width);
            angles.push_back(middle + width);
        }
        return angles;
    }
    // an ellipse and a circle: sign changes between points of the circle, then halving
    constexpr int samples = 32;
    const auto outside = [&](double angle) {
        return region.outside(centre + std::cos(angle) * e1 + std::sin(angle) * e2);
    };
    constexpr double step = 2 * std::numbers::pi / samples;
    for (int k = 0; k < samples; ++k) {
        double low = k * step, high = low + step;
        // circles that coincide do not cross
        const bool inside = outside(low) <= tolerance;
        if (inside == (outside(high) <= tolerance)) continue;
        for (int i = 0; i < 60; ++i) {
            const double middle = 0.5 * (low + high);
            (inside == (outside(middle) <= 0) ? low : high) = middle;
        }
        angles.push_back(0.5 * (low + high));
    }
    return angles;
}

void add_once(const Vec3& x, std::uint64_t tag, double tolerance, std::vector<Corner>& corners)
{
    const bool known = std::any_of(corners.begin(), corners.end(), [&](const Corner& other) {
        return (other.point - x).squaredNorm() <= tolerance * tolerance;
    });
    if (!known) corners.push_back({.point = x, .tag = tag});
}

/// The direction in which the end of the cylinder falls against n, or `across` where it is level.
Vec3 downhill(const PlacedCylinder& cylinder, const Vec3& n)
{
    const Vec3 level = n - n.dot(cylinder.axis) * cylinder.axis;
    return level.norm() > small ? Vec3(-level.normalized()) : cylinder.across;
}

struct Query {
    const PlacedCollider& a;  ///< the cylinder
    const PlacedCollider& b;
    const PlacedCylinder cylinder;
    double reach_m, tolerance;
    std::vector<ContactPoint>& points;

    /// n from b to the cylinder.
    void add(const Vec3& on_a, const Vec3& on_b, const Vec3& n, std::uint64_t feature) const
    {
        const ContactPoint point = rounded_point(on_a, on_b, n, 0, b.collider->hull.radius_m, feature);
        if (point.gap_m <= reach_m) points.push_back(point);
    }

    void on_region(const PlacedCylinder& other, const FlatRegion& region, bool of_a, std::uint64_t tag) const;
    void hull_on_end(const Vec3& n) const;
    void with_hull(const CylinderAxis& best) const;
    void with_cylinder(const CylinderAxis& best, const PlacedCylinder& other) const;
    void lines(const Vec3& p0, const Vec3& p1, const Vec3& q0, const Vec3& q1,
               const CylinderAxis& best) const;
};

/// Contacts of the cylinder `other` with a region of the second shape, or of the first (`of_a`).
void Query::on_region(const PlacedCylinder& other, const FlatRegion& region, bool of_a,
                      std::uint64_t tag) const
{
    for (const Corner& corner : cylinder_above(other, region, tolerance)) {
        const Vec3 below = corner.point - region.normal.dot(corner.point - region.origin) * region.normal;
        const std::uint64_t feature = tag | corner.tag;
        if (of_a) {
            add(below, corner.point, -region.normal, feature);
        } else {
            add(corner.point, below, region.normal, feature);
        }
    }
}

/// The facing corners of the hull above the end of the cylinder, n out of the end.
void Query::hull_on_end(const Vec3& n) const
{
    const FlatRegion end{.normal = n, .origin = cylinder.end(n), .radius = cylinder.radius};
    const std::vector<Corner> facing = facing_corners(b, n, tolerance);
    std::vector<Corner> above;
    for (std::size_t i = 0; i < facing.size(); ++i) {
        if (end.outside(facing[i].point) <= tolerance)
            add_once(facing[i].point, facing[i].tag, tolerance, above);
    }
    const std::size_t sides = facing.size() < 3 ? facing.size() - 1 : facing.size();
    for (std::size_t i = 0; i < sides; ++i) {
        const Vec3 &p = facing[i].point, &q = facing[(i + 1) % facing.size()].point;
        const auto [from, to] = part_above(end, p, q);
        if (from > to) continue;
        add_once(p + from * (q - p), 1U << 16 | facing[i].tag, tolerance, above);
        add_once(p + to * (q - p), 2U << 16 | facing[i].tag, tolerance, above);
    }
    // points of the rim under the facing polygon
    if (facing.size() >= 3) {
        FlatRegion polygon{.origin = facing[0].point};
        polygon.normal =
            (facing[1].point - facing[0].point).cross(facing[2].point - facing[0].point).normalized();
        for (const Corner& corner : facing) {
            polygon.corners.push_back(corner.point);
        }
        const double slope = polygon.normal.dot(n);
        const Vec3 down = downhill(cylinder, n), side = cylinder.axis.cross(down);
        for (int k = 0; k < 4 && slope < -1e-3; ++k) {
            const Vec3 x = end.origin + cylinder.radius * (k == 0   ? down
                                                           : k == 1 ? side
                                                           : k == 2 ? -down
                                                                    : -side);
            const Vec3 y = x + polygon.normal.dot(polygon.origin - x) / slope * n;
            if (polygon.outside(y) <= tolerance)
                add_once(y, (3U << 16) + static_cast<unsigned>(k), tolerance, above);
        }
    }
    for (const Corner& corner : above) {
        add(corner.point - n.dot(corner.point - end.origin) * n, corner.point, -n,
            std::uint64_t{1} << 61 | corner.tag);
    }
}

/// Where a line of the side and another line cross above each other; of parallel ones the ends of what they
/// have in common.
void Query::lines(const Vec3& p0, const Vec3& p1, const Vec3& q0, const Vec3& q1,
                  const CylinderAxis& best) const
{
    const std::uint64_t feature = std::uint64_t{1} << 60 | std::uint64_t(best.edge + 1) << 8;
    const double length = (p1 - p0).norm();
    const Vec3 d = length > 0 ? Vec3((p1 - p0) / length) : Vec3(Vec3::Zero());
    if (length > 0 && (q1 - q0).norm() > 0 && d.cross((q1 - q0).normalized()).norm() < 1e-6) {
        const double t0 = d.dot(q0 - p0), t1 = d.dot(q1 - p0);
        const double from = std::max(0.0, std::min(t0, t1)), to = std::min(length, std::max(t0, t1));
        for (const double s : {from, to}) {
            if (to - from <= tolerance) break;
            const Vec3 q = q0 + (s - t0) / (t1 - t0) * (q1 - q0);
            add(p0 + s * d, q, -best.normal, feature | std::uint64_t{s == to});
        }
        if (to - from > tolerance) return;
    }
    const SegmentPair at = nearest_on_segments(p0, p1, q0, q1);
    const Vec3 q = q0 + at.t * (q1 - q0);
    add(q - best.separation * best.normal, q, -best.normal, feature);
}

void Query::with_hull(const CylinderAxis& best) const
{
    const Hull& hull = b.collider->hull;
    const Vec3 low = cylinder.rim_point(best.normal);
    switch (best.kind) {
    case CylinderAxis::Kind::Face: {
        FlatRegion face{.normal = b.normals[best.face],
                        .origin = b.vertices[hull.faces[best.face].loop.front()]};
        for (const int v : hull.faces[best.face].loop) {
            face.corners.push_back(b.vertices[v]);
        }
        on_region(cylinder, face, false, std::uint64_t(best.face + 1) << 40);
        break;
    }
    case CylinderAxis::Kind::End: hull_on_end(best.normal); break;
    case CylinderAxis::Kind::SideLine: {
        const Vec3 out = cylinder.radius * best.normal, along = cylinder.half * cylinder.axis;
        const auto& [v, w] = hull.edges[best.edge];
        lines(cylinder.centre + out - along, cylinder.centre + out + along, b.vertices[v], b.vertices[w],
              best);
        break;
    }
    case CylinderAxis::Kind::Vertex: {
        const Vec3& x = b.vertices[best.vertex];
        add(x - best.separation * best.normal, x, -best.normal,
            std::uint64_t{1} << 59 | static_cast<std::uint64_t>(best.vertex));
        break;
    }
    case CylinderAxis::Kind::Rim:
        add(low, low + best.separation * best.normal, -best.normal,
            std::uint64_t{1} << 58 | static_cast<std::uint64_t>(best.edge + 1));
        break;
    }
}

void Query::with_cylinder(const CylinderAxis& best, const PlacedCylinder& other) const
{
    const Vec3& n = best.normal;
    const Vec3 low = cylinder.rim_point(n), low_other = other.rim_point(-n);
    if (best.kind == CylinderAxis::Kind::End) {
        on_region(other, {.normal = n, .origin = cylinder.end(n), .radius = cylinder.radius}, true,
                  std::uint64_t{1} << 40);
    } else if (best.kind == CylinderAxis::Kind::Face) {
        on_region(cylinder, {.normal = -n, .origin = other.end(-n), .radius = other.radius}, false,
                  std::uint64_t{2} << 40);
    } else if (best.kind == CylinderAxis::Kind::SideLine) {
        const Vec3 p = cylinder.centre + cylinder.radius * n, q = other.centre - other.radius * n;
        const Vec3 along = cylinder.half * cylinder.axis, along_other = other.half * other.axis;
        lines(p - along, p + along, q - along_other, q + along_other, best);
    } else if (best.kind == CylinderAxis::Kind::Vertex) {
        // the side of the first against the rim of the second
        add(low_other - best.separation * n, low_other, -n, std::uint64_t{1} << 59);
    } else {
        add(low, low + best.separation * n, -n, std::uint64_t{1} << 58);
    }
}

}  // namespace

double PlacedCylinder::support(const Vec3& n) const
{
    const double along = n.dot(axis);
    return n.dot(centre) + half * std::abs(along) + radius * (n - along * axis).norm();
}

Vec3 PlacedCylinder::rim_point(const Vec3& n) const
{
    const Vec3 level = n - n.dot(axis) * axis;
    return end(n) + radius * (level.norm() > 0 ? Vec3(level.normalized()) : across);
}

PlacedCylinder placed_cylinder(const PlacedCollider& placed)
{
    const auto& shape = std::get<CylinderShape>(placed.collider->shape);
    return {.centre = placed.pose.to_world(-placed.collider->centre_m),
            .axis = placed.pose.rotation * Vec3::UnitZ(),
            .across = placed.pose.rotation * Vec3::UnitX(),
            .radius = shape.radius_m,
            .half = shape.length_m / 2};
}

double FlatRegion::outside(const Vec3& x, std::size_t side) const
{
    const Vec3& from = corners[side];
    const Vec3& to = corners[(side + 1) % corners.size()];
    return (to - from).cross(normal).normalized().dot(x - from);
}

double FlatRegion::outside(const Vec3& x) const
{
    if (radius > 0) {
        const Vec3 arm = x - origin;
        return (arm - normal.dot(arm) * normal).norm() - radius;
    }
    double worst = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < corners.size(); ++i) {
        worst = std::max(worst, outside(x, i));
    }
    return worst;
}

std::vector<Corner> cylinder_above(const PlacedCylinder& cylinder, const FlatRegion& region, double tolerance)
{
    std::vector<Corner> above;
    const Vec3& n = region.normal;
    const Vec3 end = cylinder.end(-n), down = downhill(cylinder, n), side = cylinder.axis.cross(down);
    const Vec3 e1 = cylinder.radius * down, e2 = cylinder.radius * side;
    const auto on_rim = [&](double angle) { return Vec3(end + std::cos(angle) * e1 + std::sin(angle) * e2); };

    // the rim: the lowest point, a quarter turn on, and where it leaves the region
    const std::array<Vec3, 4> arms{e1, e2, -e1, -e2};
    for (std::size_t k = 0; k < arms.size(); ++k) {
        if (region.outside(end + arms[k]) <= tolerance) add_once(end + arms[k], k, tolerance, above);
    }
    const std::vector<double> angles = crossing_angles(region, end, e1, e2, tolerance);
    for (std::size_t k = 0; k < angles.size(); ++k) {
        const Vec3 x = on_rim(angles[k]);
        if (region.outside(x) <= tolerance) add_once(x, 16 + k, tolerance, above);
    }

    // corners of the region, or points of its rim, under the end
    const double slope = n.dot(cylinder.axis);
    std::vector<Vec3> corners = region.corners;
    if (region.radius > 0) {
        const Vec3 out = down - n.dot(down) * n;
        const Vec3 first = out.norm() > 0.5 ? Vec3(out.normalized()) : Vec3(n.unitOrthogonal());
        for (const Vec3& arm : {first, Vec3(n.cross(first)), Vec3(-first), Vec3(-n.cross(first))}) {
            corners.push_back(region.origin + region.radius * arm);
        }
    }
    for (std::size_t k = 0; k < corners.size() && std::abs(slope) > 1e-3; ++k) {
        const Vec3 x = corners[k] + cylinder.axis.dot(end - corners[k]) / slope * n;
        if ((x - end).norm() <= cylinder.radius + tolerance)
            add_once(x, (std::uint64_t{1} << 20) + k, tolerance, above);
    }

    // the lowest line of the side
    if (cylinder.half > 0 && std::abs(slope) < 1 - 1e-12) {
        const Vec3 q = end + e1 + 2 * (cylinder.centre - end);
        const auto [from, to] = part_above(region, end + e1, q);
        if (from <= to) {
            add_once(end + e1 + from * (q - end - e1), 8, tolerance, above);
            add_once(end + e1 + to * (q - end - e1), 9, tolerance, above);
        }
    }

    // which sides of a polygon have made a point that is none of the cylinder's own
    for (Corner& corner : above) {
        if (region.radius > 0 || corner.tag < 4 || (corner.point - (end + e1)).norm() <= tolerance ||
            (corner.point - (end + e1 + 2 * (cylinder.centre - end))).norm() <= tolerance)
            continue;
        for (std::size_t i = 0; i < region.corners.size() && i < 32; ++i) {
            if (std::abs(region.outside(corner.point, i)) <= 10 * tolerance) corner.sides |= 1U << i;
        }
    }
    return above;
}

void cylinder_contact_points(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
                             std::vector<ContactPoint>& points)
{
    const double tolerance = small * ((a.high - a.low).norm() + (b.high - b.low).norm());
    const Query query{a, b, placed_cylinder(a), reach_m, tolerance, points};
    const double far = std::max(0.0, reach_m) + b.collider->hull.radius_m;
    const bool round = std::holds_alternative<CylinderShape>(b.collider->shape);
    const PlacedCylinder other = round ? placed_cylinder(b) : PlacedCylinder{};
    const CylinderAxisPair best =
        round ? best_axes(query.cylinder, other, tolerance) : best_axes(query.cylinder, a, b, far, tolerance);
    if (best.separation() > far) return;
    const auto along = [&](const CylinderAxis& axis) {
        if (round) {
            query.with_cylinder(axis, other);
        } else {
            query.with_hull(axis);
        }
    };
    const std::size_t before = points.size();
    if (best.flat_first(tolerance)) {
        along(best.flat);
        const double smallest = best.flat.separation - b.collider->hull.radius_m;
        const bool reaches =
            std::any_of(points.begin() + static_cast<long>(before), points.end(),
                        [&](const ContactPoint& p) { return p.gap_m <= smallest + tolerance; });
        if (reaches || best.other.separation == -std::numeric_limits<double>::infinity()) return;
        points.resize(before);
    }
    along(best.other);
}

}  // namespace carom::detail
