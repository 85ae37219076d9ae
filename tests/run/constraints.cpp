#include "carom/run/run.hpp"
#include "system/lagrangian/constraint_rank.hpp"

#include "expression/workspace.hpp"
#include "run/step_view.hpp"
#include "support/near.hpp"
#include "support/systems.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace carom;
using test::model_of;
using test::near;
using test::vector;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A unit mass on a rod of length 1, in the plane, gravity along -y.
const test::Sketch rod_pendulum{.coordinates = {"x", "y"},
                                .kinetic = "(x'^2 + y'^2)/2",
                                .potential = "9.81*y",
                                .constraints = {{.name = "rod", .zero = {"hypot(x, y) - 1"}}}};

/// The same in its angle.
const test::Sketch angle_pendulum{.coordinates = {"a"}, .kinetic = "a'^2/2", .potential = "-9.81*cos(a)"};

/// Two disks, a torque on the first, and something between them.
test::Sketch two_disks(std::vector<test::LimitText> limits)
{
    return {.coordinates = {"a", "b"},
            .kinetic = "0.25/2*a'^2 + 0.08/2*b'^2",
            .forces = {"0.3", "0"},
            .constraints = {{.name = "coupling", .velocity = {"a' - b'"}, .limits = std::move(limits)}}};
}

RunReport run(const Model& model, State& state, double h, double duration_s,
              const StepListener& listener = {})
{
    const auto report = simulate(model, {.time_step_s = h}, {}, {.duration_s = duration_s}, state, listener);
    for (const Finding& finding : report.findings) {
        MESSAGE(finding.code << ": " << finding.message);
    }
    CHECK(report.status == RunStatus::Certified);
    return report;
}

/// Where the rod pendulum is after one second, released at rest at 2 rad.
double angle_after_a_second(double h)
{
    const Model model = model_of(rod_pendulum);
    State state = make_state(model, vector({std::sin(2.0), -std::cos(2.0)}), vector({0, 0}));
    static_cast<void>(run(model, state, h, 1.0));
    return std::atan2(state.q[0], -state.q[1]);
}

}  // namespace

TEST_CASE("a mass on a rod swings as its angle does, and halving the step quarters the error")
{
    const Model reduced = model_of(angle_pendulum);
    State exact = make_state(reduced, vector({2.0}), vector({0}));
    static_cast<void>(run(reduced, exact, 1e-5, 1.0));

    const double coarse = angle_after_a_second(4e-3) - exact.q[0];
    const double fine = angle_after_a_second(2e-3) - exact.q[0];
    CHECK(std::abs(fine) < 1e-4);
    CHECK(coarse / fine == near(4, 0.2));  // the next order is a part of h of it
}

TEST_CASE("the rod neither stretches nor works over many swings, and its force is m v^2 / l + m g cos")
{
    const Model model = model_of(rod_pendulum);
    State state = make_state(model, vector({1, 0}), vector({0, 0}));
    const double h = 1e-3;
    double worst_force = 0;
    const auto report = run(model, state, h, 100.0, [&](const StepView& view) {
        const Eigen::VectorXd q = (view.before.q + view.after.q) / 2, u = (view.before.u + view.after.u) / 2;
        const double along = -view.after.percussion_Ns[0] / h;  // the rod pulls inwards
        worst_force = std::max(worst_force, std::abs(along - (u.squaredNorm() - 9.81 * q[1])));
        return true;
    });
    CHECK(report.certificate.max_violation <= 1e-12);

    // the reaction is perpendicular to the mean velocity: roundoff of 10^5 steps of 1e-2 J
    CHECK(std::abs(report.certificate.energy.joint_J) < 1e-10);
    const Point end = point_of(state);
    Workspace work;
    CHECK(model.kinetic_energy(end, work) + model.potential_energy(end, work) == near(0, 1e-4));

    // forces of 30 N, to second order: 10 h^2 times rates of 30^2
    CHECK(worst_force < 5e-3);
}

