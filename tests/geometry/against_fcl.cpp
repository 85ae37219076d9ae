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
