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
using test::vector;

namespace {

/// The scheme of the paper, without what carom adds by default.
MoreauSettings to_the_letter(double h)
{
    return {.time_step_s = h, .activation_gap_m = 0, .force_passes = 1, .correction = false};
}

/// n unit balls of no size above a floor, g = 9.81.
test::Sketch column(int n, const std::string& restitution)
{
    test::Sketch sketch;
    sketch.kinetic = sketch.potential = "0";
    for (int i = 0; i < n; ++i) {
        const std::string name = "z" + std::to_string(i), below = "z" + std::to_string(i - 1);
        sketch.coordinates.push_back(name);
        sketch.kinetic += " + " + name + "'^2/2";
        sketch.potential += " + 9.81*" + name;
        sketch.contacts.push_back(
            {"under_" + name, i == 0 ? name : name + " - " + below + " - 0.1", restitution});
    }
    return sketch;
}

Eigen::VectorXd heights(int n, double first, double distance)
{
    Eigen::VectorXd z(n);
    for (int i = 0; i < n; ++i) {
        z[i] = first + i * (0.1 + distance);
    }
    return z;
}

/// Double pendulum of B02 example 4 without contacts, conservative, under gravity.
const test::Sketch free_double_pendulum{.coordinates = {"a", "b"},
                                        .kinetic =
                                            "(1/3 + 0.7)/2*a'^2 + 0.7*0.64/6*b'^2 + 0.28*cos(a - b)*a'*b'",
                                        .potential = "-9.81*((0.5 + 0.7)*cos(a) + 0.7*0.4*cos(b))"};

State run_free(const test::Sketch& sketch, const State& start, double h, double duration, int passes)
{
    const Model model = model_of(sketch);
    State state = start;
    const auto report =
        simulate(model, {.time_step_s = h, .force_passes = passes}, {}, {.duration_s = duration}, state);
    REQUIRE(report.status == RunStatus::Certified);
    return state;
}

}  // namespace

TEST_CASE("to the letter, a falling particle stops in the step whose midpoint is below the floor (M88 11)")
{
    // g = 10, h = 0.1: u falls by 1 a step; q_M = -0.47 in step 6 is the first below zero
    const Model model = model_of(
        {.coordinates = {"q"}, .kinetic = "q'^2/2", .potential = "10*q", .contacts = {{"floor", "q"}}});
    State state = make_state(model, vector({1.03}), vector({0}));
    Scratch scratch(model);
    const double q[] = {0.98, 0.83, 0.58, 0.23, -0.22, -0.47, -0.47};
    const double u[] = {-1, -2, -3, -4, -5, 0, 0};
    for (int step = 0; step < 7; ++step) {
        REQUIRE(moreau_step(model, to_the_letter(0.1), {}, state, scratch).status == StepStatus::Solved);
        CHECK(state.q[0] == near(q[step], 1e-14));
        CHECK(state.u[0] == near(u[step], 1e-14));
    }
}

TEST_CASE("with correction the same particle rests on the floor, not in it")
{
    const Model model = model_of(
        {.coordinates = {"q"}, .kinetic = "q'^2/2", .potential = "10*q", .contacts = {{"floor", "q"}}});
    State state = make_state(model, vector({1.03}), vector({0}));
    // on its way it is 0.22 of 1.03 m inside, for half a step (LE-11)
    REQUIRE(simulate(model, {.time_step_s = 0.1, .max_overlap = 0.3}, {}, {.duration_s = 1}, state).status ==
            RunStatus::Certified);
    CHECK(state.q[0] == near(0, 1e-15));
    CHECK(state.u[0] == near(0, 1e-15));
}

