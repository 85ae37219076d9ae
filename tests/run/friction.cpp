#include "carom/run/run.hpp"

#include "run/step_view.hpp"
#include "stepping/scratch.hpp"
#include "support/near.hpp"
#include "support/systems.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace carom;
using test::model_of;
using test::near;
using test::Sketch;
using test::vector;

namespace {

constexpr double gravity = 9.81;

/// A unit particle in the plane above y = 0, with gravity.
Sketch particle_on_floor(const std::string& mu, const std::string& e = "0")
{
    return {.coordinates = {"x", "y"},
            .kinetic = "(x'^2 + y'^2)/2",
            .potential = "9.81*y",
            .contacts = {{.name = "floor", .gap = "y", .restitution = e, .friction = mu, .sliding = {"x'"}}}};
}

/// A unit particle in space above a plane that leans by alpha; gravity turned instead of the plane.
Sketch particle_on_incline(double alpha, const std::string& mu)
{
    const std::string down = std::to_string(gravity * std::sin(alpha)),
                      press = std::to_string(gravity * std::cos(alpha));
    return {.coordinates = {"x", "y", "z"},
            .kinetic = "(x'^2 + y'^2 + z'^2)/2",
            .potential = press + "*z - " + down + "*x",
            .contacts = {{.name = "plane",
                          .gap = "z",
                          .friction = mu,
                          .shape = FrictionDisc{},
                          .position = {"x", "y", "z"}}}};
}

RunReport certified(const Model& model, const MoreauSettings& settings, double duration_s, State& state,
                    const StepListener& listener = {})
{
    auto report = simulate(model, settings, {}, {.duration_s = duration_s}, state, listener);
    for (const Finding& finding : report.findings) {
        MESSAGE(finding.code << " at " << finding.time_s << " s: " << finding.message);
    }
    REQUIRE(report.status == RunStatus::Certified);
    return report;
}

}  // namespace

TEST_CASE("a particle thrown along a rough floor stops after v^2 / (2 mu g), and does not hop")
{
    const Model model = model_of(particle_on_floor("0.3"));
    State state = make_state(model, vector({0, 0}), vector({1.5, 0}));
    double highest = 0;
    const auto report = certified(model, {.time_step_s = 1e-3}, 1.0, state, [&](const StepView& view) {
        highest = std::max(highest, std::abs(view.after.q[1]));
        return true;
    });
    // the mid-point rule is exact until the last sliding step: below one step's worth of mu g h^2
    CHECK(state.q[0] == near(1.5 * 1.5 / (2 * 0.3 * gravity), 0.3 * gravity * 1e-6));
    CHECK(highest < 1e-15);
    CHECK(state.u.norm() < 1e-15);
    CHECK(report.certificate.energy.friction_J == near(-1.5 * 1.5 / 2, 1e-12));

    // made, slips, sticks
    REQUIRE(report.events.size() == 3);
    CHECK(report.events[0].kind == EventKind::ContactMade);
    CHECK(report.events[1].kind == EventKind::Slip);
    CHECK(report.events[2].kind == EventKind::Stick);
    CHECK(report.events[2].time_s == near(1.5 / (0.3 * gravity), 1e-3));
}

TEST_CASE("below the angle of friction a particle does not creep in a million steps")
{
    const Model model = model_of(particle_on_incline(0.29, "0.3"));  // tan 0.29 = 0.2984
    State state = make_state(model, vector({0, 0, 0}), vector({0, 0, 0}));
    Scratch scratch(model);
    for (int step = 0; step < 1'000'000; ++step) {
        (void)moreau_step(model, {.time_step_s = 1e-3}, {}, state, scratch);
    }
    CHECK(std::abs(state.q[0]) < 1e-12);
    CHECK(std::abs(state.q[1]) < 1e-12);
    CHECK(state.u.norm() < 1e-15);
}

