#include "body_runs.hpp"

#include "support/systems.hpp"

#include <numbers>

using namespace carom;
using test::near;
using test::vector;

namespace {

constexpr double gravity = 9.81;

/// A disc of 2 kg and radius 0.1 m in the plane above a floor without friction, which would
/// act half-way into the overlap and not at the rim. A spring with a damper holds a point of
/// it that is 0.06 m off its centre.
BodySetup disc_on_spring(double stiffness, double damping)
{
    BodySetup setup;
    setup.gravity_m_s2 = {0, -gravity, 0};
    setup.materials = {{.restitution = 0.9}};
    setup.bodies = {{.name = "floor", .shape = PlaneShape{Vec3::UnitY(), 0}, .motion = BodyMotion::Fixed},
                    {.name = "disc",
                     .shape = DiscShape{0.1},
                     .pose = {.position_m = {0, 0.35, 0}},
                     .velocity_m_s = {0.7, -1, 0},
                     .angular_velocity_rad_s = {0, 0, 3},
                     .mass_kg = 2}};
    setup.springs = {{.first = 1,
                      .first_point_m = {0.06, 0, 0},
                      .second_point_m = {0.5, 0.8, 0},
                      .stiffness_N_m = stiffness,
                      .damping_Ns_m = damping,
                      .rest_length_m = 0.68}};
    return setup;
}

/// The same in coordinates: f is the angle.
test::Sketch disc_in_coordinates(double stiffness, double damping)
{
    const std::string k = std::to_string(stiffness), c = std::to_string(damping);
    const std::string dx = "(x + 0.06*cos(f) - 0.5)", dy = "(y + 0.06*sin(f) - 0.8)";
    const std::string length = "sqrt(" + dx + "^2 + " + dy + "^2)";
    const std::string rate =
        "((" + dx + "*(x' - 0.06*sin(f)*f') + " + dy + "*(y' + 0.06*cos(f)*f'))/" + length + ")";
    const std::string pull = "(-" + c + "*" + rate + "/" + length + ")";
    return {.coordinates = {"x", "y", "f"},
            .kinetic = "x'^2 + y'^2 + 0.01*f'^2/2",
            .potential = "2*9.81*y + " + k + "/2*(" + length + " - 0.68)^2",
            .forces = {pull + "*" + dx, pull + "*" + dy,
                       pull + "*(-" + dx + "*0.06*sin(f) + " + dy + "*0.06*cos(f))"},
            .contacts = {{"floor", "y - 0.1", "0.9"}}};
}

double kinetic_J(const BodyModel& model, const State& state)
{
    return model.kinetic_energy_J(state);
}

}  // namespace

TEST_CASE("a disc on an implicit spring moves as its twin in coordinates does, impacts included")
{
    constexpr double h = 2e-3, stiffness = 2000, damping = 5;
    for (const double theta : {0.5, 0.7, 1.0}) {
        CAPTURE(theta);
        const MoreauJeanSettings settings{.time_step_s = h, .theta = theta};
        const BodyModel bodies = test::model_of(disc_on_spring(stiffness, damping));
        State state = make_body_state(bodies);
        BodyStepMemory scratch;
        const Model model = test::model_of(disc_in_coordinates(stiffness, damping));
        State twin = make_state(model, vector({0, 0.35, 0}), vector({0.7, -1, 3}));
        Scratch twin_scratch(model);
        int impacts = 0;
        double angle = 0;
        for (int n = 0; n < 700; ++n) {
            const StepReport one = moreau_jean_body_step(bodies, settings, {}, state, scratch);
            const StepReport other = moreau_jean_step(model, settings, {}, twin, twin_scratch);
            REQUIRE(one.status == StepStatus::Solved);
            REQUIRE(other.status == StepStatus::Solved);
            angle += h * ((1 - theta) * scratch.W_start[1].z() + theta * state.W[1].z());
            for (const ContactStep& contact : twin_scratch.contacts) {
                impacts += contact.P[0] > 0;
                REQUIRE(scratch.contacts.size() == 1);
                CHECK(scratch.contacts[0].P[0] == near(contact.P[0], 1e-8));
            }
            CHECK(std::abs(one.energy.balance_J()) < 1e-9);
            CHECK(one.energy.impact_J == near(other.energy.impact_J, 1e-8));
            CHECK(one.energy.given_forces_J == near(other.energy.given_forces_J, 1e-8));
            CHECK(one.energy.scheme_J == near(other.energy.scheme_J, 1e-8));
        }
        // the iterations end at 1e-12 of the velocities in each of 700 steps, and impacts magnify
        CHECK(state.x[1].x() == near(twin.q[0], 1e-8));
        CHECK(state.x[1].y() == near(twin.q[1], 1e-8));
        CHECK(angle == near(twin.q[2], 1e-7));
        CHECK(state.W[1].z() == near(twin.u[2], 1e-6));
        CHECK(impacts >= 2);
    }
}