TEST_CASE("balls of any restitution come to rest exactly, alone and in a column")
{
    for (const char* e : {"0.3", "0.5", "0.8", "0.95"}) {
        for (const int n : {1, 3}) {
            CAPTURE(std::string(e));
            CAPTURE(n);
            const Model model = model_of(column(n, e));
            State state = make_state(model, heights(n, 0.2, 0.05), Eigen::VectorXd::Zero(n));
            // gaps of 50 mm, steps of up to 9 mm (LE-11)
            const auto report = simulate(model, {.time_step_s = 1.0 / 240, .max_overlap = 0.2}, {},
                                         {.duration_s = 60, .until = {.rest = true}}, state);
            // impacts of three balls follow each other within a step, and are told (IM-11); nothing else is
            if (n == 1) REQUIRE(report.status == RunStatus::Certified);
            REQUIRE(report.status != RunStatus::Failed);
            for (const Finding& finding : report.findings)
                CHECK(finding.code == "impact_order");
            CHECK(report.end == RunEnd::Rest);
            CHECK(state.u.cwiseAbs().maxCoeff() <= 1e-14);
            CHECK((state.q - heights(n, 0, 0)).cwiseAbs().maxCoeff() <= 1e-9);  // the activation gap
            CHECK(report.certificate.energy.impact_J < 0);
        }
    }
}

TEST_CASE("lifting a bouncing contact would keep it awake for ever: only contacts that stay are corrected")
{
    const Model model = model_of(column(1, "0.8"));
    State state = make_state(model, vector({0.2}), vector({0}));
    Scratch scratch(model);
    const MoreauSettings settings{.time_step_s = 1.0 / 240};
    bool bounced_from_below = false;
    for (int step = 0; step < 200; ++step) {
        const auto report = moreau_step(model, settings, {}, state, scratch);
        const bool leaves = !scratch.contacts.empty() && scratch.contacts[0].P[0] > 0 && state.u[0] > 1e-3;
        if (leaves) CHECK(report.energy.correction_J == 0);
        bounced_from_below = bounced_from_below || (leaves && scratch.gap_m[0] < 0);
    }
    CHECK(bounced_from_below);
}

TEST_CASE("without contacts the scheme is of second order, velocity terms included")
{
    const Model model = model_of(free_double_pendulum);
    const State start = make_state(model, vector({1.0, 2.0}), vector({0.5, -1.0}));
    const State fine = run_free(free_double_pendulum, start, 1e-5, 1.0, 2);
    double before = 0;
    for (const double h : {4e-3, 2e-3, 1e-3}) {
        const State coarse = run_free(free_double_pendulum, start, h, 1.0, 2);
        const double error = (coarse.q - fine.q).norm() + (coarse.u - fine.u).norm();
        if (before > 0) CHECK(before / error == near(4, 0.4));
        before = error;
    }

    // one force pass, as in the paper, is of first order as soon as K depends on u
    const double coarse = (run_free(free_double_pendulum, start, 2e-3, 1.0, 1).q - fine.q).norm();
    const double halved = (run_free(free_double_pendulum, start, 1e-3, 1.0, 1).q - fine.q).norm();
    CHECK(coarse / halved == near(2, 0.2));
}

TEST_CASE("motion without shocks runs backwards (M83 3.7)")
{
    // a particle on an ellipse-shaped floor, pressed down by gravity, in contact all the time
    const test::Sketch sliding{.coordinates = {"x", "y"},
                               .kinetic = "(x'^2 + y'^2)/2",
                               .potential = "9.81*y",
                               .contacts = {{"bowl", "y - x^2/2"}}};
    const Model model = model_of(sliding);
    double before = 0;
    for (const double h : {1e-3, 5e-4}) {
        State state = make_state(model, vector({0.3, 0.045}), vector({0.2, 0.06}));
        const State start = state;
        REQUIRE(simulate(model, {.time_step_s = h}, {}, {.duration_s = 1}, state).status ==
                RunStatus::Certified);
        CHECK(state.closed[0] == 2);
        state.u = -state.u;
        REQUIRE(simulate(model, {.time_step_s = h}, {}, {.duration_s = 1}, state).status ==
                RunStatus::Certified);
        const double error = (state.q - start.q).norm() + (state.u + start.u).norm();
        CHECK(error <= 5 * h);  // first order: it must go to zero with h
        if (before > 0) CHECK(before / error > 1.7);
        before = error;
    }
}

