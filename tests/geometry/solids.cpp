#include "geometry/shared_colliders.hpp"
#include "random_shapes.hpp"
#include "support/near.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <thread>
#include <vector>

namespace carom {
namespace {

using detail::PointsInFours;
using test::min_gap;
using test::moved;
using test::near;
using test::Placed;
using test::points_between;
using test::random_direction;
using test::random_pose;
using test::random_solid;
using test::support;

constexpr double pi = std::numbers::pi;
const Pose lying{.position_m = {0, 0, 0}, .rotation = rotation_by({0, pi / 2, 0})};  // axis along x

Pose at(double x, double y, double z, const Vec3& turn = Vec3::Zero())
{
    return {.position_m = {x, y, z}, .rotation = rotation_by(turn)};
}

bool has_point(const std::vector<ContactPoint>& points, const Vec3& x)
{
    return std::any_of(points.begin(), points.end(),
                       [&](const ContactPoint& point) { return (point.point_m - x).norm() < 1e-9; });
}

TEST_CASE("the hull of a thousand points on a ball has them all, and is a closed surface")
{
    std::mt19937 random(5);
    PolyhedronShape ball;
    for (int i = 0; i < 1000; ++i) {
        ball.vertices_m.push_back(random_direction(random));
    }
    const Hull hull = make_hull(ball);
    CHECK(hull.vertices.size() == 1000);
    // Euler: V - E + F = 2
    CHECK(1000 - static_cast<int>(hull.edges.size()) + static_cast<int>(hull.faces.size()) == 2);
    for (const auto& [left, right] : hull.edge_faces) {
        REQUIRE(left >= 0);
        REQUIRE(right >= 0);
    }
    for (const Hull::Face& face : hull.faces) {
        for (const Vec3& x : ball.vertices_m) {
            REQUIRE(face.normal.dot(x - hull.vertices[face.loop.front()]) < 1e-9);
        }
    }
    // the ball inscribed in a thousand random triangles misses about 1 % of the volume
    const double volume = mass_properties(ball, 1).mass_kg;
    CHECK(volume < 4 * pi / 3);
    CHECK(volume > 0.98 * 4 * pi / 3);
}

TEST_CASE("faces with many points on them stay one face, however the solid lies and the points are ordered")
{
    std::mt19937 random(6);
    for (int round = 0; round < 20; ++round) {
        // a lattice in a cube, a prism of 200 sides, a cube with points pressed into its faces by 1e-11
        std::vector<Vec3> points;
        const int kind = round % 3;
        for (int i = 0; kind == 0 && i < 343; ++i) {
            points.emplace_back(i % 7, i / 7 % 7, i / 49);
        }
        for (int i = 0; kind == 1 && i < 400; ++i) {
            points.emplace_back(std::cos(i / 2 * pi / 100), std::sin(i / 2 * pi / 100), i % 2);
        }
        for (int i = 0; kind == 2 && i < 2000; ++i) {
            Vec3 x = random_direction(random);
            x /= x.cwiseAbs().maxCoeff();
            points.push_back(i < 8 ? Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1) : (1 - 1e-11) * x);
        }
        const Pose pose = random_pose(random, 2);
        for (Vec3& x : points) {
            x = pose.to_world(x);
        }
        std::shuffle(points.begin(), points.end(), random);
        const auto hull = hull_of_points(points);
        REQUIRE(hull.has_value());
        CHECK(hull->vertices.size() == (kind == 1 ? 400 : 8));
        CHECK(hull->faces.size() == (kind == 1 ? 202 : 6));
        CHECK(hull->edges.size() == (kind == 1 ? 600 : 12));
    }
}

TEST_CASE("gaps of all convex solids are distances or least overlaps")
{
    // whatever n is, the shapes are not farther apart along it than the gap says; and the gap is reached
    // along the normal. Overlaps are the largest over many n, which is a bound for what a better n could show
    std::mt19937 random(7);
    for (int kind_a = 0; kind_a < 5; ++kind_a) {
        for (int kind_b = 0; kind_b < 5; ++kind_b) {
            for (int i = 0; i < 150; ++i) {
                const Shape a = random_solid(random, kind_a), b = random_solid(random, kind_b);
                const Pose at_a = random_pose(random, 1), at_b = random_pose(random, 1);
                const auto points = points_between(a, at_a, b, at_b, 10);
                REQUIRE_FALSE(points.empty());
                const auto nearest =
                    *std::min_element(points.begin(), points.end(),
                                      [](const auto& x, const auto& y) { return x.gap_m < y.gap_m; });
                const auto apart = [&](const Vec3& n) { return -support(a, at_a, -n) - support(b, at_b, n); };
                REQUIRE(nearest.normal.norm() == near(1, 1e-12));
                CAPTURE(kind_a);
                CAPTURE(kind_b);
                // axes closer than 1e-9 of the sizes count as equally good
                REQUIRE(apart(nearest.normal) == near(nearest.gap_m, 1e-7));
                for (int k = 0; k < 200; ++k) {
                    // everywhere, and close by
                    const double spread = k % 4 == 0 ? 10 : std::pow(10.0, -k % 5);
                    const Vec3 n = (nearest.normal + spread * random_direction(random)).normalized();
                    REQUIRE(apart(n) <= nearest.gap_m + 1e-7);
                }
                // all points: each has its own gap along the common normal, on both surfaces or above them
                for (const ContactPoint& point : points) {
                    REQUIRE((point.normal - nearest.normal).norm() < 1e-9);
                    const Vec3 on_a = point.point_m + 0.5 * point.gap_m * point.normal;
                    const Vec3 on_b = point.point_m - 0.5 * point.gap_m * point.normal;
                    for (int k = 0; k < 20; ++k) {
                        const Vec3 n = random_direction(random);
                        REQUIRE(n.dot(on_a) <= support(a, at_a, n) + 1e-7);
                        REQUIRE(n.dot(on_b) <= support(b, at_b, n) + 1e-7);
                    }
                }
            }
        }
    }
}

TEST_CASE("solids do not care which comes first, where the frame is, or how their vertices are ordered")
{
    std::mt19937 random(8);
    for (int i = 0; i < 1500; ++i) {
        const int kind_a = i % 5, kind_b = i / 5 % 5;
        const Shape a = random_solid(random, kind_a), b = random_solid(random, kind_b);
        const Pose at_a = random_pose(random, 1), at_b = random_pose(random, 1),
                   frame = random_pose(random, 3);
        const auto points = points_between(a, at_a, b, at_b, 0.3);
        const auto exchanged = points_between(b, at_b, a, at_a, 0.3);
        Shape shuffled = a;
        if (auto* polyhedron = std::get_if<PolyhedronShape>(&shuffled))
            std::shuffle(polyhedron->vertices_m.begin(), polyhedron->vertices_m.end(), random);
        const auto elsewhere = points_between(shuffled, moved(frame, at_a), b, moved(frame, at_b), 0.3);
        CAPTURE(kind_a);
        CAPTURE(kind_b);
        REQUIRE(points.empty() == exchanged.empty());
        REQUIRE(points.empty() == elsewhere.empty());
        if (points.empty()) continue;
        REQUIRE(min_gap(exchanged) == near(min_gap(points), 1e-8));
        REQUIRE(min_gap(elsewhere) == near(min_gap(points), 1e-8));
    }
}

TEST_CASE("a cylinder stands on a box on four points, and where it overhangs on the edge of the box too")
{
    const CylinderShape can{.radius_m = 0.3, .length_m = 1};
    const BoxShape table{{2, 2, 1}};
    for (const double gap : {1e-3, 0.0, -1e-7}) {
        const auto middle = points_between(can, at(0, 0, 1 + gap, {0, 0, 0.4}), table, {}, 0.01);
        REQUIRE(middle.size() == 4);
        for (const ContactPoint& point : middle) {
            CHECK(point.gap_m == near(gap, 1e-14));
            CHECK(point.normal.z() == near(1, 1e-14));
            CHECK(std::hypot(point.point_m.x(), point.point_m.y()) == near(0.3, 1e-14));
        }
        // the centre 0.1 within the edge x = 1: the edge cuts the end at y = +- sqrt(0.3^2 - 0.1^2)
        const auto over = points_between(can, at(0.9, 0, 1 + gap), table, {}, 0.01);
        const double y = std::sqrt(0.08);
        CHECK(has_point(over, {1, y, 0.5 + gap / 2}));
        CHECK(has_point(over, {1, -y, 0.5 + gap / 2}));
        for (const ContactPoint& point : over) {
            CHECK(point.point_m.x() < 1 + 1e-9);
            CHECK(point.gap_m == near(gap, 1e-14));
        }
        // on a small box: its four corners
        const auto column = points_between(can, at(0, 0, 1 + gap), BoxShape{{0.2, 0.2, 1}}, {}, 0.01);
        CHECK(column.size() == 4);
        CHECK(has_point(column, {0.1, -0.1, 0.5 + gap / 2}));
        // and the box on the end of the cylinder, the same
        const auto above = points_between(BoxShape{{0.2, 0.2, 1}}, at(0, 0, 1 + gap), can, {}, 0.01);
        CHECK(above.size() == 4);
        CHECK(above.front().normal.z() == near(1, 1e-14));
    }
}

TEST_CASE("a cylinder lies on a box along a line, at both ends of what they share")
{
    const CylinderShape log{.radius_m = 0.3, .length_m = 2};
    for (const double gap : {1e-3, 0.0, -1e-7}) {
        const auto whole =
            points_between(log, moved(at(0, 0, 0.8 + gap), lying), BoxShape{{4, 4, 1}}, {}, 0.01);
        REQUIRE(whole.size() == 2);
        CHECK(has_point(whole, {1, 0, 0.5 + gap / 2}));
        CHECK(has_point(whole, {-1, 0, 0.5 + gap / 2}));
        const auto part =
            points_between(log, moved(at(0.5, 0, 0.8 + gap), lying), BoxShape{{1, 1, 1}}, {}, 0.01);
        REQUIRE(part.size() == 2);
        CHECK(has_point(part, {0.5, 0, 0.5 + gap / 2}));
        CHECK(has_point(part, {-0.5, 0, 0.5 + gap / 2}));
        for (const ContactPoint& point : part) {
            CHECK(point.gap_m == near(gap, 1e-14));
        }
        // tilted: a gap of its own at each end
        const Pose tilted{.position_m = {0, 0, 0.9}, .rotation = rotation_by({0, pi / 2 + 0.01, 0})};
        const auto ends = points_between(log, tilted, BoxShape{{4, 4, 1}}, {}, 0.2);
        REQUIRE(ends.size() >= 2);
        const double low = 0.9 - std::sin(0.01) - 0.3 * std::cos(0.01) - 0.5;
        CHECK(min_gap(ends) == near(low, 1e-14));
        CHECK(std::any_of(ends.begin(), ends.end(), [&](const ContactPoint& point) {
            return std::abs(point.gap_m - low - 2 * std::sin(0.01)) < 1e-13;
        }));
    }
}

TEST_CASE("a ball whose centre is next to a thin disc is pushed off along its axis, however near it is")
{
    const SphereShape ball{.radius_m = 1};
    const CylinderShape disc{.radius_m = 2, .length_m = 0};
    for (const double z : {1e-300, 1e-233, 1e-160, 1e-16, 0.1}) {
        for (const double side : {1.0, -1.0}) {
            const auto points = points_between(ball, at(0.3, 0, side * z), disc, {}, 0.1);
            REQUIRE(points.size() == 1);
            CHECK((points[0].normal - Vec3(0, 0, side)).norm() < 1e-15);
            CHECK(points[0].gap_m == near(z - 1, 1e-15));
        }
    }
    // just outside the rim the way out is along the radius
    const double R = std::nextafter(2.0, 3.0);
    const auto points = points_between(ball, at(R * 0.6, R * 0.8, 0), disc, {}, 0.1);
    REQUIRE(points.size() == 1);
    CHECK(points[0].normal.norm() == near(1, 1e-15));

    // two balls as near to each other
    for (const double z : {1e-300, 1e-161, 1e-154, 1e-16}) {
        const auto pair = points_between(ball, at(0, 0, z), ball, {}, 0.1);
        REQUIRE(pair.size() == 1);
        CHECK((pair[0].normal - Vec3(0, 0, 1)).norm() < 1e-15);
    }
}

TEST_CASE("two cylinders: side by side, crossed, end on end, rim on side")
{
    const CylinderShape can{.radius_m = 0.3, .length_m = 1};
    const auto parallel = points_between(can, at(0.65, 0, 0.25), can, {}, 0.1);
    REQUIRE(parallel.size() == 2);
    CHECK(has_point(parallel, {0.325, 0, 0.5}));
    CHECK(has_point(parallel, {0.325, 0, -0.25}));
    CHECK(parallel[0].gap_m == near(0.05, 1e-14));

    const auto crossed = points_between(can, moved(at(0, 0.62, 0), lying), can, {}, 0.1);
    REQUIRE(crossed.size() == 1);
    CHECK(has_point(crossed, {0, 0.31, 0}));
    CHECK(crossed[0].gap_m == near(0.02, 1e-14));

    // ends: the lens that two circles share
    const auto lens = points_between(can, at(0.3, 0, 1 - 1e-7), can, {}, 0.01);
    const double y = std::sqrt(0.3 * 0.3 - 0.15 * 0.15);
    CHECK(has_point(lens, {0.15, y, 0.5 - 0.5e-7}));
    CHECK(has_point(lens, {0.15, -y, 0.5 - 0.5e-7}));
    for (const ContactPoint& point : lens) {
        CHECK(point.gap_m == near(-1e-7, 1e-14));
        CHECK(point.point_m.head<2>().norm() < 0.3 + 1e-9);
        CHECK((point.point_m.head<2>() - Eigen::Vector2d(0.3, 0)).norm() < 0.3 + 1e-9);
    }
    CHECK(points_between(can, at(0, 0, 1), can, {}, 0.01).size() == 4);

    // lying on the end of another: a diameter
    const auto diameter = points_between(can, moved(at(0, 0, 0.8), lying), can, {}, 0.01);
    REQUIRE(diameter.size() == 2);
    CHECK(has_point(diameter, {0.3, 0, 0.5}));
    CHECK(has_point(diameter, {-0.3, 0, 0.5}));
}

TEST_CASE("normals have length one, also at an edge between corners that nearly coincide")
{
    // the last two corners are 8e-9 m apart, and the edge between them need not lie in its faces
    const double r = 3.968750118277967;
    const PolyhedronShape rock{{{1.53125, -3.40625, -2.15625},
                                {-3.96875, 0.5, 0.9999998826533556},
                                {1.0000000447034836, 0.062499970197677612, -3.875},
                                {0.062499970197677612, 2.2500000298023224, 1.5},
                                {-3.78125, 1.5, 0.46875},
                                {-3.875, -3.875, -2.5937500298023224},
                                {-1, -0.5, -3.875},
                                {1.5, 1.5, -3.875},
                                {-1, -0.5, 1.5},
                                {-3.875, 0, 0},
                                {1.5, -3.90625, 0.99999988358467817},
                                {0, -3.875, 0.99999998509883881},
                                {1.5, -3.875, r},
                                {r, 3.9687501089647412, r},
                                {3.9687501154839993, 3.9687501164153218, r}}};
    const Pose of_rock{.position_m = {3.9687500447034836, -3.875, 2.250000118277967},
                       .rotation = Rotation(0.57986928430031937, 0.053473895562761907, -0.57484439443138791,
                                            -0.57484439443138791)};
    const Pose of_cylinder{.position_m = {-1.3437500400468707, -1.343749881722033, r},
                           .rotation = Rotation(-0.95667244412637198, -0.16810496190304625,
                                                -0.16810496190304625, -0.16810496190304625)};
    const auto points = points_between(rock, of_rock, CylinderShape{r, r}, of_cylinder, r);
    REQUIRE_FALSE(points.empty());
    for (const ContactPoint& point : points) {
        CHECK(point.normal.norm() == doctest::Approx(1).epsilon(1e-12));
    }
}

TEST_CASE("a compound is the sum of its parts")
{
    // a dumb-bell of two boxes and a bar; and a cube of eight cubes is a cube
    CompoundShape cubes;
    for (int i = 0; i < 8; ++i) {
        cubes.parts.push_back({BoxShape{{1, 1, 1}}, at(2 + (i & 1), i >> 1 & 1, i >> 2 & 1)});
    }
    REQUIRE(check(cubes, "body.a").has_value());
    const MassProperties whole = mass_properties(cubes, 3), cube = mass_properties(BoxShape{{2, 2, 2}}, 3);
    CHECK(whole.mass_kg == near(cube.mass_kg, 1e-13));
    CHECK((whole.centre_m - Vec3(2.5, 0.5, 0.5)).norm() < 1e-14);
    CHECK((whole.inertia_kg_m2 - cube.inertia_kg_m2).norm() < 1e-12);

    // on the floor: corners that parts share count once
    const Collider collider = make_collider(cubes, whole.centre_m), floor = make_collider(PlaneShape{});
    CHECK(collider.radius_m >= std::sqrt(3.0));
    PlacedCollider placed, ground;
    place(collider, at(0, 0, 1, {0, 0, 0.7}), placed);
    place(floor, {}, ground);
    std::vector<ContactPoint> points;
    find_contact_points(placed, ground, 1e-3, points);
    CHECK(points.size() == 9);
    std::vector<std::uint64_t> features;
    for (const ContactPoint& point : points) {
        CHECK(point.gap_m == near(0, 1e-14));
        features.push_back(point.feature);
    }
    std::sort(features.begin(), features.end());
    CHECK(std::unique(features.begin(), features.end()) == features.end());

    // two compounds: nearest parts
    PlacedCollider above;
    place(collider, at(0, 0, 3.1, {0, 0, 0.7}), above);
    points.clear();
    find_contact_points(above, placed, 0.2, points);
    CHECK(points.size() == 9);
    CHECK(min_gap(points) == near(0.1, 1e-13));
}

TEST_CASE("contact points of stones that tumble do not depend on where they were looked for before")
{
    std::mt19937 random(31);
    const auto stone = [&] {
        PolyhedronShape shape;
        for (int i = 0; i < 30; ++i) {
            shape.vertices_m.emplace_back(Vec3(1.0, 0.8, 0.6).cwiseProduct(random_direction(random)));
        }
        return shape;
    };
    const Collider first = make_collider(stone()), second = make_collider(stone());
    PlacedCollider a, b;
    int found = 0;
    for (int i = 0; i < 300; ++i) {
        const double angle = 0.02 * i, distance = 1.4 + 0.4 * std::sin(0.3 * i);
        place(first, at(0, 0, 0, {angle, 0.5 * angle, 0}), a);
        place(second, at(distance, 0.3 * std::cos(angle), 0, {0, -angle, 0.7 * angle}), b);
        std::vector<ContactPoint> followed, fresh;
        find_contact_points(a, b, 0.05, followed);
        // a thread of its own remembers nothing
        std::thread([&] { find_contact_points(a, b, 0.05, fresh); }).join();
        REQUIRE(followed.size() == fresh.size());
        for (std::size_t k = 0; k < fresh.size(); ++k) {
            CHECK(followed[k].point_m == fresh[k].point_m);
            CHECK(followed[k].normal == fresh[k].normal);
            CHECK(followed[k].gap_m == fresh[k].gap_m);
            CHECK(followed[k].feature == fresh[k].feature);
        }
        if (!fresh.empty()) ++found;
    }
    CHECK(found > 50);
    CHECK(found < 300);
}

bool are_same(const ContactPoint& a, const ContactPoint& b)
{
    return a.point_m == b.point_m && a.normal == b.normal && a.gap_m == b.gap_m && a.feature == b.feature;
}

PolyhedronShape random_polyhedron(std::mt19937& random, int corners)
{
    PolyhedronShape shape;
    for (int i = 0; i < corners; ++i)
        shape.vertices_m.push_back(random_direction(random));
    return shape;
}

TEST_CASE("corners and normals of a hull in fours give the numbers that they give one by one")
{
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        const int corners = 5 + round % 40;
        std::vector<Vec3> points = random_polyhedron(random, corners).vertices_m;
        points.push_back(points[static_cast<std::size_t>(round % corners)]);  // two are equally low
        PointsInFours fours;
        fours.assign(points);
        std::vector<double> offsets(fours.room(), 0.25), heights(fours.room()), bounds(fours.room(), 0.1);
        std::vector<std::uint8_t> sides(fours.room());
        const Vec3 axis = round % 3 == 0 ? Vec3(-points.back()) : random_direction(random);
        const Vec3 low(-0.4, -0.7, -0.2), high(0.3, 0.9, 0.5);
        fours.heights(axis, offsets, heights);
        const double largest = fours.lower_bounds(axis, offsets, bounds);
        fours.sides_outside(low, high, sides);

        std::size_t lowest = 0;
        double largest_bound = -1e9;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double at = axis.dot(points[i]);
            if (at < axis.dot(points[lowest])) lowest = i;
            REQUIRE(heights[i] == at - 0.25);
            REQUIRE(bounds[i] == std::min(0.1, at - 0.25));
            largest_bound = std::max(largest_bound, bounds[i]);
            for (int k = 0; k < 3; ++k) {
                REQUIRE((sides[i] >> (2 * k) & 1) == (points[i][k] < low[k]));
                REQUIRE((sides[i] >> (2 * k + 1) & 1) == (points[i][k] > high[k]));
            }
        }
        REQUIRE(largest == largest_bound);
        REQUIRE(fours.lowest(axis) == axis.dot(points[lowest]));
        const int last = static_cast<int>(points.size()) - 1;
        REQUIRE(fours.lowest_point(axis, 1) ==
                (axis.dot(points[1]) == axis.dot(points[lowest]) ? 1 : static_cast<int>(lowest)));
        // one that is as low as the lowest stays
        if (round % 3 == 0) REQUIRE(fours.lowest_point(axis, last) == last);
    }
}