TEST_CASE("a spring far too stiff for the step keeps its energy with theta = 1/2 and loses (MJ-3) with more")
{
    // h omega = 20; a weight hangs below a fixed point and vibrates along the spring: a linear system
    constexpr double mass = 1, stiffness = 4e8, h = 1e-3;
    for (const double theta : {0.5, 0.6, 1.0}) {
        CAPTURE(theta);
        BodySetup setup;
        setup.bodies = {test::ball(0.05, {0, 0, -1}, mass)};
        setup.bodies[0].velocity_m_s = {0, 0, 2};
        setup.springs = {
            {.first = 0, .second_point_m = {0, 0, 0}, .stiffness_N_m = stiffness, .rest_length_m = 1}};
        const BodyModel model = test::model_of(std::move(setup));
        State state = make_body_state(model);
        BodyStepMemory scratch;
        for (int n = 0; n < 200; ++n) {
            const State before = state;
            const StepReport report =
                moreau_jean_body_step(model, {.time_step_s = h, .theta = theta}, {}, state, scratch);
            REQUIRE(report.status == StepStatus::Solved);
            const auto energy = [&](const State& s) {
                return kinetic_J(model, s) + model.potential_energy_J(s.x, s.R);
            };
            const double dv = (state.v[0] - before.v[0]).norm(), dx = (state.x[0] - before.x[0]).norm();
            const double expected = -(theta - 0.5) * (mass * dv * dv + stiffness * dx * dx);
            // roundings of a spring of 1e8 J per metre squared
            REQUIRE(energy(state) - energy(before) == near(expected, 1e-6));
        }
        if (theta == 1) CHECK(state.v[0].norm() < 1e-3);  // damped away, but for its weight
    }
}

TEST_CASE("percussions go through springs: a floor carries two balls that a spring far too stiff joins")
{
    // without the spring in W = H J^-1 H^T the lower ball alone would be stopped
    constexpr double h = 1e-3;
    BodySetup setup;
    setup.bodies = {test::floor_body(), test::ball(0.1, {0, 0, 0.1}, 1), test::ball(0.1, {0, 0, 0.6}, 3)};
    setup.springs = {
        {.first = 1, .second = 2, .stiffness_N_m = 1e8, .damping_Ns_m = 100, .rest_length_m = 0.5}};
    const BodyModel model = test::model_of(std::move(setup));
    State state = make_body_state(model);
    BodyStepMemory scratch;
    double P = 0;
    for (int n = 0; n < 400; ++n) {
        const StepReport report =
            moreau_jean_body_step(model, {.time_step_s = h, .theta = 1}, {}, state, scratch);
        REQUIRE(report.status == StepStatus::Solved);
        P = 0;
        for (const BodyContact& contact : scratch.contacts)
            P += contact.P[0];
    }
    CHECK(P == near(4 * gravity * h, 1e-9));
    // the spring is shorter by the weight above it
    CHECK(state.x[2].z() - state.x[1].z() == near(0.5 - 3 * gravity / 1e8, 1e-9));
}