TEST_CASE("the ledger of every step closes to roundoff: curved metric, forces, moving floor, restitution")
{
    const test::Sketch everything{
        .coordinates = {"x", "a"},
        .kinetic = "x'^2 + (0.3 + 0.2*sin(x)^2)*a'^2/2 + 0.3*cos(a)*x'*a'",
        .potential = "9.81*x - 2*cos(a) + (x - 0.1*sin(5*t))^2",
        .forces = {"-0.3*x' + sin(t)", "-0.1*a'"},
        .contacts = {{"floor", "x - 0.05*sin(9*t) + 0.1*cos(a)", "0.6"}, {"stop", "1 - a", "0.2"}}};
    const Model model = model_of(everything);
    State state = make_state(model, vector({0.5, 0.0}), vector({0, 3.0}));
    Scratch scratch(model);
    int impacts = 0;
    for (int step = 0; step < 3000; ++step) {
        const auto report = moreau_step(model, {.time_step_s = 1e-3}, {}, state, scratch);
        REQUIRE(report.status == StepStatus::Solved);
        // 1e-15 of the energies in the game (some ten joules) times the few dozen operations of a step
        REQUIRE(report.energy.balance_J() == near(0, 2e-13));
        impacts += static_cast<int>(scratch.events.size());
    }
    CHECK(impacts > 5);
}

TEST_CASE("the ledger says where the energy of a bouncing ball went")
{
    const Model model = model_of(column(1, "0.5"));
    State state = make_state(model, vector({1.0}), vector({0}));
    const auto report =
        simulate(model, {.time_step_s = 1e-4}, {}, {.duration_s = 3, .until = {.rest = true}}, state);
    CHECK(report.end == RunEnd::Rest);
    const EnergyLines& energy = report.certificate.energy;
    // all of m g h is lost in impacts; overlaps of the order |u| h were lifted by corrections
    CHECK(energy.potential_J == near(-9.81, 1e-9));
    CHECK(energy.kinetic_J == near(0, 1e-12));
    CHECK(energy.impact_J == near(-9.81, 9.81 * 5e-4));
    CHECK(std::abs(energy.correction_J) <= 9.81 * 5e-4);
    CHECK(energy.scheme_J == near(0, 1e-10));  // constant force and metric: nothing to linearise
    CHECK(report.certificate.energy_balance_J == near(0, 1e-12));
}

TEST_CASE("the second half-step of an impact carries the new velocity: an elastic ball returns to its height")
{
    const Model model = model_of(column(1, "1"));
    for (const double h : {1e-3, 1e-4}) {
        State state = make_state(model, vector({0.5}), vector({0}));
        double highest = 0;
        REQUIRE(simulate(model, {.time_step_s = h}, {}, {.duration_s = 2}, state, [&](const StepView& view) {
                    if (view.after.t_s > 1) highest = std::max(highest, view.after.q[0]);
                    return true;
                }).status == RunStatus::Certified);
        CHECK(highest == near(0.5, 10 * h));  // three bounces, each off by up to |u| h = 3 h
    }
}

TEST_CASE("contact events tell the story of a drop: impacts, contact made, and lost when the floor gives way")
{
    const Model model = model_of({.coordinates = {"z"},
                                  .kinetic = "z'^2/2",
                                  .potential = "9.81*z",
                                  .contacts = {{"floor", "z + 5*max(0, t - 1)^2*4", "0"}}});
    State state = make_state(model, vector({0.1}), vector({0}));
    const auto report = simulate(model, {.time_step_s = 1e-3}, {}, {.duration_s = 2}, state);
    REQUIRE(report.events.size() == 3);
    CHECK(report.events[0].kind == EventKind::Impact);
    CHECK(report.events[0].time_s == near(std::sqrt(0.2 / 9.81), 2e-3));
    CHECK(report.events[0].velocity_before_m_s == near(-std::sqrt(2 * 9.81 * 0.1), 0.02));
    CHECK(report.events[0].percussion_Ns == near(std::sqrt(2 * 9.81 * 0.1), 0.02));
    CHECK(report.events[1].kind == EventKind::ContactMade);
    CHECK(report.events[2].kind == EventKind::ContactLost);
    CHECK(report.events[2].time_s == near(1.0, 2e-3));  // the floor falls faster than g from here
}

