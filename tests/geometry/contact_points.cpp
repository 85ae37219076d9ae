#include "random_shapes.hpp"

#include "support/near.hpp"
#include "support/property.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace carom {
namespace {

using test::holds_for;
using test::min_gap;
using test::near;
using test::Placed;
using test::points_between;

/// How far the rounded hulls are apart along n, which points from b to a; negative: they overlap.
double apart_along(const PlacedCollider& a, const PlacedCollider& b, const Vec3& n)
{
    double low = INFINITY, high = -INFINITY;
    for (const Vec3& x : a.vertices) {
        low = std::min(low, n.dot(x));
    }
    for (const Vec3& x : b.vertices) {
        high = std::max(high, n.dot(x));
    }
    return low - high - a.collider->hull.radius_m - b.collider->hull.radius_m;
}

/// How far a point is outside of the rounded hull, at most: by its faces, or by its only vertex or edge.
double outside(const PlacedCollider& a, const Vec3& x)
{
    const Hull& hull = a.collider->hull;
    if (hull.faces.empty()) {
        const Vec3& from = a.vertices.front();
        const Vec3 along = a.vertices.back() - from;
        const double s =
            along.norm() > 0 ? std::clamp(along.dot(x - from) / along.squaredNorm(), 0.0, 1.0) : 0.0;
        return (x - from - s * along).norm() - hull.radius_m;
    }
    double worst = -INFINITY;
    for (std::size_t f = 0; f < hull.faces.size(); ++f) {
        worst = std::max(worst, a.normals[f].dot(x - a.vertices[hull.faces[f].loop.front()]));
    }
    return worst;
}

Pose random_pose(std::mt19937& random, double reach, bool flat)
{
    std::uniform_real_distribution<double> uniform(-reach, reach);
    if (flat) {
        return {.position_m = {uniform(random), uniform(random), 0},
                .rotation = rotation_by({0, 0, 3 * uniform(random)})};
    }
    return {.position_m = {uniform(random), uniform(random), uniform(random)},
            .rotation = rotation_by(3 * test::random_direction(random))};
}

Shape random_shape(std::mt19937& random, bool flat)
{
    std::uniform_real_distribution<double> size(0.2, 1.0);
    const int kind = static_cast<int>(random() % (flat ? 2 : 4));
    const int corners = 5 + static_cast<int>(random() % 10);
    if (flat && kind == 0) return DiscShape{size(random)};
    if (flat) {
        PolygonShape polygon;
        for (int i = 0; i < corners; ++i) {
            const Vec3 x = size(random) * test::random_direction(random);
            polygon.vertices_m.emplace_back(x.x(), x.y());
        }
        return polygon;
    }
    if (kind == 0) return SphereShape{size(random)};
    if (kind == 1) return CapsuleShape{size(random), size(random)};
    if (kind == 2) return BoxShape{{size(random), size(random), size(random)}};
    PolyhedronShape polyhedron;
    for (int i = 0; i < corners; ++i) {
        polyhedron.vertices_m.push_back(size(random) * test::random_direction(random));
    }
    return polyhedron;
}

const BoxShape unit_cube{{1, 1, 1}};

TEST_CASE("a box on a box touches at the corners of what they have in common")
{
    for (const double gap : {1e-3, 0.0, -1e-6}) {
        const Pose above{.position_m = {0, 0, 1 + gap}};

        // aligned: the four corners
        const auto aligned = points_between(unit_cube, above, unit_cube, {}, 0.1);
        REQUIRE(aligned.size() == 4);

        // turned by 0.3 rad: the common octagon
        const Pose turned_above{.position_m = above.position_m, .rotation = rotation_by({0, 0, 0.3})};
        const auto octagon = points_between(unit_cube, turned_above, unit_cube, {}, 0.1);
        REQUIRE(octagon.size() == 8);
        for (const auto& points : {aligned, octagon}) {
            for (const ContactPoint& point : points) {
                CHECK(point.gap_m == near(gap, 1e-15));
                CHECK(point.normal.z() == near(1, 1e-15));
                CHECK(point.point_m.z() == near(0.5 + gap / 2, 1e-15));
            }
        }
    }
}

TEST_CASE("a tilted box has a gap of its own at every corner")
{
    const double tilt = 0.01;
    const Pose pose{.position_m = {0, 0, 0.5}, .rotation = rotation_by({0, tilt, 0})};
    const auto points = points_between(unit_cube, pose, PlaneShape{}, {}, 0.1);
    REQUIRE(points.size() == 4);
    for (const ContactPoint& point : points) {
        const double x = point.point_m.x() > 0 ? 0.5 : -0.5;
        CHECK(point.gap_m == near(0.5 - x * std::sin(tilt) - 0.5 * std::cos(tilt), 1e-15));
    }
}

TEST_CASE("two faces that meet edge on edge have all corners of what they share as contacts")
{
    // a cube on a cube, turned and tilted by a little: the edges touch first, and nothing else would keep the
    // other corners from sinking in
    for (const double down : {-1e-3, 1e-4}) {
        const Pose above{.position_m = {0.3, 0.2, 1.003 - down},
                         .rotation = rotation_by({0, 0, 0.4}) * rotation_by({0.004, 0.003, 0})};
        const auto points = points_between(unit_cube, above, unit_cube, {}, 0.05);
        CHECK(points.size() >= 4);
        const Placed a(unit_cube, above), b(unit_cube, {});
        for (const ContactPoint& point : points) {
            // the gap of a point is along the normal, and not below that of the hulls
            CHECK(point.gap_m >= apart_along(a.placed, b.placed, point.normal) - 1e-12);
        }
    }
}

TEST_CASE("capsules that lie on one floor touch where they are, not because they are level")
{
    const CapsuleShape capsule{0.01, 0.1};
    const Rotation lying = rotation_by({std::numbers::pi / 2, 0, 0});
    const Pose first{.position_m = {0, 0, 0.01}, .rotation = lying};
    for (const double angle : {0.3, 0.8, -1.2}) {
        const Pose second{.position_m = {0.08, 0.01, 0.01}, .rotation = rotation_by({0, 0, angle}) * lying};
        const double apart = min_gap(points_between(capsule, first, capsule, second, 1));
        CHECK(apart > 0);
        CHECK(points_between(capsule, first, capsule, second, 0.9 * apart).empty());
        for (const ContactPoint& point : points_between(capsule, first, capsule, second, 1)) {
            CHECK(point.normal.z() == near(0, 1e-9));
        }
    }
}

TEST_CASE("hulls that only their edges part do not touch")
{
    // two pins in the air, 28 mm apart; their faces overlap by 14 mm in all directions
    const double w = 0.05, top = 0.02, h = 0.38;
    PolyhedronShape pin;
    for (const auto& [half, z] : {std::pair(w / 2, 0.0), {w, h / 3}, {top, h}}) {
        for (const double x : {-half, half}) {
            for (const double y : {-half, half}) {
                pin.vertices_m.emplace_back(x, y, z - 0.16808693);
            }
        }
    }
    const Pose first{.position_m = {0.571247, -0.089741, 0.225596},
                     .rotation = Rotation(-0.763359, 0.415215, 0.075376, 0.489078).normalized()};
    const Pose second{.position_m = {0.739288, 0.018702, 0.175518},
                      .rotation = Rotation(-0.911882, -0.16301, 0.025216, 0.375851).normalized()};
    CHECK(points_between(pin, first, pin, second, 0).empty());
    CHECK(points_between(pin, second, pin, first, 0.02).empty());
    CHECK(min_gap(points_between(pin, first, pin, second, 0.05)) == near(0.0286, 1e-4));
}

TEST_CASE("gaps are distances: no direction shows more room, and both points are on the bodies")
{
    // distance = max over n of what separates along n: the normal of the nearest point attains it
    for (const bool flat : {false, true}) {
        std::mt19937 random(1);
        int apart = 0, overlapping = 0;
        for (int i = 0; i < 4000; ++i) {
            const Shape shape_a = random_shape(random, flat), shape_b = random_shape(random, flat);
            const Placed a(shape_a, random_pose(random, 1.2, flat)),
                b(shape_b, random_pose(random, 1.2, flat));
            std::vector<ContactPoint> points;
            find_contact_points(a.placed, b.placed, 10, points);
            REQUIRE_FALSE(points.empty());
            const ContactPoint nearest = *std::min_element(
                points.begin(), points.end(), [](const auto& x, const auto& y) { return x.gap_m < y.gap_m; });
            REQUIRE(nearest.normal.norm() == near(1, 1e-12));

            // axes closer than 1e-9 of the sizes count as equally good
            REQUIRE(apart_along(a.placed, b.placed, nearest.normal) == near(nearest.gap_m, 1e-7));
            const double room = nearest.gap_m / 2;
            if (room > 1e-6) {
                ++apart;
                REQUIRE(outside(a.placed, nearest.point_m + room * nearest.normal) <= 1e-8);
                REQUIRE(outside(b.placed, nearest.point_m - room * nearest.normal) <= 1e-8);
            } else {
                ++overlapping;
                for (int k = 0; k < 20; ++k) {
                    Vec3 n = test::random_direction(random);
                    if (flat) n = Vec3(n.x(), n.y(), 0).normalized();
                    REQUIRE(apart_along(a.placed, b.placed, n) <= nearest.gap_m + 1e-7);
                }
            }
        }
        CHECK(apart > 500);
        CHECK(overlapping > 500);
    }
}

TEST_CASE("which shape comes first does not matter, nor where the frame is")
{
    std::mt19937 random(2);
    for (int i = 0; i < 2000; ++i) {
        const Shape shape_a = random_shape(random, false), shape_b = random_shape(random, false);
        const Pose at_a = random_pose(random, 1, false), at_b = random_pose(random, 1, false);
        const auto points = points_between(shape_a, at_a, shape_b, at_b, 0.5);
        const auto exchanged = points_between(shape_b, at_b, shape_a, at_a, 0.5);
        REQUIRE(points.size() == exchanged.size());

        const Pose frame = random_pose(random, 3, false);
        const auto moved = [&](const Pose& pose) {
            return Pose{.position_m = frame.to_world(pose.position_m),
                        .rotation = frame.rotation * pose.rotation};
        };
        const auto elsewhere = points_between(shape_a, moved(at_a), shape_b, moved(at_b), 0.5);
        REQUIRE(points.size() == elsewhere.size());
        if (points.empty()) continue;
        CHECK(min_gap(exchanged) == near(min_gap(points), 1e-8));
        for (const ContactPoint& point : points) {
            const auto same = [&](const Vec3& x, const Vec3& n, const ContactPoint& other) {
                return (other.point_m - x).norm() < 1e-7 && (other.normal - n).norm() < 1e-6;
            };
            CHECK(std::any_of(exchanged.begin(), exchanged.end(),
                              [&](const auto& other) { return same(point.point_m, -point.normal, other); }));
            CHECK(std::any_of(elsewhere.begin(), elsewhere.end(), [&](const auto& other) {
                return same(frame.to_world(point.point_m), frame.rotation * point.normal, other);
            }));
        }
    }
}

TEST_CASE("parallel capsules touch along a line: at both its ends")
{
    const CapsuleShape log{.radius_m = 0.1, .length_m = 1};
    const auto points = points_between(log, {.position_m = {0.25, 0, 0.3}}, log, {}, 0.1);
    REQUIRE(points.size() == 2);
    for (const ContactPoint& point : points) {
        CHECK(point.gap_m == near(0.05, 1e-15));
        CHECK(point.normal.x() == near(1, 1e-15));
    }
    CHECK(std::abs(points[0].point_m.z() - points[1].point_m.z()) == near(0.7, 1e-15));
}

TEST_CASE("a cylinder stands on four points and rolls on two")
{
    const CylinderShape coin{.radius_m = 0.3, .length_m = 0.1};
    CHECK(points_between(coin, {.position_m = {0, 0, 0.05}}, PlaneShape{}, {}, 1e-6).size() == 4);
    const auto rolling = points_between(
        coin, {.position_m = {0, 0, 0.3}, .rotation = rotation_by({0, std::numbers::pi / 2, 0})},
        PlaneShape{}, {}, 1e-6);
    REQUIRE(rolling.size() == 2);
    CHECK(rolling[0].gap_m == near(0, 1e-15));

    // a ball beside the edge of its end: the corner is nearest
    const auto ball = points_between(SphereShape{0.1}, {.position_m = {0.6, 0, 0.45}}, coin, {}, 1);
    REQUIRE(ball.size() == 1);
    CHECK(ball[0].gap_m == near(std::hypot(0.3, 0.4) - 0.1, 1e-15));
}

TEST_CASE("mass and inertia of a cube from its corners, wherever they are")
{
    PolyhedronShape cube;
    for (int i = 0; i < 8; ++i) {
        cube.vertices_m.emplace_back(3 + (i & 1), 1 + (i >> 1 & 1), -2 + (i >> 2 & 1));
    }
    cube.vertices_m.emplace_back(3.5, 1.5, -1.5);  // inside: no corner
    CHECK(make_hull(cube).vertices.size() == 8);
    CHECK(make_hull(cube).faces.size() == 6);
    CHECK(make_hull(cube).edges.size() == 12);
    const MassProperties mass = mass_properties(cube, 6);
    CHECK(mass.mass_kg == near(6, 1e-13));
    CHECK((mass.centre_m - Vec3(3.5, 1.5, -1.5)).norm() < 1e-14);
    CHECK((mass.inertia_kg_m2 - Mat3::Identity()).norm() < 1e-12);

    const PolygonShape square{{{1, 1}, {3, 1}, {3, 3}, {1, 3}, {2, 3}}};
    const MassProperties flat = mass_properties(square, 3);
    CHECK(flat.mass_kg == near(12, 1e-13));
    CHECK(flat.inertia_kg_m2(2, 2) == near(12.0 * 8 / 12, 1e-12));
}

TEST_CASE("the inertia of a capsule is between that of a ball and that of a rod")
{
    // long and thin: m (l^2 / 12 + r l / 4 + ...) about the middle; short: a ball
    const MassProperties ball = mass_properties(CapsuleShape{1, 1e-9}, 1);
    CHECK(ball.inertia_kg_m2(0, 0) == near(0.4 * ball.mass_kg, 1e-8));
    const MassProperties rod = mass_properties(CapsuleShape{1e-4, 1}, 1);
    CHECK(rod.inertia_kg_m2(0, 0) / rod.mass_kg == near(1.0 / 12, 1e-4));
}

TEST_CASE("no point is given whose gap is beyond the reach, not by a rounding either")
{
    // the reach is just the gap of a point, so that it is decided by the last digit
    std::mt19937 random(7);
    const PlaneShape plane{Vec3(1, 2, -0.5).normalized(), 0.3};
    for (const Shape& shape : {Shape(CylinderShape{0.3, 0.8}), Shape(BoxShape{{0.4, 0.3, 0.2}}),
                               Shape(CapsuleShape{0.2, 0.5}), Shape(SphereShape{0.3})}) {
        for (int k = 0; k < 200; ++k) {
            const Pose at = random_pose(random, 2, false), at_plane = random_pose(random, 2, false);
            for (const ContactPoint& wanted : points_between(shape, at, plane, at_plane, 100)) {
                for (const ContactPoint& point :
                     points_between(shape, at, plane, at_plane, std::max(wanted.gap_m, 0.0)))
                    CHECK(point.gap_m <= std::max(wanted.gap_m, 0.0));
            }
        }
    }
}

TEST_CASE("shapes that are none are refused by name")
{
    const auto code = [](const Shape& shape) { return check(shape, "body.a").error().code; };
    CHECK(code(SphereShape{-1}) == ErrorCode::SettingOutOfRange);
    CHECK(code(BoxShape{{1, 0, 1}}) == ErrorCode::SettingOutOfRange);
    CHECK(code(CapsuleShape{NAN, 1}) == ErrorCode::SettingOutOfRange);
    CHECK(code(PlaneShape{{0, 0, 2}, 0}) == ErrorCode::SettingOutOfRange);
    CHECK(code(PolyhedronShape{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}) ==
          ErrorCode::SettingOutOfRange);
    CHECK(code(PolygonShape{{{0, 0}, {1, 1}, {2, 2}}}) == ErrorCode::SettingOutOfRange);
    CHECK(code(PolygonShape{{{0, 0}, {1, INFINITY}, {2, 2}}}) == ErrorCode::NotFinite);
    CHECK(check(CylinderShape{1, 0}, "body.a").has_value());
}

}  // namespace
}  // namespace carom
