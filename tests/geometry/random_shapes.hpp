#pragma once

#include "geometry/contact_points.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace carom::test {

/// A collider that stays where its placed form points to.
struct Placed {
    Collider collider;
    PlacedCollider placed;

    Placed(const Shape& shape, const Pose& pose) : collider(make_collider(shape))
    {
        place(collider, pose, placed);
    }
    Placed(const Placed&) = delete;
};

inline std::vector<ContactPoint> points_between(const Shape& a, const Pose& at_a, const Shape& b,
                                                const Pose& at_b, double reach_m)
{
    const Placed first(a, at_a), second(b, at_b);
    std::vector<ContactPoint> points;
    find_contact_points(first.placed, second.placed, reach_m, points);
    return points;
}

inline double min_gap(const std::vector<ContactPoint>& points)
{
    double smallest = INFINITY;
    for (const ContactPoint& point : points) {
        smallest = std::min(smallest, point.gap_m);
    }
    return smallest;
}

/// How far a convex shape reaches along n, by the definition of the shape: no code in common with carom's.
inline double support(const Shape& shape, const Pose& pose, const Vec3& n)
{
    const Vec3 N = pose.rotation.conjugate() * n;
    double reach = 0;
    if (const auto* sphere = std::get_if<SphereShape>(&shape)) {
        reach = sphere->radius_m;
    } else if (const auto* capsule = std::get_if<CapsuleShape>(&shape)) {
        reach = capsule->radius_m + capsule->length_m / 2 * std::abs(N.z());
    } else if (const auto* box = std::get_if<BoxShape>(&shape)) {
        reach = 0.5 * box->size_m.dot(N.cwiseAbs());
    } else if (const auto* cylinder = std::get_if<CylinderShape>(&shape)) {
        reach = cylinder->radius_m * std::hypot(N.x(), N.y()) + cylinder->length_m / 2 * std::abs(N.z());
    } else if (const auto* polyhedron = std::get_if<PolyhedronShape>(&shape)) {
        reach = -INFINITY;
        for (const Vec3& X : polyhedron->vertices_m) {
            reach = std::max(reach, N.dot(X));
        }
    }
    return reach + n.dot(pose.position_m);
}

inline Vec3 random_direction(std::mt19937& random)
{
    std::normal_distribution<double> normal;
    return Vec3(normal(random), normal(random), normal(random)).normalized();
}

inline Pose random_pose(std::mt19937& random, double reach)
{
    std::uniform_real_distribution<double> uniform(-reach, reach);
    return {.position_m = {uniform(random), uniform(random), uniform(random)},
            .rotation = rotation_by(3 * random_direction(random))};
}

/// A sphere, capsule, box, cylinder or polyhedron, in this order.
inline Shape random_solid(std::mt19937& random, int kind)
{
    std::uniform_real_distribution<double> size(0.2, 1.0);
    const double x = size(random), y = size(random), z = size(random);
    if (kind == 0) return SphereShape{x};
    if (kind == 1) return CapsuleShape{x, y};
    if (kind == 2) return BoxShape{{x, y, z}};
    if (kind == 3) return CylinderShape{x, y};
    PolyhedronShape polyhedron;
    for (int i = 0; i < 8; ++i) {
        polyhedron.vertices_m.push_back(size(random) * random_direction(random));
    }
    return polyhedron;
}

inline Pose moved(const Pose& frame, const Pose& pose)
{
    return {.position_m = frame.to_world(pose.position_m),
            .rotation = (frame.rotation * pose.rotation).normalized()};
}

}  // namespace carom::test