TEST_CASE("above it the particle slides down with g (sin a - mu cos a), and turns into that direction")
{
    const double alpha = 0.4, mu = 0.3;
    const Model model = model_of(particle_on_incline(alpha, "0.3"));
    State state = make_state(model, vector({0, 0, 0}), vector({0, 0, 0}));
    (void)certified(model, {.time_step_s = 1e-3}, 1.0, state);
    const double a = gravity * (std::sin(alpha) - mu * std::cos(alpha));
    CHECK(state.q[0] == near(a / 2, 1e-6));  // the numbers of the potential have six digits
    CHECK(state.q[2] == near(0, 1e-15));

    // thrown across, the sideways velocity dies out
    state = make_state(model, vector({0, 0, 0}), vector({0, 2, 0}));
    (void)certified(model, {.time_step_s = 1e-3}, 8.0, state);
    CHECK(std::abs(state.u[1]) < 0.05 * state.u[0]);
}

TEST_CASE("the ledger closes with friction, on a curved and moving obstacle")
{
    // a bead on a bowl that is carried sideways, pressed by gravity, in space
    const Sketch bead{.coordinates = {"x", "y", "z"},
                      .kinetic = "(x'^2 + y'^2 + z'^2)/2*1.3",
                      .potential = "1.3*9.81*z",
                      .forces = {"-0.1*x'", "0", "0.2*sin(3*t)"},
                      .contacts = {{.name = "bowl",
                                    .gap = "z - 0.4*((x - 0.2*t)^2 + y^2)",
                                    .restitution = "0.3",
                                    .friction = "0.25 + 0.05*x",
                                    .shape = FrictionDisc{},
                                    .position = {"x", "y", "z"},
                                    .obstacle_velocity = {"0.2", "0", "0"}}}};
    const Model model = model_of(bead);
    State state = make_state(model, vector({0.8, 0.1, 0.6}), vector({0, 1.5, 0}));
    const auto report = certified(model, {.time_step_s = 1e-3}, 3.0, state);
    CHECK(std::abs(report.certificate.energy_balance_J) < 1e-12);
    CHECK(report.certificate.energy.friction_J < -0.1);
    CHECK(report.certificate.energy.prescribed_motions_J != 0);
}

TEST_CASE("what friction and impacts do tends to limits that are not positive as the step falls")
{
    double last_friction = 0, last_impact = 0;
    for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
        const Model model = model_of(particle_on_floor("0.4", "0.6"));
        State state = make_state(model, vector({0, 0.5}), vector({2.0, 0}));
        const auto report = certified(model, {.time_step_s = h}, 3.0, state);
        const EnergyLines& energy = report.certificate.energy;
        CHECK(energy.friction_J < 0);
        CHECK(energy.impact_J < 0);
        const double change =
            std::abs(energy.friction_J - last_friction) + std::abs(energy.impact_J - last_impact);
        if (h < 4e-3) CHECK(change < h);  // of 7 J in 3 s: first order, with room
        last_friction = energy.friction_J;
        last_impact = energy.impact_J;
    }
    // all of it in the end: the particle rests, 0.5 m lower
    CHECK(last_friction + last_impact == near(-(2.0 + gravity * 0.5), 2e-2));
}

TEST_CASE("a static coefficient holds until the pull exceeds it; sliding then has the dynamic one")
{
    // pulled by a force that grows with time
    Sketch pulled = particle_on_floor("0.2");
    pulled.forces = {"2*t", "0"};
    pulled.contacts[0].static_friction = "0.5";
    const Model model = model_of(pulled);
    State state = make_state(model, vector({0, 0}), vector({0, 0}));
    const auto report = certified(model, {.time_step_s = 1e-3}, 4.0, state);
    const auto slip = std::find_if(report.events.begin(), report.events.end(),
                                   [](const Event& event) { return event.kind == EventKind::Slip; });
    REQUIRE(slip != report.events.end());
    const double t_slip = 0.5 * gravity / 2;
    CHECK(slip->time_s == near(t_slip, 1.1e-3));
    // from there on u' = 2 t - 0.2 g
    const double exact = (16 - t_slip * t_slip) - 0.2 * gravity * (4 - t_slip);
    CHECK(state.u[0] == near(exact, 5e-3));  // the step of the slip is taken with the static coefficient
}