TEST_CASE("a ball that hits a row pressed against a wall: every contact on the way takes the whole momentum")
{
    const Model model = model_of({.coordinates = {"x1", "x2", "x3"},
                                  .kinetic = "(x1'^2 + x2'^2 + x3'^2)/2",
                                  .forces = {"0", "0.1", "0.1"},
                                  .contacts = {{"a", "x2 - x1"}, {"b", "x3 - x2"}, {"wall", "1 - x3"}}});
    State state = make_state(model, vector({0.5, 1, 1}), vector({1, 0, 0}));
    const auto report = simulate(model, {.time_step_s = 1e-3}, {}, {.duration_s = 1}, state);
    std::vector<int> struck;
    for (const Event& event : report.events) {
        if (event.kind != EventKind::Impact) continue;
        CHECK(event.time_s == near(0.5, 2e-3));
        CHECK(event.percussion_Ns == near(1, 1e-3));  // the steady load is 1e-4 and 2e-4 a step
        struck.push_back(event.contact);
    }
    CHECK(struck == std::vector{0, 1, 2});
    CHECK(state.u.norm() <= 1e-14);
}

TEST_CASE("grazing a wall changes nothing, whatever the restitution (B02 proposition 10)")
{
    for (const char* e : {"0", "0.5", "1"}) {
        const Model model = model_of(
            {.coordinates = {"x", "y"}, .kinetic = "(x'^2 + y'^2)/2", .contacts = {{"wall", "y", e}}});
        State state = make_state(model, vector({0, 0}), vector({1.25, 0}));
        const auto report = simulate(model, {.time_step_s = 1e-3}, {}, {.duration_s = 1}, state);
        CHECK(state.u == vector({1.25, 0}));
        CHECK(report.events.empty());
    }
}

TEST_CASE("steps that can not be made leave the state and say why")
{
    SUBCASE("a force that is not a number")
    {
        const Model model =
            model_of({.coordinates = {"x"}, .kinetic = "x'^2/2", .forces = {"sqrt(0.05 - t)"}});
        State state = make_state(model, vector({0}), vector({0}));
        const auto report = simulate(model, {.time_step_s = 1e-2}, {}, {.duration_s = 1}, state);
        CHECK(report.status == RunStatus::Failed);
        CHECK(report.end == RunEnd::NotFinite);
        CHECK(state.t_s == near(0.05, 1e-12));
        CHECK(std::isfinite(state.q[0]));
        REQUIRE(report.findings.size() == 1);
        CHECK(report.findings[0].code == "not_finite");
    }
    SUBCASE("an energy that is not a number")
    {
        const Model model = model_of({.coordinates = {"x"}, .kinetic = "x'^2/2", .potential = "(1 - x)^1.5"});
        State state = make_state(model, vector({0}), vector({1}));
        const auto report = simulate(model, {.time_step_s = 1e-2}, {}, {.duration_s = 3}, state);
        CHECK(report.end == RunEnd::NotFinite);
        CHECK(state.q[0] <= 1);
        CHECK(std::isfinite(report.certificate.energy_balance_J));
    }
    SUBCASE("a gap that is not a number is not lost")
    {
        const Model model = model_of(
            {.coordinates = {"x"}, .kinetic = "x'^2/2", .contacts = {{"gap", "x + sqrt(0.05 - t)"}}});
        State state = make_state(model, vector({0}), vector({1}));
        CHECK(simulate(model, {.time_step_s = 1e-2}, {}, {.duration_s = 1}, state).end == RunEnd::NotFinite);
    }
    SUBCASE("a kinetic matrix that loses its positivity")
    {
        const Model model = model_of({.coordinates = {"x"}, .kinetic = "(1 - x)*x'^2/2"});
        State state = make_state(model, vector({0}), vector({1}));
        const auto report = simulate(model, {.time_step_s = 1e-2}, {}, {.duration_s = 3}, state);
        CHECK(report.end == RunEnd::MetricSingular);
    }
    SUBCASE("a restitution that leaves its range")
    {
        const Model model = model_of({.coordinates = {"x"},
                                      .kinetic = "x'^2/2",
                                      .potential = "9.81*x",
                                      .contacts = {{"floor", "x", "t"}}});
        State state = make_state(model, vector({4.0}), vector({0}));
        CHECK(simulate(model, {.time_step_s = 1e-2}, {}, {.duration_s = 9}, state).end ==
              RunEnd::LawOutOfRange);
    }
    SUBCASE("an unsolved step ends the run where the user wants that")
    {
        const Model model = model_of(column(4, "0"));
        State state = make_state(model, heights(4, 0, 0), Eigen::VectorXd::Zero(4));
        const SolverSettings few{.kind = SolverKind::GaussSeidel, .max_sweeps = 1};
        CHECK(
            simulate(model, MoreauSettings{}, few, {.duration_s = 1, .on_unsolved = OnUnsolved::Stop}, state)
                .end == RunEnd::UnsolvedStep);
        const auto accepted = simulate(model, MoreauSettings{}, few, {.duration_s = 0.1}, state);
        CHECK(accepted.status == RunStatus::Uncertified);
        CHECK(accepted.certificate.unsolved_steps > 0);
    }
}

