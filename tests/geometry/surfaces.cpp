#include "random_shapes.hpp"
#include "support/near.hpp"

#include <doctest/doctest.h>

#include <numbers>

namespace carom {
namespace {

using test::min_gap;
using test::moved;
using test::near;
using test::points_between;
using test::random_direction;
using test::random_pose;
using test::random_solid;

constexpr double pi = std::numbers::pi;

Pose at(double x, double y, double z, const Vec3& turn = Vec3::Zero())
{
    return {.position_m = {x, y, z}, .rotation = rotation_by(turn)};
}

/// A flat floor of n x n cells over [-1, 1]^2, its inner points moved about at random.
MeshShape floor_of(int n, std::mt19937& random)
{
    std::uniform_real_distribution<double> shake(-0.3, 0.3);
    MeshShape mesh;
    for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) {
            const bool inner = i > 0 && j > 0 && i < n && j < n;
            const double dx = inner ? shake(random) : 0, dy = inner ? shake(random) : 0;
            mesh.vertices_m.emplace_back(-1 + 2 * (i + dx) / n, -1 + 2 * (j + dy) / n, 0);
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            const int a = j * (n + 1) + i, b = a + 1, c = b + n + 1, d = a + n + 1;
            mesh.triangles.push_back({a, b, c});
            mesh.triangles.push_back({a, c, d});
        }
    }
    return mesh;
}

bool same_points(const std::vector<ContactPoint>& a, const std::vector<ContactPoint>& b)
{
    if (a.size() != b.size()) return false;
    return std::all_of(a.begin(), a.end(), [&](const ContactPoint& x) {
        return std::any_of(b.begin(), b.end(), [&](const ContactPoint& y) {
            return (x.point_m - y.point_m).norm() < 1e-9 && (x.normal - y.normal).norm() < 1e-9 &&
                   std::abs(x.gap_m - y.gap_m) < 1e-9;
        });
    });
}

TEST_CASE("a flat floor of triangles is the plane, for every shape, wherever it lies or has sunk a little")
{
    // no point at inner sides, none missing, no normal sideways: the very contacts of the plane
    std::mt19937 random(9);
    std::uniform_real_distribution<double> place(-0.5, 0.5), height(-3e-3, 5e-3);
    for (int round = 0; round < 600; ++round) {
        const MeshShape mesh = floor_of(1 + round % 12, random);
        const Shape shape = random_solid(random, round % 5);
        // standing, lying or nearly so, or anyhow; then lowered to its lowest point
        Vec3 turn = 3 * random_direction(random);
        if (round % 3 == 0) turn = Vec3(0, 0, turn.x());
        if (round % 3 == 1)
            turn = rotation_vector(rotation_by({0, 0, turn.x()}) * rotation_by({0, pi / 2, 0}));
        if (round % 7 == 0) turn += 1e-4 * random_direction(random);
        Pose pose = at(0.4 * place(random), 0.4 * place(random), 0, turn);
        pose.position_m.z() = test::support(shape, pose, Vec3(0, 0, -1)) + height(random);
        const double reach = 0.01;
        const Pose frame = round % 2 == 0 ? Pose{} : random_pose(random, 2);
        const auto plane = points_between(shape, moved(frame, pose), PlaneShape{}, frame, reach);
        const auto floor = points_between(shape, moved(frame, pose), mesh, frame, reach);
        CAPTURE(round);
        // the plane also sees what lies beyond the border: shapes of size 1 reach 0.2 + 0.87 at most
        const bool inside = std::all_of(plane.begin(), plane.end(), [&](const ContactPoint& point) {
            const Vec3 X = frame.to_body(point.point_m);
            return std::max(std::abs(X.x()), std::abs(X.y())) < 0.999;
        });
        if (!inside) continue;
        REQUIRE_FALSE(floor.empty());
        if (std::holds_alternative<CylinderShape>(shape)) {
            // a cylinder on a plane has points of both rims; on a face those that face it
            REQUIRE(min_gap(floor) == near(min_gap(plane), 1e-9));
            for (const ContactPoint& point : floor) {
                REQUIRE((point.normal - frame.rotation * Vec3::UnitZ()).norm() < 1e-9);
            }
        } else {
            REQUIRE(same_points(plane, floor));
        }
    }
}