TEST_CASE("friction may differ for the two directions of sliding")
{
    for (const double direction : {1.0, -1.0}) {
        Sketch fur = particle_on_floor("1");
        fur.contacts[0].shape = FrictionInterval{.low = -0.1, .high = 0.6};
        const Model model = model_of(fur);
        State state = make_state(model, vector({0, 0}), vector({direction, 0}));
        (void)certified(model, {.time_step_s = 1e-3}, 2.0, state);
        const double mu = direction > 0 ? 0.1 : 0.6;
        CHECK(std::abs(state.q[0]) == near(1 / (2 * mu * gravity), mu * gravity * 1e-6));
    }
}

TEST_CASE("anisotropic friction dissipates the most that its set allows, to roundoff")
{
    Sketch wood = particle_on_incline(0.6, "1");
    const FrictionEllipse grain{.half_axes = {0.5, 0.2}, .angle_rad = 0.4};
    wood.contacts[0].shape = grain;
    const Model model = model_of(wood);
    State state = make_state(model, vector({0, 0, 0}), vector({0, 1, 0}));
    Scratch scratch(model);
    for (int step = 0; step < 1000; ++step) {
        REQUIRE(moreau_step(model, {.time_step_s = 1e-3}, {}, state, scratch).status == StepStatus::Solved);
        const ContactStep& contact = scratch.contacts.at(0);
        const std::vector<double> against{-contact.U_plus[1], -contact.U_plus[2]};
        const double power = contact.P[1] * contact.U_plus[1] + contact.P[2] * contact.U_plus[2];
        CHECK(power == near(-contact.P[0] * support(grain, against), 1e-15));
    }
}

TEST_CASE("a rough contact rolls: a disc on a rough slope has 2/3 of the acceleration of a smooth one")
{
    const double alpha = 0.5;
    const Sketch disc{.coordinates = {"s", "y", "phi"},
                      .kinetic = "(s'^2 + y'^2)/2 + 0.25*phi'^2/4",  // unit mass, radius 0.5
                      .potential = std::to_string(gravity * std::cos(alpha)) + "*y - " +
                                   std::to_string(gravity * std::sin(alpha)) + "*s",
                      .contacts = {{.name = "slope",
                                    .gap = "y",
                                    .friction = "0",
                                    .shape = FrictionRough{},
                                    .sliding = {"s' - 0.5*phi'"}}}};
    const Model model = model_of(disc);
    State state = make_state(model, vector({0, 0, 0}), vector({0, 0, 0}));
    (void)certified(model, {.time_step_s = 1e-3}, 1.0, state);
    CHECK(state.q[0] == near(gravity * std::sin(alpha) / 3, 1e-6));
    CHECK(state.u[0] == near(0.5 * state.u[2], 1e-14));
}

TEST_CASE("a belt carries a block on a spring until friction gives way: stick and slip")
{
    const Sketch belt{.coordinates = {"x", "y"},
                      .kinetic = "(x'^2 + y'^2)/2",
                      .potential = "20*x^2/2 + 9.81*y",
                      .contacts = {{.name = "belt",
                                    .gap = "y",
                                    .friction = "0.2",
                                    .static_friction = "0.4",
                                    .position = {"x", "y"},
                                    .obstacle_velocity = {"0.3", "0"}}}};
    const Model model = model_of(belt);
    State state = make_state(model, vector({0, 0}), vector({0.3, 0}));
    double largest = 0;
    const auto report = certified(model, {.time_step_s = 2e-4}, 10, state, [&](const StepView& view) {
        largest = std::max(largest, view.after.u[0]);
        return true;
    });
    // it never overtakes the belt, and each cycle begins to slip where the spring pulls with 0.4 g
    CHECK(largest == near(0.3, 1e-9));
    const auto count = [&](EventKind kind) {
        return std::count_if(report.events.begin(), report.events.end(),
                             [&](const Event& event) { return event.kind == kind; });
    };
    CHECK(count(EventKind::Slip) >= 5);
    CHECK(std::abs(count(EventKind::Slip) - count(EventKind::Stick)) <= 1);
}