TEST_CASE("a moving suspension does the work of its reaction")
{
    // the point of suspension goes up with speed 2: the same pendulum, and a rising potential energy
    auto sketch = rod_pendulum;
    sketch.constraints[0].zero = {"hypot(x, y - 2*t) - 1"};
    const Model model = model_of(sketch);
    State state = make_state(model, vector({1, 0}), vector({0, 2}));
    const auto report = run(model, state, 1e-3, 2.0);
    const EnergyLines& energy = report.certificate.energy;
    CHECK(energy.joint_J == near(0, 1e-11));
    // but for what the projection of velocities, of order h^2 a step, takes from the suspension
    CHECK(energy.prescribed_motions_J == near(energy.kinetic_J + energy.potential_J, 1e-2));

    const Model still = model_of(rod_pendulum);
    State other = make_state(still, vector({1, 0}), vector({0, 0}));
    static_cast<void>(run(still, other, 1e-3, 2.0));
    CHECK(state.q[0] == near(other.q[0], 1e-4));
    CHECK(state.q[1] == near(other.q[1] + 4, 1e-4));
}

TEST_CASE("the double pendulum in Cartesian coordinates moves as in its angles")
{
    const test::Sketch angles{.coordinates = {"a", "b"},
                              .kinetic = "a'^2 + b'^2/2 + cos(a - b)*a'*b'",
                              .potential = "-9.81*(2*cos(a) + cos(b))"};
    const test::Sketch cartesian{
        .coordinates = {"x1", "y1", "x2", "y2"},
        .kinetic = "(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2",
        .potential = "9.81*(y1 + y2)",
        .constraints = {{.name = "upper", .zero = {"x1^2 + y1^2 - 1"}},
                        {.name = "lower", .zero = {"(x2 - x1)^2 + (y2 - y1)^2 - 1"}}}};
    const Model one = model_of(angles), other = model_of(cartesian);
    State a = make_state(one, vector({1.0, -0.5}), vector({0, 0}));
    const double s = std::sin(1.0), c = std::cos(1.0), s2 = std::sin(-0.5), c2 = std::cos(0.5);
    State q = make_state(other, vector({s, -c, s + s2, -c - c2}), vector({0, 0, 0, 0}));
    static_cast<void>(run(one, a, 1e-4, 2.0));
    static_cast<void>(run(other, q, 1e-4, 2.0));

    // both of second order; the motion is not yet chaotic
    CHECK(q.q[0] == near(std::sin(a.q[0]), 1e-5));
    CHECK(q.q[2] == near(std::sin(a.q[0]) + std::sin(a.q[1]), 1e-5));
    CHECK(q.q[3] == near(-std::cos(a.q[0]) - std::cos(a.q[1]), 1e-5));
}

TEST_CASE("a pendulum on a rod bounces off a wall as the angle does")
{
    auto cartesian = rod_pendulum;
    cartesian.contacts = {{"wall", "x", "0.5"}};
    auto reduced = angle_pendulum;
    reduced.contacts = {{"wall", "sin(a)", "0.5"}};
    const Model one = model_of(cartesian), other = model_of(reduced);
    State q = make_state(one, vector({std::sin(1.0), -std::cos(1.0)}), vector({0, 0}));
    State a = make_state(other, vector({1.0}), vector({0}));
    const auto report = run(one, q, 1e-4, 1.5), reference = run(other, a, 1e-4, 1.5);
    REQUIRE(report.events.size() == reference.events.size());
    CHECK(report.certificate.max_violation <= 1e-12);

    // impacts are known to a step
    CHECK(std::atan2(q.q[0], -q.q[1]) == near(a.q[0], 1e-3));
    CHECK(report.certificate.energy.impact_J == near(reference.certificate.energy.impact_J, 1e-2));
}

