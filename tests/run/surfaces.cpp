#include "body_runs.hpp"

#include <numbers>

namespace carom {
namespace {

using namespace test;

constexpr double radius = 0.1;

/// A ball on a floor, with what its surface adds to friction.
BodySetup ball_on_floor(double friction, const SurfaceDetail& detail, const Vec3& normal = Vec3::UnitZ())
{
    return {.bodies = {floor_body(normal), ball(radius, radius * normal.normalized())},
            .materials = {{.friction = friction, .detail = detail}}};
}

TEST_CASE("rolling resistance slows a rolling ball by 5/7 g rho / R, and holds it on a slope below rho / R")
{
    const double rho = 0.002;
    BodySetup setup = ball_on_floor(0.5, {.rolling_m = rho});
    setup.bodies[1].velocity_m_s = {1, 0, 0};
    setup.bodies[1].angular_velocity_rad_s = {0, 10, 0};
    Run run{model_of(setup)};
    run.until(1);
    // the moment rho m g acts on m R^2 + 2/5 m R^2 about the contact
    CHECK(run.state.v[1].x() == near(1 - g * rho / (1.4 * radius), 1e-6));
    CHECK(run.state.v[1].x() == near(radius * run.state.W[1].norm(), 1e-8));
    run.until(8);
    CHECK(run.state.v[1].norm() < 1e-9);

    for (const double slope : {0.9, 1.1}) {
        const double angle = std::atan(slope * rho / radius);
        Run hill{model_of(ball_on_floor(0.5, {.rolling_m = rho}, {std::sin(angle), 0, std::cos(angle)}))};
        hill.until(1);
        const double a = g * (std::sin(angle) - rho / radius * std::cos(angle)) / 1.4;
        CHECK(hill.state.v[1].norm() == near(slope < 1 ? 0 : a, 1e-6));
        if (slope < 1) CHECK(drift(hill) < 1e-9);
    }
}

TEST_CASE("spinning resistance stops a spinning ball")
{
    const double sigma = 0.001, w0 = 20;
    BodySetup setup = ball_on_floor(0.5, {.spinning_m = sigma});
    setup.bodies[1].angular_velocity_rad_s = {0, 0, w0};
    Run run{model_of(setup)};
    run.until(0.5);
    const double J = 0.4 * radius * radius;
    CHECK(run.state.W[1].z() == near(w0 - sigma * g / J * 0.5, 1e-6));
    run.until(10);
    CHECK(run.state.W[1].norm() < 1e-9);
    CHECK(-run.sums.friction_J == near(0.5 * J * w0 * w0, 1e-4));
}

TEST_CASE("rolling resistance in the plane is that of space")
{
    const double rho = 0.002;
    const Body floor{.shape = PlaneShape{{0, 1, 0}, 0}, .motion = BodyMotion::Fixed};
    Body disc{.shape = DiscShape{radius}, .pose = {.position_m = {0, radius, 0}}, .mass_kg = 1};
    disc.velocity_m_s = {1, 0, 0};
    disc.angular_velocity_rad_s = {0, 0, -1 / radius};
    Run run{model_of({.bodies = {floor, disc},
                      .materials = {{.friction = 0.5, .detail = {.rolling_m = rho}}},
                      .gravity_m_s2 = {0, -g, 0}})};
    run.until(1);
    CHECK(run.state.v[1].x() == near(1 - g * rho / (1.5 * radius), 1e-6));
}

TEST_CASE("cohesion carries a ball below a ceiling as long as it exceeds the weight")
{
    for (const double cohesion : {1.05 * g, 0.95 * g}) {
        BodySetup setup = ball_on_floor(0.5, {.cohesion_N = cohesion});
        setup.gravity_m_s2 = {0, 0, g};  // the floor is a ceiling
        Run run{model_of(setup)};
        run.until(1);
        if (cohesion > g) {
            CHECK(drift(run) < 1e-9);
            CHECK(run.state.v[1].norm() < 1e-9);
            CHECK(run.scratch->contacts.at(0).percussion_Ns().norm() ==
                  near(g * run.settings.time_step_s, 1e-9));
        } else {
            // it comes off in the first step and falls; what held it then is gone
            CHECK(run.state.v[1].z() == near(g, 0.05));
        }
    }
}

TEST_CASE("cohesion presses: a ball rolls down a wall that it clings to, or slides where friction gives in")
{
    // rolling without sliding needs friction of 2/7 of the weight
    const double needed = g * 2 / 7;
    for (const double part : {1.2, 0.8}) {
        const double cohesion = part * needed / 0.5;
        Run run{model_of(ball_on_floor(0.5, {.cohesion_N = cohesion}, {1, 0, 0}))};
        run.until(0.2);
        const double a = part > 1 ? g * 5 / 7 : g - 0.5 * cohesion;
        CHECK(-run.state.v[1].z() == near(a * 0.2, 1e-6));
        CHECK(run.state.v[1].x() == near(0, 1e-9));
    }
}

TEST_CASE("static friction holds until it is exceeded; then the block slides with the dynamic one")
{
    const double angle = std::atan(0.4);
    const Vec3 normal(std::sin(angle), 0, std::cos(angle)), downhill(std::cos(angle), 0, -std::sin(angle));
    for (const double push : {0.0, 0.1}) {
        Body crate = box({0.2, 0.2, 0.2}, 0.1 * normal);
        crate.pose.rotation = rotation_by({0, angle, 0});
        crate.velocity_m_s = push * downhill;
        Run run{model_of({.bodies = {floor_body(normal), crate},
                          .materials = {{.friction = 0.3, .detail = {.static_friction = 0.5}}}})};
        run.until(1);
        const double a = g * (std::sin(angle) - 0.3 * std::cos(angle));
        CHECK(downhill.dot(run.state.v[1]) == near(push > 0 ? push + a : 0, 1e-6));
    }
}

TEST_CASE("friction with a grain turns what slides across it, by maximal dissipation")
{
    // |P_T| on the ellipse, against the sliding: -N (mu1^2 u1, mu2^2 u2) / |(mu1 u1, mu2 u2)|
    const double mu1 = 0.2, mu2 = 0.6, turn = 0.4;
    Body crate = box({0.4, 0.4, 0.01}, {0, 0, 0.005});
    crate.velocity_m_s = {3, 3, 0};
    Body floor = floor_body();
    floor.pose.rotation = rotation_by({0, 0, turn});  // the grain of the floor, along its x
    crate.material = 1;
    Run sliding{model_of(
        {.bodies = {floor, crate},
         .materials = {{.friction = mu1, .detail = {.friction_across = mu2}}, {.friction = 1}},
         .pairs = {{.first = 0, .second = 1, .friction = mu1, .detail = {.friction_across = mu2}}}})};
    sliding.settings.time_step_s = 1e-5;
    sliding.step();
    const Rotation R = rotation_by({0, 0, turn});
    const Vec3 u = R.conjugate() * Vec3(3, 3, 0);
    const Vec3 f = -g / std::hypot(mu1 * u.x(), mu2 * u.y()) * Vec3(mu1 * mu1 * u.x(), mu2 * mu2 * u.y(), 0);
    const Vec3 change = (sliding.state.v[1] - Vec3(3, 3, 0)) / 1e-5;
    CHECK((change - R * f).norm() < 1e-3 * g);
}

}  // namespace
}  // namespace carom
