#include "carom/door/simulation.hpp"

#include "run/step_view.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

namespace {

using namespace carom;

const char* const ball = R"toml(duration_s = 1
[[coordinate]]
name = "z"
start = 0.5
[lagrangian]
kinetic = "z'^2"
potential = "2*9.81*z"
forces = { z = "-0.1*z'" }
[[contact]]
name = "floor"
gap = "z"
law = { kind = "unilateral", restitution = 0.5 }
)toml";

const char* const crate = R"toml(duration_s = 1
[[material]]
name = "wood"
friction = 0.5
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "crate"
shape = "box"
size_m = [0.2, 0.2, 0.2]
mass_kg = 2
position_m = [0, 0, 0.1]
)toml";

const char* const play = R"toml(duration_s = 1
[[coordinate]]
name = "u"
start = 0.0
[[set]]
name = "window"
kind = "interval"
lower = ["t - 0.1"]
upper = ["t + 0.1"]
[sweeping]
set = "window"
time_step_s = 1e-2
)toml";

/// Thrown with a third of its speed as slip; alone in the plane but for its floor.
const char* const wheel = R"toml(duration_s = 2
[[material]]
name = "rubber"
friction = 0.5
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "wheel"
shape = "disc"
radius_m = 0.1
mass_kg = 1
position_m = [0, 0.1]
velocity_m_s = [3, 0]
)toml";

Scene scene_of(const char* text)
{
    auto scene = read_scene_text(text, "test");
    REQUIRE(scene);
    return *scene;
}

Simulation simulation_of(const char* text)
{
    auto simulation = Simulation::of(scene_of(text));
    REQUIRE(simulation);
    return std::move(*simulation);
}

}  // namespace

TEST_CASE("steps by hand are those of a run, bit for bit, whatever the kind of scene")
{
    for (const char* text : {ball, crate, play}) {
        const auto result = run(scene_of(text));
        REQUIRE(result);
        Simulation simulation = simulation_of(text);
        CHECK(simulation.step(3) == 3);
        CHECK_FALSE(simulation.end());
        CHECK(simulation.step(1'000'000) == result->certificate.steps - 3);
        CHECK(simulation.end() == RunEnd::Duration);
        CHECK(simulation.step() == 0);
        CHECK(simulation.state().q == result->at_end.q);
        CHECK(simulation.state().u == result->at_end.u);
        const RunReport report = simulation.report();
        CHECK(report.status == result->status);
        CHECK(report.certificate.energy_balance_J == result->certificate.energy_balance_J);
        CHECK(report.events.size() == result->events.size());
    }
}

TEST_CASE("a snapshot is restored bit for bit, with the forces that acted")
{
    Simulation simulation = simulation_of(ball);
    REQUIRE(simulation.set_force(std::array{3.0}));
    simulation.step(200);
    const auto here = simulation.snapshot();
    simulation.step(300);
    const State there = simulation.state();
    REQUIRE(simulation.set_force(std::array{-7.0}));
    REQUIRE(simulation.restore(*here));
    CHECK(simulation.steps() == 200);
    simulation.step(300);
    CHECK(simulation.state().q == there.q);
    CHECK(simulation.state().u == there.u);
    CHECK_FALSE(simulation_of(crate).restore(*here));
    // of the same sizes, with another number
    std::string heavier = ball;
    heavier.replace(heavier.find("2*9.81*z"), 8, "4*9.81*z");
    CHECK_FALSE(simulation_of(heavier.c_str()).restore(*here));
    CHECK(simulation_of(ball).restore(*here));
}

TEST_CASE("a force that is held during steps does the work that the ledger has")
{
    // 2 kg (T = z'^2), no damping to speak of: F - 2 g - 0.1 z' upwards
    Simulation simulation = simulation_of(ball);
    const double F = 2 * 9.81 + 4;
    REQUIRE(simulation.set_force(std::array{F}));
    simulation.step(500);
    const double t = 0.5, k = 0.05;  // z'' = 2 - k z'
    const double exact = 0.5 + 2 / k * (t - (1 - std::exp(-k * t)) / k);
    CHECK(std::abs(simulation.state().q[0] - exact) < 1e-7);  // second order: h^2 = 1e-6 times k
    const Certificate certificate = simulation.report().certificate;
    CHECK(std::abs(certificate.energy_balance_J) < 1e-12);
    const double damping =
        0.1 * 4 / (k * k) * (t - 2 * (1 - std::exp(-k * t)) / k + (1 - std::exp(-2 * k * t)) / (2 * k));
    CHECK(std::abs(certificate.energy.given_forces_J - (F * (exact - 0.5) - damping)) < 1e-5);
}

TEST_CASE("a wrench moves a crate against friction, and contacts are told")
{
    Simulation simulation = simulation_of(crate);
    const double bound = 0.5 * 2 * 9.81, h = time_step_s(simulation.scene().integrator);
    REQUIRE(simulation.set_wrench("crate", {.force_N = {0.9 * bound, 0, 0}}));
    simulation.step(100);
    CHECK(std::abs(simulation.state().u[0]) < 1e-9);
    double normal = 0, tangential = 0;
    for (const StepContact& contact : simulation.contacts()) {
        normal += contact.percussion_Ns[0] / h;
        tangential += std::hypot(contact.percussion_Ns[1], contact.percussion_Ns[2]) / h;
    }
    CHECK(std::abs(normal - 2 * 9.81) < 1e-6);
    CHECK(std::abs(tangential - 0.9 * bound) < 1e-6);
    REQUIRE(simulation.set_wrench("crate", {.force_N = {1.5 * bound, 0, 0}}));
    simulation.step(100);
    CHECK(std::abs(simulation.state().u[0] - 0.5 * bound / 2 * 100 * h) < 1e-6);
}