TEST_CASE("Newton's form that multiplies energy is reported with instant and joules")
{
    // kinetic matrix [[1, 0.8], [0.8, 1]], e = 0.9, mu = 0.7, u- = (-1, 0.8): energy times 2.25
    const Sketch coupled{
        .coordinates = {"n", "s"},
        .kinetic = "n'^2/2 + 0.8*n'*s' + s'^2/2",
        .contacts = {
            {.name = "wall", .gap = "n", .restitution = "0.9", .friction = "0.7", .sliding = {"s'"}}}};
    const Model model = model_of(coupled);
    State state = make_state(model, vector({0.0045, 0}), vector({-1, 0.8}));
    const auto report = simulate(model, {.time_step_s = 0.01}, {}, {.duration_s = 0.01}, state);
    CHECK(state.u[0] == near(0.9, 1e-14));
    CHECK(state.u[1] == near(0, 1e-14));
    REQUIRE(!report.findings.empty());
    CHECK(report.findings[0].code == "energy_created");
    CHECK(report.findings[0].message.find("2.250e-01") != std::string::npos);
}

TEST_CASE("a bead that slides in a bowl does not hop, whatever its restitution")
{
    const Sketch bead{.coordinates = {"x", "y", "z"},
                      .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                      .potential = "9.81*z",
                      .contacts = {{.name = "bowl",
                                    .gap = "z - 0.8*(x^2 + y^2)",
                                    .restitution = "0.5",
                                    .friction = "0.1",
                                    .shape = FrictionDisc{},
                                    .position = {"x", "y", "z"}}}};
    const Model model = model_of(bead);
    State state = make_state(model, vector({0.5, 0, 0.2}), vector({0, 1.2, 0}));
    const auto report = certified(model, {.time_step_s = 1e-3}, 2.0, state);
    const auto impacts = std::count_if(report.events.begin(), report.events.end(),
                                       [](const Event& event) { return event.kind == EventKind::Impact; });
    // it starts on the wall: its way is curved, and nothing ever strikes
    CHECK(impacts <= 1);
}

TEST_CASE("a frictional catastrophe is named, and so is sliding against Painleve's condition")
{
    // M88 15.3: a body with a round tip, small radius of gyration, slides and runs into a jump
    const Sketch body{.coordinates = {"x", "y", "phi"},
                      .kinetic = "(x'^2 + y'^2 + 0.04*phi'^2)/2",
                      .potential = "9.81*y",
                      .contacts = {{.name = "tip",
                                    .gap = "y - cos(phi) - 0.1",
                                    .friction = "0.5",
                                    .sliding = {"x' + phi'*(cos(phi) + 0.1)"}}}};
    const Model model = model_of(body);
    const double reach = std::cos(0.7) + 0.1;
    State state = make_state(model, vector({0, reach, 0.7}), vector({4 + 2 * reach, 2 * std::sin(0.7), -2}));
    const auto report =
        simulate(model, {.time_step_s = 4e-4, .correction = false}, {}, {.duration_s = 0.3}, state);
    const auto found = [&](const std::string& code) {
        return std::find_if(report.findings.begin(), report.findings.end(),
                            [&](const Finding& finding) { return finding.code == code; });
    };
    REQUIRE(found("frictional_catastrophe") != report.findings.end());
    CHECK(found("frictional_catastrophe")->time_s == near(0.1872, 5e-3));  // reference case M88-CAT-1

    // a block that slides on the same floor has none
    const Model block = model_of(particle_on_floor("0.5"));
    State sliding = make_state(block, vector({0, 0}), vector({4, 0}));
    CHECK(certified(block, {.time_step_s = 4e-4}, 0.3, sliding).findings.empty());
}