TEST_CASE("contact points of hulls are the same whether their corners are looked at by fours or one by one")
{
    std::mt19937 random(12);
    std::uniform_real_distribution<double> uniform(-1, 1);
    int touching = 0;
    for (int round = 0; round < 3000; ++round) {
        const Collider a = make_collider(random_polyhedron(random, 8 + round % 25));
        const Collider b = make_collider(random_polyhedron(random, 8 + round % 7));
        // apart, touching, deep; far from the origin, where rounding is larger; nearly parallel faces
        const Pose at_a = random_pose(random, round % 5 == 0 ? 1e4 : 1.0);
        Pose at_b{.position_m = at_a.position_m + (1.6 + 0.4 * uniform(random)) * random_direction(random),
                  .rotation = random_pose(random, 1).rotation};
        if (round % 4 == 0) at_b.rotation = turned(at_a.rotation, Vec3(1e-5, 0, 0));
        PlacedCollider placed_a, placed_b;
        place(a, at_a, placed_a);
        place(b, at_b, placed_b);
        std::vector<ContactPoint> by_fours, one_by_one;
        find_contact_points(placed_a, placed_b, 0.05, by_fours);
        for (PlacedCollider* placed : {&placed_a, &placed_b})
            placed->corners_in_fours = {};
        find_contact_points(placed_a, placed_b, 0.05, one_by_one);
        REQUIRE(std::ranges::equal(by_fours, one_by_one, are_same));
        if (!by_fours.empty()) ++touching;
    }
    CHECK(touching > 500);  // else nothing was compared
}

