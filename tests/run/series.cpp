#include "carom/run/run.hpp"

#include "analytic/series_step.hpp"
#include "support/near.hpp"
#include "support/systems.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

using namespace carom;
using test::model_of;
using test::near;
using test::Sketch;
using test::vector;

namespace {

constexpr double pi = 3.14159265358979323846;

RunReport run(const Model& model, const SeriesSettings& settings, double duration_s, State& state,
              const StepListener& listener = {})
{
    auto report = simulate(model, settings, {}, {.duration_s = duration_s}, state, listener);
    for (const Finding& finding : report.findings) {
        INFO(finding.code << " at " << finding.time_s << " s: " << finding.message);
        CHECK(report.status == RunStatus::Certified);
    }
    REQUIRE(report.status == RunStatus::Certified);
    return report;
}

std::vector<double> times_of(const RunReport& report, EventKind kind, int contact = -1)
{
    std::vector<double> result;
    for (const Event& event : report.events) {
        if (event.kind == kind && (contact < 0 || event.contact == contact)) result.push_back(event.time_s);
    }
    return result;
}

Sketch bouncing(const std::string& e)
{
    return {
        .coordinates = {"z"}, .kinetic = "z'^2/2", .potential = "9.81*z", .contacts = {{"floor", "z", e}}};
}

/// Unit mass pressed with 2 N on a floor with mu = 1/2, so that the threshold is 1 N; the force f pulls.
Sketch pulled(const std::string& f)
{
    return {.coordinates = {"x", "y"},
            .kinetic = "(x'^2 + y'^2)/2",
            .potential = "2*y",
            .forces = {f, "0"},
            .contacts = {{.name = "floor", .gap = "y", .friction = "0.5", .sliding = {"x'"}}}};
}

State at_rest(const Model& model)
{
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.coordinates());
    return make_state(model, zero, zero);
}

}  // namespace

TEST_CASE("an oscillator comes back after a thousand periods: rounding alone")
{
    const Model model = model_of({.coordinates = {"x"}, .kinetic = "x'^2/2", .potential = "x^2/2"});
    for (const int order : {12, 24, 32}) {
        State state = make_state(model, vector({1}), vector({0}));
        run(model, {.time_step_s = 20 * pi, .order = order}, 2000 * pi, state);
        // some 1e4 expansions of a rounding each, and 2000 pi itself is known to 1e-12
        CHECK(state.q[0] == near(1, 1e-11));
        CHECK(state.u[0] == near(0, 1e-11));
    }
}

TEST_CASE("a bouncing ball: impacts by their closed form, through the accumulation to rest")
{
    const Model model = model_of(bouncing("0.8"));
    State state = make_state(model, vector({1}), vector({0}));
    const RunReport report = run(model, {.time_step_s = 0.5}, 5, state);
    const auto impacts = times_of(report, EventKind::Impact);
    const double fall = std::sqrt(2 / 9.81);
    REQUIRE(impacts.size() > 20);
    double exact = fall, flight = 2 * fall;
    for (std::size_t k = 0; k < 20; ++k) {
        CHECK(impacts[k] == near(exact, 2e-15 * 4 * static_cast<double>(k + 1)));
        flight *= 0.8;
        exact += flight;
    }
    // the instant of rest, and rest itself
    const auto ends = times_of(report, EventKind::Accumulation);
    REQUIRE(ends.size() == 1);
    CHECK(ends[0] == near(fall * 1.8 / 0.2, 1e-13));
    CHECK(state.q[0] == near(0, 1e-15));
    CHECK(state.u[0] == near(0, 1e-15));
    CHECK(state.closed[0] == 1);
    CHECK(report.certificate.energy.impact_J == near(-9.81, 1e-12));
}