TEST_CASE("at a ridge bodies touch the ridge, in a valley the slopes, at the border the border")
{
    // a roof over y: slopes of 45 degrees meet at z = 0 on the x axis
    const auto roof = [](double sign) {
        return MeshShape{
            {{-1, -1, -sign}, {1, -1, -sign}, {1, 0, 0}, {-1, 0, 0}, {1, 1, -sign}, {-1, 1, -sign}},
            {{0, 1, 2}, {0, 2, 3}, {3, 2, 4}, {3, 4, 5}}};
    };
    const auto ball = points_between(SphereShape{0.1}, at(0.1, 0, 0.15), roof(1), {}, 0.1);
    REQUIRE(ball.size() == 1);
    CHECK(ball[0].gap_m == near(0.05, 1e-14));
    CHECK(ball[0].normal.z() == near(1, 1e-14));

    const auto valley = points_between(SphereShape{0.1}, at(0.1, 0, 0.15), roof(-1), {}, 0.1);
    REQUIRE(valley.size() == 2);
    for (const ContactPoint& point : valley) {
        CHECK(point.gap_m == near(0.15 * std::sqrt(0.5) - 0.1, 1e-14));
        CHECK(std::abs(point.normal.y()) == near(std::sqrt(0.5), 1e-14));
    }
    // a board on the ridge: both ends of the ridge under it
    const auto board = points_between(BoxShape{{0.5, 0.5, 0.1}}, at(0, 0.1, 0.05), roof(1), {}, 1e-3);
    REQUIRE(board.size() == 2);
    for (const ContactPoint& point : board) {
        CHECK(point.normal.z() == near(1, 1e-12));
        CHECK(std::abs(point.point_m.x()) == near(0.25, 1e-12));
        CHECK(point.gap_m == near(0, 1e-12));
    }
    // a beam over the end of the floor rests on the border
    std::mt19937 random(1);
    const auto over = points_between(BoxShape{{1, 0.2, 0.2}}, at(0.9, 0, 0.1), floor_of(1, random), {}, 1e-3);
    CHECK(over.size() == 4);
    for (const ContactPoint& point : over) {
        CHECK(point.point_m.x() < 1 + 1e-9);
        CHECK(point.normal.z() == near(1, 1e-12));
    }
    // from below nothing holds it
    CHECK(points_between(SphereShape{0.1}, at(0, 0, -0.11), floor_of(4, random), {}, 0.1).empty());
}

TEST_CASE("a height field of a plane slope is that slope, and of a ball-shaped hill nearly the ball")
{
    HeightFieldShape slope{.spacing_m = {0.1, 0.2}, .columns = 41, .heights_m = {}};
    for (int j = 0; j < 21; ++j) {
        for (int i = 0; i < 41; ++i) {
            slope.heights_m.push_back(0.5 * (i - 20) * 0.1 - 0.25 * (j - 10) * 0.2);
        }
    }
    REQUIRE(check(slope, "body.a").has_value());
    const Vec3 n = Vec3(-0.5, 0.25, 1).normalized();
    std::mt19937 random(10);
    std::uniform_real_distribution<double> place(-0.6, 0.6);
    for (int i = 0; i < 100; ++i) {
        const Pose pose{.position_m = Vec3(place(random), place(random), 0),
                        .rotation = rotation_by({i * 0.1, 0.3, 0})};
        const BoxShape box{{0.4, 0.3, 0.2}};
        Pose above = pose;
        above.position_m += (test::support(box, pose, -n) + 1e-3) / n.z() * Vec3::UnitZ();
        const auto field = points_between(box, above, slope, {}, 0.01);
        const auto plane = points_between(box, above, PlaneShape{.normal = n}, {}, 0.01);
        REQUIRE(same_points(plane, field));
    }

    HeightFieldShape hill{.spacing_m = {0.02, 0.02}, .columns = 101, .heights_m = {}};
    for (int i = 0; i < 101 * 101; ++i) {
        const double x = 0.02 * (i % 101 - 50), y = 0.02 * (i / 101 - 50);
        hill.heights_m.push_back(std::sqrt(4 - x * x - y * y));
    }
    for (int i = 0; i < 50; ++i) {
        const Vec3 direction = Vec3(0.3 * place(random), 0.3 * place(random), 1).normalized();
        const auto points = points_between(SphereShape{0.5}, {.position_m = 2.51 * direction}, hill, {}, 0.1);
        // a cord of 0.028 is 0.028^2 / (8 R) = 5e-5 below the ball of radius 2
        REQUIRE_FALSE(points.empty());
        CHECK(min_gap(points) == near(0.01, 1.2e-4));
    }
}

TEST_CASE("surfaces that are none are refused before memory is taken")
{
    const auto code = [](const Shape& shape) { return check(shape, "body.a").error().code; };
    CHECK(code(MeshShape{}) == ErrorCode::SettingOutOfRange);
    CHECK(code(MeshShape{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}}}) == ErrorCode::SettingOutOfRange);
    CHECK(code(MeshShape{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}}) == ErrorCode::SettingOutOfRange);
    CHECK(code(MeshShape{{{0, 0, 0}, {1, 0, NAN}, {0, 1, 0}}, {{0, 1, 2}}}) == ErrorCode::NotFinite);
    CHECK(code(HeightFieldShape{.columns = 3, .heights_m = {1, 2, 3, 4}}) == ErrorCode::WrongSize);
    CHECK(code(HeightFieldShape{.columns = 2, .heights_m = {1, 2, 3, INFINITY}}) == ErrorCode::NotFinite);
    CHECK(code(HeightFieldShape{.columns = -1, .heights_m = {1, 2, 3, 4}}) == ErrorCode::WrongSize);
    CHECK(code(CompoundShape{}) == ErrorCode::SettingOutOfRange);
    CHECK(code(CompoundShape{{{PlaneShape{}}}}) == ErrorCode::NotAllowedHere);
    CHECK(code(CompoundShape{{{DiscShape{}}, {BoxShape{}}}}) == ErrorCode::NotAllowedHere);
    CHECK(code(CompoundShape{{{SphereShape{}, {.position_m = {NAN, 0, 0}}}}}) ==
          ErrorCode::SettingOutOfRange);
    CHECK(can_touch(MeshShape{}, PlaneShape{}) == false);
    CHECK(can_touch(MeshShape{}, CylinderShape{}) == true);
}

}  // namespace
}  // namespace carom