TEST_CASE("a place that held a hull of many corners is that of a small shape when it is filled again")
{
    std::mt19937 random(13);
    const Collider large = make_collider(random_polyhedron(random, 30));
    const Collider small = make_collider(PolyhedronShape{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
    const Collider box = make_collider(BoxShape{{1, 1, 1}});
    PlacedCollider again, fresh, beside;
    place(large, {}, again);
    place(small, {}, again);
    place(small, {}, fresh);
    place(box, at(0.3, 0.2, -0.49), beside);
    std::vector<ContactPoint> points, expected;
    find_contact_points(again, beside, 0.05, points);
    find_contact_points(fresh, beside, 0.05, expected);
    REQUIRE(!expected.empty());
    CHECK(std::ranges::equal(points, expected, are_same));
}

TEST_CASE(
    "bodies share a collider where all numbers of their shapes and centres are the same, and nowhere else")
{
    const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        others{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.5}};
    // of one length each: capsule and cylinder, sphere and disc, have the same numbers
    const std::vector<Shape> shapes{SphereShape{0.5},
                                    DiscShape{0.5},
                                    SphereShape{0.6},
                                    CapsuleShape{0.5, 1},
                                    CylinderShape{0.5, 1},
                                    CapsuleShape{0.5, 1.1},
                                    BoxShape{{1, 1, 1}},
                                    BoxShape{{1, 1, 2}},
                                    PolyhedronShape{corners},
                                    PolyhedronShape{others},
                                    PlaneShape{{0, 0, 1}, 0.1},
                                    PlaneShape{{0, 0, 1}, 0.2},
                                    PolygonShape{{{0, 0}, {1, 0}, {0, 1}}},
                                    PolygonShape{{{0, 0}, {1, 0}, {0, 2}}}};
    const std::vector<Vec3> centres{{0, 0, 0}, {0.1, 0, 0}};
    SharedColliders shared;
    for (int copy = 0; copy < 2; ++copy) {
        for (const Shape& shape : shapes) {
            for (const Vec3& centre : centres)
                shared.add(shape, centre);
        }
        shared.add_none();
    }
    const std::size_t different = shapes.size() * centres.size() + 1;
    REQUIRE(shared.size() == 2 * different);
    for (std::size_t i = 0; i < different; ++i) {
        CHECK(&shared[i] == &shared[i + different]);
        for (std::size_t j = 0; j < i; ++j) {
            CHECK(&shared[i] != &shared[j]);
        }
    }
    for (std::size_t i = 0; i + 1 < different; ++i) {
        const Collider alone = make_collider(shapes[i / 2], centres[i % 2]);
        CHECK(shared[i].shape.index() == shapes[i / 2].index());
        CHECK(shared[i].hull.vertices == alone.hull.vertices);
        CHECK(shared[i].radius_m == alone.radius_m);
        CHECK(shared[i].centre_m == centres[i % 2]);
    }

    // parts of compounds and obstacles have their own
    const CompoundShape two{{{.shape = SphereShape{0.5}}, {.shape = BoxShape{{1, 1, 1}}}}};
    shared.add(two, Vec3::Zero());
    shared.add(two, Vec3::Zero());
    CHECK(&shared[shared.size() - 1] != &shared[shared.size() - 2]);
    CHECK(shared[shared.size() - 1].parts.size() == 2);
}

}  // namespace
}  // namespace carom