TEST_CASE("bounces that accumulate where a report ends are passed there, from any speed on")
{
    // impacts at 1, 2, 2.5, 2.75, ...: at rest from t = 3 on, the end of a report (B02 counter-example 6). Bounces
    // slower than accumulation_speed_m_s are passed at once
    auto bounces = bouncing("0.5");
    bounces.potential = "2*z";
    const Model model = model_of(bounces);
    std::size_t impacts = 60;
    for (const double slow_m_s : {0.0, 1e-4, 1e-1}) {
        State state = make_state(model, vector({1}), vector({0}));
        const RunReport report =
            run(model, {.time_step_s = 0.25, .accumulation_speed_m_s = slow_m_s}, 4, state);
        const auto ends = times_of(report, EventKind::Accumulation);
        REQUIRE(ends.size() == 1);
        CHECK(ends[0] == near(3, 1e-14));
        CHECK(times_of(report, EventKind::Impact).size() < impacts);
        impacts = times_of(report, EventKind::Impact).size();
        CHECK(state.u[0] == near(0, 1e-15));
    }
}

TEST_CASE("at the threshold the first coefficient that differs decides between stick and slip (CB14)")
{
    struct Case {
        std::string force;
        double x;
    };
    const Case cases[] = {
        {"1 + t", 1.0 / 6}, {"1 - t", 0},  {"1 + t^2", 1.0 / 12}, {"1 - t^2 + 2*t^3", 23.0 / 960},
        {"1", 0},           {"1.3", 0.15}, {"-1 - t", -1.0 / 6}};
    for (const Case& one : cases) {
        INFO(one.force);
        const Model model = model_of(pulled(one.force));
        State state = at_rest(model);
        run(model, {.time_step_s = 1}, 1, state);
        CHECK(state.q[0] == near(one.x, 1e-14));
        CHECK(state.q[1] == near(0, 1e-15));
    }
}

TEST_CASE("a turning force starts slip in space at the order at which it passes the threshold (CB14)")
{
    // |F|^2 = 1 + t^2 against the threshold 1: u_x = t^4/24 + ..., u_y = t^5/30 + ...
    const Sketch sketch{.coordinates = {"x", "y", "z"},
                        .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                        .potential = "2*z",
                        .forces = {"1", "t", "0"},
                        .contacts = {{.name = "floor",
                                      .gap = "z",
                                      .friction = "0.5",
                                      .shape = FrictionDisc{},
                                      .position = {"x", "y", "z"}}}};
    const Model model = model_of(sketch);
    State state = at_rest(model);
    const auto decided = explain_statuses(model, {}, state);
    REQUIRE(decided.has_value());
    REQUIRE(decided->size() == 1);
    CHECK(decided->front().normal == "active");
    CHECK(decided->front().normal_order == 0);
    CHECK(decided->front().friction == "slip");
    CHECK(decided->front().friction_order == 2);

    // the next terms are t^6 and t^7
    run(model, {.time_step_s = 1e-2}, 1e-2, state);
    CHECK(state.q[0] == near(1e-8 / 24, 1e-12));
    CHECK(state.q[1] == near(1e-10 / 30, 1e-14));

    // and a force that turns at the threshold moves nothing
    Sketch turning = sketch;
    turning.forces = {"cos(t)", "sin(t)", "0"};
    const Model still = model_of(turning);
    State rest = at_rest(still);
    run(still, {.time_step_s = 0.25}, 3, rest);
    CHECK(rest.q.norm() == 0);
}