TEST_CASE("with theta = 1/2 and forces that do not change, bodies of the plane move as by Moreau's scheme")
{
    BodySetup setup = disc_on_spring(0, 0);
    setup.springs.clear();
    const BodyModel model = test::model_of(std::move(setup));
    State one = make_body_state(model), other = one;
    BodyStepMemory scratch, other_scratch;
    for (int n = 0; n < 500; ++n) {
        REQUIRE(moreau_jean_body_step(model, {.time_step_s = 1e-3}, {}, one, scratch).status ==
                StepStatus::Solved);
        REQUIRE(body_step(model, MoreauSettings{.time_step_s = 1e-3}, {}, other, other_scratch).status ==
                StepStatus::Solved);
    }
    // roundings of 500 steps
    CHECK((one.x[1] - other.x[1]).norm() < 1e-12);
    CHECK((one.v[1] - other.v[1]).norm() < 1e-11);
    CHECK((one.W[1] - other.W[1]).norm() < 1e-11);
}

TEST_CASE("joints hold under the theta scheme: a damped pendulum falls as its equation says, order 2 and 1")
{
    // a bar of length 1 hinged at its end: J a'' = -m g l/2 sin(a) - c a', by Runge and Kutta below
    constexpr double mass = 2, damping = 0.4, inertia = mass / 3;
    const auto exact = [&](double t_s) {
        const auto rate = [&](double a, double w) {
            return (-mass * gravity / 2 * std::sin(a) - damping * w) / inertia;
        };
        constexpr int steps = 4000;
        const double h = t_s / steps;
        double a = std::numbers::pi / 2, w = 0;
        for (int n = 0; n < steps; ++n) {
            const double k1 = rate(a, w), k2 = rate(a + h / 2 * w, w + h / 2 * k1);
            const double k3 = rate(a + h / 2 * w + h * h / 4 * k1, w + h / 2 * k2);
            const double k4 = rate(a + h * w + h * h / 2 * k2, w + h * k3);
            a += h * w + h * h / 6 * (k1 + k2 + k3);
            w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        }
        return a;
    };
    const auto error = [&](double theta, double h) {
        BodySetup setup;
        setup.bodies = {
            {.shape = BoxShape{{1, 0.01, 0.01}}, .pose = {.position_m = {0.5, 0, 0}}, .mass_kg = mass}};
        const double small = mass / 12 * (1e-4);
        Mat3 J = Mat3::Zero();
        J.diagonal() << small, mass / 12, mass / 12;
        setup.bodies[0].inertia_kg_m2 = J;
        setup.joints = {
            {.kind = JointKind::Revolute, .first = 0, .axis = {0, 1, 0}, .turn = {.damping = damping}}};
        const BodyModel model = test::model_of(std::move(setup));
        State state = make_body_state(model);
        BodyStepMemory scratch;
        const int steps = static_cast<int>(std::lround(0.5 / h));
        for (int n = 0; n < steps; ++n) {
            const StepReport report =
                moreau_jean_body_step(model, {.time_step_s = h, .theta = theta}, {}, state, scratch);
            REQUIRE(report.status == StepStatus::Solved);
            REQUIRE(report.max_violation < 1e-9);
        }
        // measured from hanging down; it began horizontally
        const double angle = std::atan2(state.x[0].x(), -state.x[0].z());
        return std::abs(angle - exact(0.5));
    };
    const double coarse = error(0.5, 4e-3), fine = error(0.5, 2e-3);
    CHECK(coarse < 1e-3);
    CHECK(coarse / fine == near(4.0, 0.6));
    CHECK(error(1, 4e-3) / error(1, 2e-3) == near(2.0, 0.4));
}
