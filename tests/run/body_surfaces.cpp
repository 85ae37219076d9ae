#include "body_runs.hpp"

#include <numbers>

namespace carom {
namespace {

using namespace test;

/// A flat floor of triangles that is a little uneven as a drawing and exactly flat as a surface.
Body floor_of_triangles(int n, double half)
{
    MeshShape mesh;
    for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) {
            const bool inner = i > 0 && j > 0 && i < n && j < n;
            const double dx = inner ? 0.3 * std::sin(7.0 * i + 3.0 * j) : 0;
            const double dy = inner ? 0.3 * std::cos(5.0 * i - 2.0 * j) : 0;
            mesh.vertices_m.emplace_back(half * (2 * (i + dx) / n - 1), half * (2 * (j + dy) / n - 1), 0);
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            const int a = j * (n + 1) + i, b = a + 1, c = b + n + 1, d = a + n + 1;
            mesh.triangles.push_back({a, b, c});
            mesh.triangles.push_back({a, c, d});
        }
    }
    return {.name = "floor", .shape = mesh, .motion = BodyMotion::Fixed};
}

TEST_CASE("a box slides and a ball rolls over a flat floor of triangles as over the plane")
{
    // no push sideways, no hop at inner sides: the same motion to rounding and the tolerance of the solver
    for (const int kind : {0, 1, 2}) {
        Vec3 end[2];
        for (const bool triangles : {false, true}) {
            Body body = kind == 0   ? box({0.2, 0.15, 0.1}, {-0.5, 0.03, 0.05})
                        : kind == 1 ? ball(0.1, {-0.5, 0.03, 0.1})
                                    : Body{.shape = CylinderShape{0.1, 0.1},
                                           .pose = {.position_m = {-0.5, 0.03, 0.05}},
                                           .mass_kg = 1};
            body.velocity_m_s = {1.3, 0.2, 0};
            Run run{model_of({.bodies = {triangles ? floor_of_triangles(13, 2) : floor_body(), body},
                              .materials = {{.friction = kind == 1 ? 0.2 : 0.1}}})};
            for (int step = 0; step < 160; ++step) {
                run.step();
                const double height = kind == 1 ? 0.1 : 0.05;
                REQUIRE(run.state.x[1].z() == near(height, 1e-9));
            }
            end[triangles ? 1 : 0] = run.state.x[1];
            CHECK(run.deepest_m < 1e-9);
        }
        CHECK(end[0].x() > 0);
        CHECK((end[1] - end[0]).norm() < 1e-6);
    }
}

TEST_CASE("a compound stands where its parts stand, and topples as one body")
{
    // a table of a plate on four legs, against the box of the same outline: neither moves
    CompoundShape table;
    table.parts.push_back({BoxShape{{1, 0.6, 0.05}}, {.position_m = {0, 0, 0.725}}});
    for (const double x : {-0.45, 0.45}) {
        for (const double y : {-0.25, 0.25}) {
            table.parts.push_back(
                {CylinderShape{.radius_m = 0.03, .length_m = 0.7}, {.position_m = {x, y, 0.35}}});
        }
    }
    Body body{.name = "table", .shape = table, .density = 700};
    Body vase = box({0.1, 0.1, 0.3}, {0.3, 0.1, 0.9});
    Run run{model_of({.bodies = {floor_body(), body, vase}, .materials = {{.friction = 0.4}}})};
    run.until(0.5);
    CHECK(drift(run) < 1e-8);
    CHECK(run.deepest_m < 1e-8);
}

TEST_CASE("cylinders piled in a pyramid stand, and a cylinder rolls down a slope at 2/3 of g sin")
{
    // lying along y
    const Rotation lying = rotation_by({std::numbers::pi / 2, 0, 0});
    const double r = 0.1;
    std::vector<Body> bodies{floor_body()};
    for (int i = 0; i < 3; ++i) {
        bodies.push_back(
            {.shape = CylinderShape{r, 0.5},
             .pose = {.position_m = i < 2 ? Vec3((2 * i - 1) * r, 0, r) : Vec3(0, 0, r + std::sqrt(3.0) * r),
                      .rotation = lying},
             .mass_kg = 1});
    }
    Run pile{model_of({.bodies = bodies, .materials = {{.friction = 0.5}}})};
    pile.until(0.3);
    CHECK(drift(pile) < 1e-6);

    const double angle = 0.2;
    const Vec3 n(std::sin(angle), 0, std::cos(angle));
    Body slope{.shape = BoxShape{{10, 2, 1}},
               .pose = {.position_m = -0.5 * n, .rotation = rotation_by({0, angle, 0})},
               .motion = BodyMotion::Fixed};
    Body roller{
        .shape = CylinderShape{r, 0.5}, .pose = {.position_m = r * n, .rotation = lying}, .mass_kg = 1};
    Run run{model_of({.bodies = {slope, roller}, .materials = {{.friction = 0.5}}})};
    run.until(1);
    // constant acceleration without slip: the scheme is exact but for its first step
    const double way = (run.state.x[1] - r * n).dot(Vec3(std::cos(angle), 0, -std::sin(angle)));
    CHECK(way == near(g * std::sin(angle) / 3, 1e-5));
}

TEST_CASE("obstacles cannot be moved by forces, and cylinders meet everything")
{
    const auto refused = [](const Body& body) {
        const auto model = make_body_model({.bodies = {body}});
        REQUIRE_FALSE(model.has_value());
        return model.error().front().code;
    };
    Body mesh = floor_of_triangles(2, 1);
    mesh.motion = BodyMotion::Free;
    CHECK(refused(mesh) == ErrorCode::NotAllowedHere);
    CHECK(refused({.shape = HeightFieldShape{.columns = 2, .heights_m = {0, 0, 0, 0}}}) ==
          ErrorCode::NotAllowedHere);
}

}  // namespace
}  // namespace carom