TEST_CASE("statuses fall one after the other, at orders four and six (CB14)")
{
    const Model model =
        model_of({.coordinates = {"x1", "y1", "x2", "y2", "x3", "y3"},
                  .kinetic = "(x1'^2 + y1'^2 + x2'^2 + y2'^2 + x3'^2 + y3'^2)/2",
                  .forces = {"0.5 + t^2", "-1", "0", "x1", "0.2*t^4", "-x1"},
                  .contacts = {{.name = "one", .gap = "y1", .friction = "0.5", .sliding = {"x1'"}},
                               {.name = "two", .gap = "y2", .friction = "0.5", .sliding = {"x2'"}},
                               {.name = "three", .gap = "y3", .friction = "0.6", .sliding = {"x3'"}}}});
    for (const int order : {12, 24, 32}) {
        State state = at_rest(model);
        const auto decided = explain_statuses(model, {.order = order}, state);
        REQUIRE(decided.has_value());
        CHECK((*decided)[0].friction_order == 2);
        CHECK((*decided)[1].normal == "inactive");
        CHECK((*decided)[1].normal_order == 4);
        CHECK((*decided)[2].normal == "active");
        CHECK((*decided)[2].friction == "slip");
        CHECK((*decided)[2].friction_order == 4);
        run(model, {.time_step_s = 0.5, .order = order}, 1, state);
        CHECK(state.q[0] == near(1.0 / 12, 1e-14));
        CHECK(state.q[3] == near(1.0 / 360, 1e-14));
        CHECK(state.q[4] == near(0.15 / 30, 1e-14));
    }
}

TEST_CASE("a mass leaves a cylinder where its weight no longer holds it, and its reaction ends at zero")
{
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .potential = "9.81*y",
                                  .contacts = {{"cylinder", "sqrt(x^2 + y^2) - 1"}}});
    State state = make_state(model, vector({0, 1}), vector({0.5, 0}));
    const RunReport report = run(model, {.time_step_s = 0.1}, 1, state);
    const auto lost = times_of(report, EventKind::ContactLost);
    REQUIRE(lost.size() == 1);
    CHECK(lost[0] == near(0.754238838002552, 1e-13));
    // no impact before: it left without a jump, and no energy is lost
    CHECK(times_of(report, EventKind::Impact).empty());
    CHECK(report.certificate.energy.impact_J == near(0, 1e-15));
}

TEST_CASE("the motion does not depend on how often it is reported, nor on what a scratch remembers")
{
    // a mass on coupled springs against a rough wall: free flight, impacts, slip both ways
    const Model model = model_of(
        {.coordinates = {"a", "b"},
         .kinetic = "(a'^2 + b'^2)/2",
         .potential = "(4*a^2 + 3*a*b + 3*b^2)/2 - a - 1.2*b",
         .contacts = {
             {.name = "wall", .gap = "-b", .restitution = "0.5", .friction = "0.4", .sliding = {"a'"}}}});
    const State start = make_state(model, vector({-1.2, 0}), vector({0, 0}));
    State whole = start, parts = start, order_12 = start, order_32 = start;
    run(model, {.time_step_s = 6}, 6, whole);
    run(model, {.time_step_s = 0.05}, 6, parts);
    run(model, {.time_step_s = 6, .order = 12}, 6, order_12);
    run(model, {.time_step_s = 6, .order = 32}, 6, order_32);
    // rounding of some hundred expansions, not amplified: the system loses energy
    for (const State* other : {&parts, &order_12, &order_32}) {
        CHECK((whole.q - other->q).norm() < 1e-12);
        CHECK((whole.u - other->u).norm() < 1e-12);
    }
    // a state holds all that the motion needs
    State fresh = start, remembered = start;
    Scratch scratch(model);
    for (int n = 0; n < 60; ++n) {
        Scratch other(model);
        static_cast<void>(series_step(model, {.time_step_s = 0.1}, {}, fresh, other));
        static_cast<void>(series_step(model, {.time_step_s = 0.1}, {}, remembered, scratch));
    }
    CHECK((fresh.q - remembered.q).norm() < 1e-13);
}

