#include "body_runs.hpp"

#include <array>
#include <functional>
#include <numbers>

namespace carom {
namespace {

using namespace test;
using std::numbers::pi;

/// Runge and Kutta's method for a few equations, as an oracle.
template <std::size_t N>
std::array<double, N> solved(std::array<double, N> y, double t_end, int steps,
                             const std::function<std::array<double, N>(const std::array<double, N>&)>& rate)
{
    const double h = t_end / steps;
    const auto plus = [](const std::array<double, N>& a, double factor, const std::array<double, N>& b) {
        std::array<double, N> sum = a;
        for (std::size_t i = 0; i < N; ++i) {
            sum[i] += factor * b[i];
        }
        return sum;
    };
    for (int n = 0; n < steps; ++n) {
        const auto k1 = rate(y), k2 = rate(plus(y, h / 2, k1)), k3 = rate(plus(y, h / 2, k2)),
                   k4 = rate(plus(y, h, k3));
        y = plus(plus(plus(plus(y, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
    }
    return y;
}

/// A body without a shape: a point, or a wheel about z.
Body bare(const Vec3& at, double mass_kg, const Vec3& inertia = Vec3::Zero())
{
    return {.pose = {.position_m = at}, .mass_kg = mass_kg, .inertia_kg_m2 = Mat3(inertia.asDiagonal())};
}

TEST_CASE("a hinged bar swings as a physical pendulum, to second order, without losing energy")
{
    const double length = 1, theta0 = 1.2;
    const auto exact = solved<2>({theta0, 0}, 2.0, 20000, [&](const std::array<double, 2>& y) {
        return std::array<double, 2>{y[1], -1.5 * g / length * std::sin(y[0])};
    });
    double error[2] = {};
    for (int k = 0; k < 2; ++k) {
        Body bar = box({0.02, 0.02, length}, 0.5 * length * Vec3(std::sin(theta0), 0, -std::cos(theta0)));
        bar.pose.rotation = rotation_by({0, -theta0, 0});
        bar.inertia_kg_m2 = Mat3(Vec3(length * length / 12, length * length / 12, 1e-4).asDiagonal());
        Run run{model_of({.bodies = {bar}, .joints = {{.first = 0, .axis = {0, -1, 0}}}})};
        run.settings.time_step_s = k == 0 ? 2e-3 : 1e-3;
        const double energy = run.model.potential_energy_J(run.state.x, run.state.R);
        run.until(2);
        // theta of the joint is counted from the start
        error[k] = std::abs(run.state.turns[0] + theta0 - exact[0]);
        const double now =
            run.model.potential_energy_J(run.state.x, run.state.R) + run.model.kinetic_energy_J(run.state);
        CHECK(now == near(energy, 1e-5));
        CHECK(run.worst_violation <= 1e-3 * run.settings.activation_gap_m + 1e-15);
    }
    CHECK(error[0] < 1e-4);
    CHECK(error[0] / error[1] == near(4, 0.4));
}

TEST_CASE("two rods in a row move as a double pendulum")
{
    // equal points on rods of unit length; angles from the vertical
    const auto exact = solved<4>({1.0, 0.5, 0, 0}, 1.5, 20000, [](const std::array<double, 4>& y) {
        const double d = y[0] - y[1], c = std::cos(d), s = std::sin(d), D = 2 - c * c;
        return std::array<double, 4>{
            y[2], y[3],
            (-s * (y[3] * y[3] + c * y[2] * y[2]) - 2 * g * std::sin(y[0]) + g * std::sin(y[1]) * c) / D,
            (s * (2 * y[2] * y[2] + c * y[3] * y[3]) + 2 * g * (std::sin(y[0]) * c - std::sin(y[1]))) / D};
    });
    double error[2] = {};
    for (int k = 0; k < 2; ++k) {
        const Vec3 first(std::sin(1.0), 0, -std::cos(1.0));
        const Vec3 second = first + Vec3(std::sin(0.5), 0, -std::cos(0.5));
        Run run{model_of({.bodies = {bare(first, 1), bare(second, 1)},
                          .joints = {{.kind = JointKind::Distance, .first = 0},
                                     {.kind = JointKind::Distance, .first = 1, .second = 0}}})};
        run.settings.time_step_s = k == 0 ? 2e-3 : 1e-3;
        run.until(1.5);
        const Vec3 end = run.state.x[1];
        const Vec3 wanted(std::sin(exact[0]) + std::sin(exact[1]), 0,
                          -std::cos(exact[0]) - std::cos(exact[1]));
        error[k] = (end - wanted).norm();
    }
    CHECK(error[0] < 1e-3);
    CHECK(error[0] / error[1] == near(4, 0.5));
}

TEST_CASE("a heavy top on a ball joint precesses steadily at the rate of Lagrange's equation")
{
    // J3 W3 Omega - J1 Omega^2 cos(alpha) = m g l, about the tip, W3 = w3 + Omega cos(alpha)
    const double m = 1, l = 0.1, J3 = 0.002, J = 0.003, alpha = 0.5, Omega = 4;
    const double J1 = J + m * l * l;
    const double W3 = (m * g * l + J1 * Omega * Omega * std::cos(alpha)) / (J3 * Omega);
    double error[2] = {};
    for (int k = 0; k < 2; ++k) {
        const Vec3 axis(std::sin(alpha), 0, std::cos(alpha));
        Body top = bare(l * axis, m, {J, J, J3});
        top.pose.rotation = rotation_by({0, alpha, 0});
        // angular velocity: W3 along the axis, and what precession has across it
        top.angular_velocity_rad_s = W3 * axis + (Omega * Vec3::UnitZ() - Omega * std::cos(alpha) * axis);
        top.velocity_m_s = top.angular_velocity_rad_s.cross(l * axis);
        Run run{model_of({.bodies = {top}, .joints = {{.kind = JointKind::Spherical, .first = 0}}})};
        run.settings.time_step_s = k == 0 ? 2e-4 : 1e-4;
        run.until(1);
        const Vec3 wanted = rotation_by({0, 0, Omega}) * (l * axis);
        error[k] = (run.state.x[0] - wanted).norm() / l;
    }
    CHECK(error[0] < 2e-3);
    CHECK(error[0] / error[1] == near(4, 0.6));
}

TEST_CASE("two boxes fixed together fly as one box of both")
{
    Body left = box({0.5, 0.2, 0.1}, {-0.25, 0, 0}), right = box({0.5, 0.2, 0.1}, {0.25, 0, 0});
    Body whole = box({1, 0.2, 0.1}, {0, 0, 0}, 2);
    const Vec3 w(2, 3, 0.5);
    for (Body* body : {&left, &right, &whole}) {
        body->angular_velocity_rad_s = w;
        body->velocity_m_s = Vec3(1, 0, 2) + w.cross(body->pose.position_m);
    }
    Run two{
        model_of({.bodies = {left, right}, .joints = {{.kind = JointKind::Fixed, .first = 1, .second = 0}}})};
    Run one{model_of({.bodies = {whole}})};
    two.settings.time_step_s = one.settings.time_step_s = 1e-3;
    two.until(1);
    one.until(1);
    CHECK((two.state.R[0] * one.state.R[0].conjugate()).vec().norm() < 1e-4);
    CHECK((two.state.x[0] + two.state.x[1] - 2 * one.state.x[0]).norm() < 1e-10);
    const double energy = two.model.kinetic_energy_J(two.state);
    CHECK(energy == near(one.model.kinetic_energy_J(one.state), 1e-4 * energy));
}

TEST_CASE("a motor holds its rate, and stalls where its limit is below the load")
{
    for (const double limit : {12.0, 8.0}) {
        Run run{model_of(
            {.bodies = {bare({0, 0, 0}, 1)},
             .joints = {{.kind = JointKind::Prismatic,
                         .first = 0,
                         .slide = {.motor_rate = [](double) { return 0.5; }, .motor_limit = limit}}}})};
        run.settings.time_step_s = 1e-3;
        run.until(1);
        // too weak: it falls with what the motor does not carry
        if (limit < g) {
            CHECK(run.state.v[0].z() == near(-(g - limit), 1e-9));
        } else {
            CHECK(run.state.v[0].z() == near(0.5, 1e-9));
        }
        CHECK(run.state.v[0].head<2>().norm() == 0);
    }
}

TEST_CASE("a hinge with a stop strikes it with its restitution, and rests on it without")
{
    for (const double e : {0.6, 0.0}) {
        Run run{
            model_of({.bodies = {bare({1, 0, 0}, 1, {0.1, 0.1, 0.1})},
                      .joints = {{.first = 0, .axis = {0, 1, 0}, .turn = {.high = 0.5, .restitution = e}}}})};
        run.settings.time_step_s = 1e-4;
        run.until(e > 0 ? 0.5 : 1.0);
        // it falls by 0.5 rad: 0.5 (m + J) w^2 = m g sin(0.5), then rises again to e^2 of the height
        const double lifted =
            0.5 * 1.1 * run.state.W[0].squaredNorm() / g + run.state.x[0].z() + std::sin(0.5);
        CHECK(lifted == near(e * e * std::sin(0.5), 2e-3));
        if (e == 0) {
            CHECK(run.state.turns[0] == near(0.5, 1e-9));
            CHECK(run.state.W[0].norm() < 1e-9);
        }
    }
}

TEST_CASE("gears and racks turn together: one inertia seen through the ratio")
{
    // a wheel with a torque drives another three times as slow, and a rack of 2 kg at 0.1 m
    const double J1 = 0.02, J2 = 0.5, M = 2, torque = 0.3;
    BodySetup setup{
        .bodies = {bare({0, 0, 0}, 1, {1, 1, J1}), bare({1, 0, 0}, 1, {1, 1, J2}), bare({0, 1, 0}, M)},
        .gravity_m_s2 = {0, 0, 0},
        .joints = {{.first = 0},
                   {.first = 1, .point_m = {1, 0, 0}},
                   {.kind = JointKind::Prismatic, .first = 2, .axis = {1, 0, 0}},
                   {.kind = JointKind::Gear, .first_joint = 0, .second_joint = 1, .ratio = 3},
                   {.kind = JointKind::Gear, .first_joint = 2, .second_joint = 0, .ratio = 0.1}}};
    setup.forces = [&](const State&, std::span<Wrench> wrenches) { wrenches[0].torque_Nm = {0, 0, torque}; };
    Run run{model_of(std::move(setup))};
    run.settings.time_step_s = 1e-3;
    run.until(2);
    const double rate = torque / (J1 + J2 / 9 + M * 0.01) * 2;
    CHECK(run.state.W[0].z() == near(rate, 1e-9 * rate));
    CHECK(run.state.W[1].z() == near(-rate / 3, 1e-9 * rate));
    CHECK(run.state.v[2].x() == near(-0.1 * rate, 1e-9 * rate));
    // whole turns are counted: the wheel has gone round several times
    CHECK(run.state.turns[0] == near(rate, 1e-6 * rate));
    CHECK(run.state.turns[0] + 3 * run.state.turns[1] == near(0, 1e-9));
}

TEST_CASE("friction of a pin stops a wheel: of constant size, and pressed by its weight")
{
    const double J = 0.05, w0 = 10, m = 2;
    for (const bool pressed : {false, true}) {
        Body wheel = bare({0, 0, 0}, m, {1, 1, J});
        wheel.pose.rotation = rotation_by({pi / 2, 0, 0});  // axis along -y: the weight is across it
        wheel.angular_velocity_rad_s = {0, -w0, 0};
        JointFreedom turn{.friction = 0.2};
        if (pressed) turn = {.friction_arm = 0.2 / (m * g)};
        Run run{model_of({.bodies = {wheel}, .joints = {{.first = 0, .axis = {0, 1, 0}, .turn = turn}}})};
        run.settings.time_step_s = 1e-3;
        run.until(1);
        CHECK(run.state.W[0].norm() == near(w0 - 0.2 / J, 1e-9));
        run.until(3);
        // it stops within a step of J w0 / M = 2.5 s, and stays
        CHECK(run.state.W[0].norm() < 1e-12);
        CHECK(-run.sums.friction_J == near(0.5 * J * w0 * w0, 1e-6));
    }
}

TEST_CASE("a universal joint passes a turn on as Cardan's does")
{
    const double beta = 0.6, rate = 3;
    const Vec3 out(std::cos(beta), std::sin(beta), 0);
    // fork axes: z belongs to the first shaft, across both at the start the other one
    Run run{model_of(
        {.bodies = {bare({-1, 0, 0}, 1, {0.1, 0.1, 0.1}), bare(out, 1, {0.1, 0.1, 0.1})},
         .joints = {{.first = 0, .axis = {1, 0, 0}, .turn = {.motor_rate = [&](double) { return rate; }}},
                    {.first = 1, .axis = out},
                    {.kind = JointKind::Universal,
                     .first = 0,
                     .second = 1,
                     .axis = {0, 0, 1},
                     .second_axis = Vec3(-std::sin(beta), std::cos(beta), 0)}}})};
    run.settings.time_step_s = 1e-3;
    run.until(1.3);
    const double theta = run.state.turns[0];
    CHECK(theta == near(rate * 1.3, 0.01));
    // the fork of the driving shaft stands along z at first: tan(theta_2) = tan(theta) / cos(beta) from there
    const double ratio = std::cos(beta) / (1 - std::pow(std::sin(beta) * std::sin(theta), 2));
    const double other = 1 / (std::cos(beta) * (1 + std::pow(std::tan(theta) / std::cos(beta), 2))) *
                         (1 + std::pow(std::tan(theta), 2));
    CHECK(ratio == near(other, 10));  // both forms of the same curve, a quarter turn apart
    const double passed = run.state.W[1].dot(run.state.R[1].conjugate() * out) / rate;
    CHECK(std::min(std::abs(passed - ratio), std::abs(passed - other)) < 2e-3);
}

TEST_CASE("a slider on a crank goes where the triangle says")
{
    const double r = 0.1, l = 0.3, rate = 20;
    Run run{model_of(
        {.bodies = {bare({0, 0, 0}, 1, {0.1, 0.1, 0.01}), bare({r + l / 2, 0, 0}, 0.5, {0.01, 0.01, 0.004}),
                    bare({r + l, 0, 0}, 1, {0.1, 0.1, 0.1})},
         .joints = {{.first = 0, .turn = {.motor_rate = [&](double) { return rate; }}},
                    {.first = 1, .second = 0, .point_m = {r, 0, 0}},
                    {.first = 2, .second = 1, .point_m = {r + l, 0, 0}},
                    {.kind = JointKind::Prismatic, .first = 2, .axis = {1, 0, 0}}}})};
    run.settings.time_step_s = 1e-4;
    run.until(0.4);
    const double theta = run.state.turns[0];
    const double s = r * std::cos(theta) + std::sqrt(l * l - std::pow(r * std::sin(theta), 2));
    CHECK(theta > 7);  // more than a turn
    CHECK(run.state.x[2].x() == near(s, 1e-9));
    CHECK(run.state.x[2].y() == near(0, 1e-9));
}

TEST_CASE("a string that becomes taut throws back by its restitution")
{
    Body stone = bare({0.3, 0, 0}, 1);
    stone.velocity_m_s = {2, 0, 0};
    for (const double e : {0.0, 0.5}) {
        Run run{
            model_of({.bodies = {stone},
                      .gravity_m_s2 = {0, 0, 0},
                      .joints = {{.kind = JointKind::String, .first = 0, .length_m = 1, .restitution = e}}})};
        run.settings.time_step_s = 1e-3;
        run.until(0.5);
        CHECK(run.state.v[0].x() == near(-2 * e, 1e-9));
        if (e == 0) CHECK(run.state.x[0].x() == near(1, 1e-9));
    }
}

TEST_CASE("a ball joint stops at its cone")
{
    // a pendulum let go beside the cone about -z
    const double opening = 0.4;
    Body bob = bare({0, 0, -1}, 1, {0.01, 0.01, 0.01});
    bob.velocity_m_s = {3, 0, 0};
    bob.angular_velocity_rad_s = {0, -3, 0};
    Run run{model_of({.bodies = {bob},
                      .gravity_m_s2 = {0, 0, 0},
                      .joints = {{.kind = JointKind::Spherical, .first = 0, .turn = {.high = opening}}}})};
    run.settings.time_step_s = 1e-3;
    run.until(1);
    const double angle = std::atan2(run.state.x[0].head<2>().norm(), -run.state.x[0].z());
    CHECK(angle == near(opening, 1e-6));
    CHECK(run.state.v[0].norm() < 1e-9);
}

TEST_CASE("planar and cylindrical joints let bodies slide and turn, and nothing else")
{
    Body plate = bare({0, 0, 0}, 1, {0.1, 0.2, 0.3});
    plate.velocity_m_s = {1, 2, 0};
    plate.angular_velocity_rad_s = {0, 0, 3};
    Run planar{model_of({.bodies = {plate}, .joints = {{.kind = JointKind::Planar, .first = 0}}})};
    planar.until(1);
    CHECK((planar.state.x[0] - Vec3(1, 2, 0)).norm() < 1e-12);
    CHECK(planar.state.turns[0] == near(3, 1e-9));

    plate.velocity_m_s = {0, 0, 1};
    Run screw{model_of({.bodies = {plate},
                        .gravity_m_s2 = {4, 0, -g},
                        .joints = {{.kind = JointKind::Cylindrical, .first = 0}}})};
    screw.until(1);
    CHECK((screw.state.x[0] - Vec3(0, 0, 1 - g / 2)).norm() < 1e-9);
    CHECK(screw.state.W[0].z() == near(3, 1e-12));
}

TEST_CASE("joined bodies in the plane: a pendulum of discs with a contact")
{
    // a disc on a hinged arm comes down on a floor and stays there
    const Body floor{.name = "floor", .shape = PlaneShape{{0, 1, 0}, -0.5}, .motion = BodyMotion::Fixed};
    const Body disc{.shape = DiscShape{0.1}, .pose = {.position_m = {1, 0, 0}}, .mass_kg = 1};
    Run run{model_of({.bodies = {floor, disc},
                      .materials = {{.friction = 0.3}},
                      .gravity_m_s2 = {0, -g, 0},
                      .joints = {{.first = 1}}})};
    run.until(2);
    CHECK(run.state.x[1].norm() == near(1, 1e-9));
    CHECK(run.state.x[1].y() == near(-0.4, 1e-6));
    CHECK(run.state.v[1].norm() < 1e-9);
}

TEST_CASE("a cradle on rods: the sequential map passes the swing to the last ball and back")
{
    BodySetup setup{.materials = {{.restitution = 1}}, .impact_map = sequential_map({})};
    const double length = 0.5, up = 0.3;
    for (int i = 0; i < 4; ++i) {
        const double angle = i == 0 ? up : 0;
        Body one = ball(0.05, {0.1 * i - length * std::sin(angle), 0, -length * std::cos(angle)});
        setup.bodies.push_back(one);
        setup.joints.push_back({.first = i, .point_m = {0.1 * i, 0, 0}, .axis = {0, 1, 0}});
    }
    Run run{model_of(setup)};
    run.settings.time_step_s = 1e-4;
    const double energy = run.model.potential_energy_J(run.state.x, run.state.R);
    // a quarter of a swing down, one up: the last ball is where the first one was, mirrored
    const double J = 0.4 * 0.0025 + length * length;
    const double period =
        2 * pi * std::sqrt(J / (g * length)) * (1 + up * up / 16 + 11 * std::pow(up, 4) / 3072);
    run.until(std::round(period / 2 / 1e-4) * 1e-4);
    CHECK(run.state.turns[3] == near(-up, 1e-3));
    for (int i = 0; i < 3; ++i) {
        CHECK(run.state.x[static_cast<std::size_t>(i)].x() == near(0.1 * i, 1e-3));
    }
    const double now =
        run.model.potential_energy_J(run.state.x, run.state.R) + run.model.kinetic_energy_J(run.state);
    CHECK(now == near(energy, 1e-5));
}

TEST_CASE("joints that make no sense are refused by name")
{
    const Body body = bare({1, 0, 0}, 1);
    Body moving = body;
    moving.velocity_m_s = {1, 0, 0};
    const auto message = [](BodySetup setup) {
        const auto model = make_body_model(std::move(setup));
        return model ? std::string{} : to_text(model.error().front());
    };
    CHECK(message({.bodies = {body}, .joints = {{.name = "hinge", .first = 3}}}).find("joint.hinge") !=
          std::string::npos);
    CHECK(message({.bodies = {body}, .joints = {{.first = 0, .axis = {0, 0, 0}}}}).find("axis") !=
          std::string::npos);
    CHECK(message({.bodies = {body}, .joints = {{.first = 0, .slide = {.low = 0}}}}).find("slide") !=
          std::string::npos);
    CHECK(message({.bodies = {body}, .joints = {{.first = 0, .turn = {.low = 1, .high = 2}}}}).find("turn") !=
          std::string::npos);
    CHECK(message({.bodies = {body}, .joints = {{.kind = JointKind::Gear}}}).find("gear") !=
          std::string::npos);
    CHECK(
        message({.bodies = {moving}, .joints = {{.name = "hinge", .first = 0}}}).find("initial velocities") !=
        std::string::npos);
}

}  // namespace
}  // namespace carom