TEST_CASE("a rolling disc on a slope has two thirds of the acceleration of a sliding one")
{
    const test::Sketch disc{.coordinates = {"x", "phi"},
                            .kinetic = "x'^2/2 + 0.5*0.04/2*phi'^2",
                            .potential = "-3*x",
                            .constraints = {{.name = "rolling", .velocity = {"x' - 0.2*phi'"}}}};
    const Model model = model_of(disc);
    State state = make_state(model, vector({0, 0}), vector({0, 0}));
    const auto report = run(model, state, 1e-2, 1.0);

    // constant forces: the scheme is exact
    CHECK(state.u[0] == near(2.0, 1e-12));
    CHECK(state.q[0] == near(1.0, 1e-12));
    CHECK(state.percussion_Ns[0] / 1e-2 == near(-1.0, 1e-12));
    CHECK(report.certificate.energy.joint_J == near(0, 1e-14));
}

TEST_CASE("a skate goes down a slope in cycloids and does not drift sideways")
{
    // a knife edge at (x, y) with heading a on a plane that slopes along x: with a' = w constant and a start
    // at rest, x = g/(2 w^2) sin^2(w t), y = g/(2 w^2) (w t - sin(2 w t)/2)  (Neimark and Fufaev)
    const test::Sketch skate{.coordinates = {"x", "y", "a"},
                             .kinetic = "(x'^2 + y'^2)/2 + 0.1*a'^2/2",
                             .potential = "-2*x",
                             .constraints = {{.name = "edge", .velocity = {"x'*sin(a) - y'*cos(a)"}}}};
    const Model model = model_of(skate);
    State state = make_state(model, vector({0, 0, 0}), vector({0, 0, 1.5}));
    const auto report = run(model, state, 1e-3, 4.0);
    const double w = 1.5, t = 4.0, d = 2.0 / (2 * w * w);
    CHECK(state.q[0] == near(d * std::pow(std::sin(w * t), 2), 1e-5));
    CHECK(state.q[1] == near(d * (w * t - std::sin(2 * w * t) / 2), 1e-5));
    CHECK(std::abs(report.certificate.energy.joint_J) < 1e-12);
}

TEST_CASE("a wheel rolls only while it touches the floor")
{
    // thrown with spin on a floor that ends where a bump throws it up again: in the air the spin is kept
    const test::Sketch wheel{
        .coordinates = {"x", "y", "phi"},
        .kinetic = "(x'^2 + y'^2)/2 + 0.5*phi'^2/2",
        .potential = "9.81*y",
        .contacts = {{"floor", "y", "0.5"}},
        .constraints = {{.name = "rolling", .velocity = {"x' - phi'"}, .only_while = "floor"}}};
    const Model model = model_of(wheel);
    State state = make_state(model, vector({0, 0.5, 0}), vector({3, 0, 0}));
    double spin_in_air = 0;
    const auto report = run(model, state, 1e-3, 0.45, [&](const StepView& view) {
        if (view.after.t_s < 0.3) spin_in_air = std::max(spin_in_air, std::abs(view.after.u[2]));
        return true;
    });
    CHECK(spin_in_air == 0.0);

    // the impact sets it rolling at once: x' + phi'/2 is kept, x' = phi' = 2; then it flies
    CHECK(state.u[0] == near(2, 1e-12));
    CHECK(state.u[2] == near(2, 1e-12));
    CHECK(state.q[1] > 0.01);
    CHECK(report.certificate.energy.joint_J == near(-1.5, 1e-12));  // 4.5 -> 2 + 1
}

TEST_CASE("a freewheel lets go in one direction and drives in the other")
{
    const Model model = model_of(two_disks({{.set = test::interval(-infinity, 0)}}));
    State state = make_state(model, vector({0, 0}), vector({-1, 0}));
    double last = 0;
    const auto report = run(model, state, 1e-3, 2.0, [&](const StepView& view) {
        last = view.after.percussion_Ns[0] / 1e-3;
        return true;
    });

    // engaged at 0.25 / 0.3 s without a jump, then together
    const double t_c = 0.25 / 0.3;
    CHECK(state.u[0] == near(0.3 * (2.0 - t_c) / 0.33, 1e-3));
    CHECK(state.u[1] == near(state.u[0], 1e-14));
    CHECK(last == near(-0.3 * 0.08 / 0.33, 1e-12));
    // it engages within a step, in which the velocity changes its sign: a part of h^2
    CHECK(std::abs(report.certificate.energy.non_firm_J) < 1e-7);
}

