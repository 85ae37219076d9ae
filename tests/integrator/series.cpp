#include "carom/integrator/run.hpp"

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
    return {.coordinates = {"z"}, .kinetic = "z'^2/2", .potential = "9.81*z", .contacts = {{"floor", "z", e}}};
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
        // some 5e3 expansions, each wrong by a few roundings
        CHECK(state.q[0] == near(1, 1e-12));
        CHECK(state.u[0] == near(0, 1e-12));
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

TEST_CASE("at the threshold the first coefficient that differs decides between stick and slip (CB14)")
{
    struct Case {
        std::string force;
        double x;
    };
    const Case cases[] = {{"1 + t", 1.0 / 6},       {"1 - t", 0},   {"1 + t^2", 1.0 / 12},
                          {"1 - t^2 + 2*t^3", 23.0 / 960}, {"1", 0}, {"1.3", 0.15},
                          {"-1 - t", -1.0 / 6}};
    for (const Case& one : cases) {
        INFO(one.force);
        const Model model = model_of(pulled(one.force));
        State state = at_rest(model);
        run(model, {.time_step_s = 1}, 1, state);
        CHECK(state.q[0] == near(one.x, 1e-14));
        CHECK(state.q[1] == near(0, 1e-15));
    }
}
