// Distances and overlaps of convex solids by another program, FCL with libccd.

#include "random_shapes.hpp"
#include "support/near.hpp"

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <doctest/doctest.h>

namespace carom {
namespace {

using test::min_gap;
using test::near;
using test::points_between;
using test::random_pose;
using test::random_solid;

std::shared_ptr<fcl::CollisionGeometryd> in_fcl(const Shape& shape)
{
    if (const auto* sphere = std::get_if<SphereShape>(&shape))
        return std::make_shared<fcl::Sphered>(sphere->radius_m);
    if (const auto* capsule = std::get_if<CapsuleShape>(&shape))
        return std::make_shared<fcl::Capsuled>(capsule->radius_m, capsule->length_m);
    if (const auto* box = std::get_if<BoxShape>(&shape))
        return std::make_shared<fcl::Boxd>(box->size_m.x(), box->size_m.y(), box->size_m.z());
    if (const auto* cylinder = std::get_if<CylinderShape>(&shape))
        return std::make_shared<fcl::Cylinderd>(cylinder->radius_m, cylinder->length_m);
    const Hull hull = make_hull(shape);
    const auto vertices = std::make_shared<std::vector<Vec3>>(hull.vertices);
    const auto faces = std::make_shared<std::vector<int>>();
    for (const Hull::Face& face : hull.faces) {
        faces->push_back(static_cast<int>(face.loop.size()));
        faces->insert(faces->end(), face.loop.begin(), face.loop.end());
    }
    return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(hull.faces.size()), faces);
}

fcl::Transform3d in_fcl(const Pose& pose)
{
    fcl::Transform3d transform = fcl::Transform3d::Identity();
    transform.linear() = pose.rotation.toRotationMatrix();
    transform.translation() = pose.position_m;
    return transform;
}

struct Pair {
    Shape a, b;
    Pose at_a, at_b;
};

/// Corners on an ellipsoid.
PolyhedronShape stone(std::mt19937& random, int corners)
{
    PolyhedronShape shape;
    for (int i = 0; i < corners; ++i) {
        shape.vertices_m.emplace_back(Vec3(1.0, 0.8, 0.6).cwiseProduct(test::random_direction(random)));
    }
    return shape;
}

/// How far the second shape is beyond the first along n, from a to b, by the corners alone.
double separation(const Pair& pair, const Vec3& n)
{
    return -test::support(pair.b, pair.at_b, -n) - test::support(pair.a, pair.at_a, n);
}

TEST_CASE("stones of hundreds of corners are as far apart as FCL says")
{
    std::mt19937 random(22);
    int apart = 0;
    for (int i = 0; i < 300; ++i) {
        const Pair pair{stone(random, 40 + i), stone(random, 400 - i), random_pose(random, 1.2),
                        random_pose(random, 1.2)};
        const double gap = min_gap(points_between(pair.a, pair.at_a, pair.b, pair.at_b, 10));
        if (!(gap > 1e-3)) continue;
        fcl::DistanceRequestd request;
        request.gjk_solver_type = fcl::GST_LIBCCD;
        request.distance_tolerance = 1e-9;
        fcl::DistanceResultd result;
        const double distance = fcl::distance(in_fcl(pair.a).get(), in_fcl(pair.at_a), in_fcl(pair.b).get(),
                                              in_fcl(pair.at_b), request, result);
        ++apart;
        CHECK(distance == near(gap, 1e-6));
    }
    CHECK(apart > 50);
}

TEST_CASE("stones in each other leave along the axis of least overlap among all faces and pairs of edges")
{
    std::mt19937 random(23);
    int overlapping = 0;
    for (int i = 0; i < 60; ++i) {
        const int corners = i % 3 == 0 ? 30 : 300;
        const Pair pair{stone(random, corners), stone(random, corners), random_pose(random, 0.7),
                        random_pose(random, 0.7)};
        const auto points = points_between(pair.a, pair.at_a, pair.b, pair.at_b, 0);
        if (points.empty()) continue;
        const double found = separation(pair, -points.front().normal);
        REQUIRE(found <= 1e-9);
        ++overlapping;
        const test::Placed a(pair.a, pair.at_a), b(pair.b, pair.at_b);
        double best = -INFINITY;
        for (const Vec3& n : a.placed.normals) {
            best = std::max(best, separation(pair, n));
        }
        for (const Vec3& n : b.placed.normals) {
            best = std::max(best, separation(pair, -n));
        }
        const auto along = [](const PlacedCollider& hull, const std::array<int, 2>& edge) {
            return Vec3(hull.vertices[edge[1]] - hull.vertices[edge[0]]);
        };
        for (const auto& edge_a : a.collider.hull.edges) {
            for (const auto& edge_b : b.collider.hull.edges) {
                if (corners > 30) break;
                const Vec3 n = along(a.placed, edge_a).cross(along(b.placed, edge_b));
                if (n.norm() < 1e-6) continue;
                best = std::max({best, separation(pair, n.normalized()), separation(pair, -n.normalized())});
            }
        }
        CHECK(found >= best - 1e-8);
    }
    CHECK(overlapping > 20);
}

TEST_CASE("separated solids are as far apart as FCL says")
{
    std::mt19937 random(21);
    int apart = 0;
    for (int i = 0; i < 3000; ++i) {
        const Pair pair{random_solid(random, i % 5), random_solid(random, i / 5 % 5),
                        random_pose(random, 1.5), random_pose(random, 1.5)};
        const double gap = min_gap(points_between(pair.a, pair.at_a, pair.b, pair.at_b, 10));
        if (!(gap > 1e-3)) continue;
        fcl::DistanceRequestd request;
        request.gjk_solver_type = fcl::GST_LIBCCD;
        request.distance_tolerance = 1e-9;
        fcl::DistanceResultd result;
        const double distance = fcl::distance(in_fcl(pair.a).get(), in_fcl(pair.at_a), in_fcl(pair.b).get(),
                                              in_fcl(pair.at_b), request, result);
        CAPTURE(i % 5);
        CAPTURE(i / 5 % 5);
        ++apart;
        // its iterations on round shapes end within 1e-6
        CHECK(distance == near(gap, 1e-6));
    }
    CHECK(apart > 1000);
}

TEST_CASE("overlapping solids touch for FCL too, and are not deeper for us than for it")
{
    // its overlaps are those along the axis that its expansion has found: the least one, or more
    std::mt19937 random(22);
    int overlapping = 0, equal = 0;
    for (int i = 0; i < 3000; ++i) {
        const Pair pair{random_solid(random, i % 5), random_solid(random, i / 5 % 5),
                        random_pose(random, 0.6), random_pose(random, 0.6)};
        const double gap = min_gap(points_between(pair.a, pair.at_a, pair.b, pair.at_b, 10));
        if (std::abs(gap) < 1e-4) continue;
        fcl::CollisionRequestd request(10, true);
        request.gjk_solver_type = fcl::GST_LIBCCD;
        request.gjk_tolerance = 1e-9;
        fcl::CollisionResultd result;
        const auto a = in_fcl(pair.a), b = in_fcl(pair.b);
        const bool touch =
            fcl::collide(a.get(), in_fcl(pair.at_a), b.get(), in_fcl(pair.at_b), request, result) > 0;
        CAPTURE(i % 5);
        CAPTURE(i / 5 % 5);
        REQUIRE(touch == (gap < 0));
        if (!touch) continue;
        double depth = 0;
        for (std::size_t k = 0; k < result.numContacts(); ++k) {
            depth = std::max(depth, result.getContact(k).penetration_depth);
        }
        ++overlapping;
        CHECK(-gap <= depth + 1e-6);
        if (std::abs(depth + gap) < 1e-4) ++equal;
    }
    CHECK(overlapping > 1000);
    MESSAGE(overlapping << " overlaps, " << equal << " equal");
}

}  // namespace
}  // namespace carom