TEST_CASE("time stepping converges to the series at first order or better on five systems")
{
    struct Case {
        std::string family;  ///< of the reference cases
        Sketch sketch;
        State (*start)(const Model&);
        double end_s;
    };
    const Case cases[] = {
        {"B-ZENO", bouncing("0.5"), [](const Model& m) { return make_state(m, vector({1}), vector({0})); },
         1},
        {"CB-BOUNCE",
         {.coordinates = {"x", "y"},
          .kinetic = "(x'^2 + y'^2)/2",
          .potential = "9.81*y",
          .contacts =
              {{.name = "floor", .gap = "y", .restitution = "0.6", .friction = "0.1", .sliding = {"x'"}}}},
         [](const Model& m) { return make_state(m, vector({0, 1}), vector({4, 0})); },
         1.1},
        {"CB-CYL",
         {.coordinates = {"x", "y"},
          .kinetic = "(x'^2 + y'^2)/2",
          .potential = "9.81*y",
          .contacts = {{.name = "cylinder",
                        .gap = "sqrt(x^2 + y^2) - 1",
                        .friction = "0.3",
                        .position = {"x", "y"}}}},
         [](const Model& m) { return make_state(m, vector({0, 1}), vector({2.2, 0})); },
         0.4},
        {"B-EX8-1",
         {.coordinates = {"q1", "q2"},
          .kinetic = "0.5*(1/3 + 0.7)*q1'^2 + 0.7*0.64/6*q2'^2 + 0.7*0.8/2*cos(q1 - q2)*q1'*q2'",
          .potential = "q1^2 + 0.75*(q2 - q1)^2",
          .forces = {"sin(q1 - q2)", "0"},
          .contacts = {{"joint", "sin(q1)", "0.5"}, {"tip", "sin(q1) + 0.8*sin(q2)", "0.5"}}},
         [](const Model& m) { return make_state(m, vector({0.5, 0.4}), vector({-1, 0.3})); },
         1},
        {"CB-INCLINE3D",
         {.coordinates = {"x", "y", "z"},
          .kinetic = "(x'^2 + y'^2 + z'^2)/2",
          .potential = "9*z - 3*x",
          .contacts = {{.name = "plane",
                        .gap = "z",
                        .friction = "0.3",
                        .shape = FrictionDisc{},
                        .sliding = {"x'", "y'"}}}},
         [](const Model& m) { return make_state(m, vector({0, 0, 0}), vector({0, 1, 0})); },
         1}};
    for (const Case& one : cases) {
        const Model model = model_of(one.sketch);
        State exact = one.start(model);
        run(model, {.time_step_s = one.end_s}, one.end_s, exact);
        // the slope of log error over log h, by least squares over four halvings and two numbers of steps
        // that do not divide each other: errors are ragged where an impact falls within a step
        double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
        for (double steps = 200; steps < 12000; steps = std::round(1.17 * steps)) {
            State state = one.start(model);
            const double h = one.end_s / steps;
            static_cast<void>(
                simulate(model, MoreauSettings{.time_step_s = h}, {}, {.duration_s = one.end_s}, state));
            const double x = std::log(h),
                         y = std::log((state.q - exact.q).norm() + (state.u - exact.u).norm());
            n += 1;
            sum_x += x;
            sum_y += y;
            sum_xx += x * x;
            sum_xy += x * y;
        }
        const double slope = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
        INFO(one.family);
        // where contacts only persist it is of the second order
        CHECK(slope > 0.85);
        CHECK(slope < 2.15);
    }
}

TEST_CASE("pieces of a formula are events")
{
    const Model model = model_of({.coordinates = {"x"}, .kinetic = "x'^2/2", .forces = {"-sign(x)"}});
    State state = make_state(model, vector({0.5}), vector({0}));
    const RunReport report = run(model, {.time_step_s = 0.7}, 4, state);
    CHECK(state.q[0] == near(0.5, 1e-14));
    CHECK(state.u[0] == near(0, 1e-14));
    // uniqueness is proved for analytic data only
    CHECK(report.findings.front().code == "not_analytic");
}