TEST_CASE("the bodies of a state and its coordinates show one motion, turns counted, at both ends of a step")
{
    const Scene scene = scene_of(wheel);
    REQUIRE(scene.start.bodies() == 2);
    State state = scene.start, last = state;
    double off_m = 0, off_rad = 0;
    const RunReport report =
        simulate(scene.model, scene.integrator, scene.solver, scene.plan, state, [&](const StepView& view) {
            off_m = std::max(off_m, std::abs(view.after.x[1].x() - view.after.q[0]));
            const Rotation shown(std::cos(view.after.q[2] / 2), 0, 0, std::sin(view.after.q[2] / 2));
            off_rad = std::max(off_rad, rotation_vector(shown.conjugate() * view.after.R[1]).norm());
            CHECK(view.before.x == last.x);
            CHECK(view.before.q == last.q);
            // contacts that touch at the start are found before the first step
            if (view.step > 1) CHECK(view.before.kept.size() == last.kept.size());
            last = view.after;
            return true;
        });
    CHECK(report.status == RunStatus::Certified);
    CHECK(off_m == 0);
    CHECK(off_rad < 1e-12);  // roundings of some radians
    // slip ends at v = 2/3 v0 after v0 / (3 mu g); until then the angle is mu g t^2 / r, a step late at most
    const double mu_g = 0.5 * 9.81, slipped_s = 3 / (3 * mu_g);
    const double turned_rad = -(mu_g * slipped_s * slipped_s + 2 * (2 - slipped_s)) / 0.1;
    CHECK(std::abs(turned_rad) > 30);  // five turns
    CHECK(std::abs(state.q[2] - turned_rad) < 2 * time_step_s(scene.integrator) / 0.1);
}

TEST_CASE("a state made of coordinates has its bodies there")
{
    const Scene scene = scene_of(crate);
    Eigen::VectorXd q = scene.start.q, u = scene.start.u;
    q << 0.3, -0.2, 0.5, 0, 0, 2, 0;  // half a turn about y, its quaternion not of length one
    u.head<3>() << 1, 2, 3;
    const State state = make_state(scene.model, q, u, 0.25);
    CHECK(state.t_s == 0.25);
    CHECK(state.x[1] == Vec3(0.3, -0.2, 0.5));
    CHECK(state.v[1] == Vec3(1, 2, 3));
    CHECK((state.R[1] * Vec3(1, 0, 0) + Vec3(1, 0, 0)).norm() < 1e-15);
    CHECK(state.kept.empty());
}

TEST_CASE("a state that is set begins again from there, and what cannot be set is told")
{
    Simulation simulation = simulation_of(ball);
    simulation.step(10);
    const double t = simulation.state().t_s;
    REQUIRE(simulation.set_state(Eigen::VectorXd::Constant(1, 2.0), Eigen::VectorXd::Constant(1, 1.0)));
    CHECK(simulation.steps() == 0);
    CHECK(simulation.state().t_s == t);
    CHECK(simulation.state().q[0] == 2.0);
    CHECK(simulation.step(10) == 10);

    const auto refused = [](const auto& expected, ErrorCode code) {
        REQUIRE_FALSE(expected);
        if constexpr (requires { expected.error().front(); })
            CHECK(expected.error().front().code == code);
        else
            CHECK(expected.error().code == code);
    };
    const Eigen::VectorXd one = Eigen::VectorXd::Ones(1), two = Eigen::VectorXd::Ones(2);
    refused(simulation.set_state(two, two), ErrorCode::WrongSize);
    refused(simulation.set_state(one * NAN, one), ErrorCode::NotFinite);
    refused(simulation.set_state(-one, one), ErrorCode::GapViolated);
    refused(simulation.set_force(std::array{1.0, 2.0}), ErrorCode::WrongSize);
    refused(simulation.set_force(std::array{double(INFINITY)}), ErrorCode::NotFinite);
    refused(simulation.set_wrench("ball", {}), ErrorCode::NotAllowedHere);
    refused(simulation.set_motor("motor", 1), ErrorCode::UnknownName);
    CHECK(simulation.step(10) == 10);

    Simulation bodies = simulation_of(crate);
    refused(bodies.set_force(std::array{1.0}), ErrorCode::NotAllowedHere);
    refused(bodies.set_wrench("box", {}), ErrorCode::UnknownName);
    Eigen::VectorXd q = bodies.state().q;
    q[0] = 0.3;
    REQUIRE(bodies.set_state(q, bodies.state().u));
    CHECK(bodies.state().q[0] == 0.3);
    q.tail(4).setZero();
    refused(bodies.set_state(q, bodies.state().u), ErrorCode::SettingOutOfRange);
    refused(simulation_of(play).set_state(one, one), ErrorCode::NotAllowedHere);
}