TEST_CASE("a run ends at its duration, by a formula, or when a listener has seen enough")
{
    const test::Sketch flight{.coordinates = {"x"}, .kinetic = "x'^2/2"};
    const Model model = model_of(flight);
    State state = make_state(model, vector({0}), vector({1}), 2.0);
    CHECK(simulate(model, {.time_step_s = 0.3}, {}, {.duration_s = 1}, state).end == RunEnd::Duration);
    CHECK(state.t_s == 3.0);  // the last step is shorter
    CHECK(state.q[0] == near(1.0, 1e-15));

    Vocabulary names;
    REQUIRE(names.add_coordinate("x").has_value());
    state = make_state(model, vector({0}), vector({1}));
    RunPlan plan{.duration_s = 10, .until = {.formula = *parse_formula("x - 2", names)}};
    CHECK(simulate(model, {.time_step_s = 0.125}, {}, plan, state).end == RunEnd::Formula);
    CHECK(state.t_s == 2.0);

    state = make_state(model, vector({0}), vector({1}));
    CHECK(simulate(model, MoreauSettings{}, {}, {.duration_s = 1}, state, [](const StepView& view) {
              return view.step < 5;
          }).end == RunEnd::Listener);
}

TEST_CASE("times are start + n h, not sums")
{
    const Model model = model_of({.coordinates = {"x"}, .kinetic = "x'^2/2"});
    State state = make_state(model, vector({0}), vector({0}));
    (void)simulate(model, {.time_step_s = 0.1}, {}, {.duration_s = 1000}, state, [](const StepView& view) {
        REQUIRE(view.after.t_s == static_cast<double>(view.step) * 0.1);
        return true;
    });
}

TEST_CASE("a second run from the state of the first is the uninterrupted run, bit for bit")
{
    const Model model = model_of(column(3, "0.7"));
    const MoreauSettings settings{.time_step_s = 1.0 / 512};  // so that start + n h is exact
    State whole = make_state(model, heights(3, 0.3, 0.1), Eigen::VectorXd::Zero(3)), parts = whole;
    (void)simulate(model, settings, {}, {.duration_s = 2}, whole);
    (void)simulate(model, settings, {}, {.duration_s = 0.75}, parts);
    (void)simulate(model, settings, {}, {.duration_s = 1.25}, parts);
    CHECK(whole.q == parts.q);
    CHECK(whole.u == parts.u);
    CHECK(whole.percussion_Ns == parts.percussion_Ns);
}

TEST_CASE("settings outside their range are refused")
{
    CHECK(check(MoreauSettings{}).has_value());
    CHECK(check(MoreauSettings{.time_step_s = 0}).error().where == "MoreauSettings::time_step_s");
    CHECK(check(MoreauSettings{.time_step_s = std::nan("")}).error().code == ErrorCode::SettingOutOfRange);
    CHECK(check(MoreauSettings{.activation_gap_m = -1}).error().where == "MoreauSettings::activation_gap_m");
    CHECK(check(MoreauSettings{.force_passes = 3}).error().where == "MoreauSettings::force_passes");
    CHECK(check(RunPlan{.duration_s = -1}).error().where == "RunPlan::duration_s");
    CHECK(check(RecordSettings{.every_s = -1}).error().where == "RecordSettings::every_s");
}