TEST_CASE("dampers between particles in contact leave uniqueness open, and the run says so")
{
    const auto sketch = [](const std::string& force) {
        return Sketch{.coordinates = {"x1", "y1", "x2", "y2"},
                      .kinetic = "(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2",
                      .potential = "y1 + y2",
                      .forces = {force, "0", "0", "0"},
                      .contacts = {{.name = "one", .gap = "y1", .friction = "0.5", .sliding = {"x1'"}},
                                   {.name = "two", .gap = "y2", .friction = "0.5", .sliding = {"x2'"}}}};
    };
    for (const std::string force : {"-0.1*x1'", "0.1*(x2' - x1')"}) {
        const Model model = model_of(sketch(force));
        State state = make_state(model, vector({0, 0, 0, 0}), vector({1, 0, 2, 0}));
        const RunReport report = run(model, {.time_step_s = 0.1}, 0.2, state);
        CHECK(report.findings.empty() == (force == "-0.1*x1'"));
        CHECK(report.certificate.energy.friction_J < 0);
    }
}

TEST_CASE("where sliding has no continuation the run ends and says so")
{
    // a slender rod whose tip slides at tan(theta) = 2: mu above 4/3 leaves several motions or none
    const auto rod = [](const std::string& mu) {
        return Sketch{.coordinates = {"x", "y", "theta"},
                      .kinetic = "(x'^2 + y'^2)/2 + theta'^2/6",
                      .potential = "9.81*y",
                      .contacts = {{.name = "tip",
                                    .gap = "y - sin(theta)",
                                    .friction = mu,
                                    .sliding = {"x' + sin(theta)*theta'"}}}};
    };
    const double theta = std::atan(2.0);
    for (const std::string mu : {"1.2", "2"}) {
        const Model model = model_of(rod(mu));
        State state = make_state(model, vector({0, std::sin(theta), theta}), vector({-1, 0, 0}));
        const RunReport report =
            simulate(model, SeriesSettings{.time_step_s = 1e-2}, {}, {.duration_s = 1e-2}, state);
        CHECK((report.end == RunEnd::Undetermined) == (mu == "2"));
    }
}

TEST_CASE("three masses collapse, and the run goes on")
{
    const Model model = model_of({.coordinates = {"a", "b", "c"},
                                  .kinetic = "(a'^2 + b'^2 + c'^2)/2",
                                  .contacts = {{"left", "b - a", "0.05"}, {"right", "c - b", "0.05"}}});
    State state = make_state(model, vector({0, 0.9, 2}), vector({1, 0, -1}));
    const RunReport report = run(model, {.time_step_s = 0.5}, 2, state);
    const auto ends = times_of(report, EventKind::Accumulation);
    REQUIRE(!ends.empty());
    CHECK(ends[0] == near(1.042857142857143, 1e-8));
    CHECK(state.u.norm() < 1e-8);
}

TEST_CASE("what has no series is refused by name")
{
    const Model model = model_of({.coordinates = {"x", "y", "z"},
                                  .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                                  .contacts = {{.name = "floor",
                                                .gap = "z",
                                                .friction = "0.5",
                                                .shape = FrictionEllipse{},
                                                .sliding = {"x'", "y'"}}}});
    const Errors errors = check_for_series(model);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].where == "contact.floor.friction");
    CHECK_FALSE(check(SeriesSettings{.order = 3}).has_value());
    CHECK_FALSE(check(SeriesSettings{.tolerance = 0}).has_value());
    CHECK_FALSE(check(SeriesSettings{.time_step_s = 0}).has_value());
}

TEST_CASE("a run by series that is stopped ends before the report it is in, with the state that began it")
{
    // stopping may not wait for what happens before the next report
    const Model model = model_of(bouncing("1"));
    State state = make_state(model, vector({1e-10}), vector({0}), 0);
    const std::atomic<bool> stop = true;
    const RunReport report =
        simulate(model, SeriesSettings{.time_step_s = 10}, {.stop = &stop}, {.duration_s = 10}, state);
    CHECK(report.end == RunEnd::Listener);
    CHECK(report.certificate.steps == 0);
    CHECK(state.q == vector({1e-10}));
    CHECK(state.t_s == 0);
}