TEST_CASE("a clutch slips at its limit and then holds; what it takes is heat")
{
    // a flywheel at 10 rad/s is coupled to one at rest by 2 N m: both reach the common speed
    const test::Sketch clutch{.coordinates = {"a", "b"},
                              .kinetic = "0.5/2*a'^2 + 0.3/2*b'^2",
                              .constraints = {{.name = "clutch",
                                               .velocity = {"a' - b'"},
                                               .limits = {{.set = test::interval(-1, 1), .size = "2"}}}}};
    const Model model = model_of(clutch);
    State state = make_state(model, vector({0, 0}), vector({10, 0}));
    double largest_work = -1;
    const auto report = run(model, state, 1e-3, 2.0, [&](const StepView& view) {
        largest_work = std::max(largest_work, view.reaction_J[0]);
        return true;
    });
    const double together = 0.5 * 10 / 0.8;
    CHECK(state.u[0] == near(together, 1e-12));
    CHECK(state.u[1] == near(together, 1e-12));
    CHECK(report.certificate.energy.non_firm_J == near(-(25 - 0.8 * together * together / 2), 1e-10));
    CHECK(largest_work <= 1e-15);

    // slipping lasts (10 - 0) / (2/0.5 + 2/0.3) s, in which a turns by 10 t - 2 t^2
    const double t = 10 / (2 / 0.5 + 2 / 0.3);
    CHECK(state.q[0] == near(10 * t - 2 * t * t + together * (2 - t), 1e-2));
}

TEST_CASE("a limited reaction in the plane is against the velocity, whatever its direction")
{
    // |lambda| <= 3 against a velocity of 5: stops after 5/3 s on a straight line
    const test::Sketch puck{.coordinates = {"x", "y"},
                            .kinetic = "(x'^2 + y'^2)/2",
                            .constraints = {{.name = "drag",
                                             .velocity = {"x'", "y'"},
                                             .limits = {{.set = test::unit_ball(2), .size = "3"}}}}};
    const Model model = model_of(puck);
    State state = make_state(model, vector({0, 0}), vector({3, 4}));
    static_cast<void>(run(model, state, 1e-3, 2.0));
    CHECK(state.q[0] == near(0.6 * 25 / 6, 5e-3));  // first order: h v / 2
    CHECK(state.q[1] == near(0.8 * 25 / 6, 5e-3));
    CHECK(state.u.norm() < 1e-12);
}

TEST_CASE("a sum of sets is a set: a ball and a box give way together")
{
    // C = [-1, 1]^2 + 2 B: while the force along y is within [-1, 1], the boundary along x is at 1 + 2
    const auto pushed = [](const std::string& force) {
        const Eigen::VectorXd one = vector({1, 1});
        const auto box = std::make_shared<const Box>(*Box::make(-one, one));
        const test::Sketch puck{
            .coordinates = {"x", "y"},
            .kinetic = "(x'^2 + y'^2)/2",
            .forces = {force, "0.5"},
            .constraints = {{.name = "stick",
                             .velocity = {"x'", "y'"},
                             .limits = {{.set = box}, {.set = test::unit_ball(2), .size = "2"}}}}};
        const Model model = model_of(puck);
        State state = make_state(model, vector({0, 0}), vector({0, 0}));
        static_cast<void>(run(model, state, 1e-2, 0.5));
        return state;
    };
    CHECK(pushed("2.99").u.norm() < 1e-10);
    const State moved = pushed("3.5");
    CHECK(moved.u[0] == near(0.25, 1e-8));
    CHECK(moved.u[1] == near(0, 1e-8));
}

TEST_CASE("a bead with friction on a ring loses its speed as exp(-mu angle)")
{
    // no gravity: |R_N| = m v^2 / r, and dv/dangle = -mu v
    const test::Sketch bead{
        .coordinates = {"x", "y"},
        .kinetic = "(x'^2 + y'^2)/2",
        .constraints = {{.name = "ring",
                         .zero = {"hypot(x, y) - 0.5"},
                         .velocity = {"(x*y' - y*x')/hypot(x, y)"},
                         .limits = {{.set = test::interval(-1, 1), .size = "0.3", .pressed_by = "ring"}}}}};
    const Model model = model_of(bead);
    State state = make_state(model, vector({0.5, 0}), vector({0, 2}));
    double angle = 0;
    const auto report = run(model, state, 1e-4, 1.0, [&](const StepView& view) {
        angle += (view.before.u + view.after.u).norm() / 2 * 1e-4 / 0.5;
        return true;
    });
    CHECK(state.u.norm() == near(2 * std::exp(-0.3 * angle), 1e-4));
    CHECK(state.u.norm() == near(2 / (1 + 0.3 * 4 * 1.0), 1e-3));  // v' = -mu v^2 / r
    CHECK(report.certificate.energy.friction_J == near(state.u.squaredNorm() / 2 - 2, 1e-6));
}

TEST_CASE("redundant constraints are solved and said, singular ones are told")
{
    auto twice = rod_pendulum;
    twice.constraints.push_back({.name = "second_rod", .zero = {"x^2 + y^2 - 1"}});
    const Model model = model_of(twice);
    State state = make_state(model, vector({1, 0}), vector({0, 0}));
    CHECK(check_start(model, state, 1e-9).empty());
    const ConstraintRank rank = diagnose_constraints(model, state);
    CHECK(rank.rank == 1);
    CHECK_FALSE(rank.singular);
    CHECK(rank.names == std::vector<std::string>{"rod", "second_rod"});
    const auto report = simulate(model, {.time_step_s = 1e-3}, {}, {.duration_s = 1}, state);
    CHECK(report.status == RunStatus::Certified);
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].code == "constraints_redundant");
    CHECK(report.certificate.max_violation <= 1e-12);

    // B02, counter-example 3: the ends of a bar of length 1 on a circle of diameter 1
    const test::Sketch bar{
        .coordinates = {"x", "y", "a"},
        .kinetic = "3*(x'^2 + y'^2)/2 + 3/12*a'^2/2",
        .potential = "-x - 2*y",
        .constraints = {{.name = "one_end", .zero = {"(x + cos(a)/2)^2 + (y + sin(a)/2)^2 - 1/4"}},
                        {.name = "other_end", .zero = {"(x - cos(a)/2)^2 + (y - sin(a)/2)^2 - 1/4"}}}};
    const Model blocked = model_of(bar);
    const State at_rest = make_state(blocked, vector({0, 0, 0.4}), vector({0, 0, 0}));
    const ConstraintRank found = diagnose_constraints(blocked, at_rest);
    CHECK(found.rank == 1);
    CHECK(found.singular);
    CHECK_FALSE(found.has_solution);
    const Errors errors = check_start(blocked, at_rest, 1e-9);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].code == ErrorCode::ConstraintsDependent);
}

TEST_CASE("a start that violates a constraint is refused, in position and in velocity")
{
    const Model model = model_of(rod_pendulum);
    const auto code_of = [&](std::initializer_list<double> q, std::initializer_list<double> u) {
        const Errors errors = check_start(model, make_state(model, vector(q), vector(u)), 1e-9);
        REQUIRE(errors.size() == 1);
        return errors[0].code;
    };
    CHECK(code_of({1.01, 0}, {0, 1}) == ErrorCode::ConstraintViolated);
    CHECK(code_of({1, 0}, {0.1, 1}) == ErrorCode::ConstraintViolated);
}

TEST_CASE("the theta scheme holds constraints as well")
{
    const Model model = model_of(rod_pendulum);
    State state = make_state(model, vector({1, 0}), vector({0, 0})), other = state;
    const auto report = simulate(model, IntegratorSettings(MoreauJeanSettings{.time_step_s = 1e-3}), {},
                                 {.duration_s = 2}, state);
    CHECK(report.status == RunStatus::Certified);
    CHECK(report.certificate.max_violation <= 1e-12);
    static_cast<void>(run(model, other, 1e-3, 2));
    CHECK((state.q - other.q).norm() < 1e-4);
    CHECK(std::abs(report.certificate.energy.joint_J) < 1e-11);
}
