#include "carom/integrator/run.hpp"

#include "support/near.hpp"
#include "support/systems.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace carom;
using test::near;
using test::vector;

namespace {

/// Five balls in a row that touch, the first on its way to them; an impact map in place of restitution.
Model cradle(ImpactMap map)
{
    auto system =
        test::system_of({.coordinates = {"a", "b", "c", "d", "f"},
                         .kinetic = "(a'^2 + b'^2 + c'^2 + d'^2 + f'^2)/2",
                         .contacts = {{"ab", "b - a"}, {"bc", "c - b"}, {"cd", "d - c"}, {"df", "f - d"}}});
    system.impact_map = std::move(map);
    return *make_model(std::move(system));
}

/// One ball above a floor, with an impact map given as a formula of its velocity.
Model ball(const std::string& velocity_after)
{
    auto system = test::system_of(
        {.coordinates = {"z"}, .kinetic = "z'^2/2", .potential = "9.81*z", .contacts = {{"floor", "z"}}});
    Vocabulary names;
    REQUIRE(names.add_coordinate("z").has_value());
    system.impact_map = impact_map_of({*parse_formula(velocity_after, names)});
    return *make_model(std::move(system));
}

bool found(const RunReport& report, const std::string& code)
{
    return std::any_of(report.findings.begin(), report.findings.end(),
                       [&](const Finding& finding) { return finding.code == code; });
}

}  // namespace

TEST_CASE(
    "under the sequential map Newton's cradle throws its last ball, under the canonical one all of them")
{
    const Eigen::VectorXd q = vector({-0.5, 0, 0, 0, 0}), u = vector({1, 0, 0, 0, 0});
    const Model observed = cradle(sequential_map({.restitution = 1}));
    State state = make_state(observed, q, u);
    const auto report = simulate(observed, MoreauSettings{}, {}, {.duration_s = 1}, state);
    CHECK(report.status == RunStatus::Certified);
    CHECK(std::count_if(report.events.begin(), report.events.end(),
                        [](const Event& event) { return event.kind == EventKind::Impact; }) == 4);
    CHECK((state.u - vector({0, 0, 0, 0, 1})).norm() <= 1e-14);

    const Model canonical = cradle(canonical_map(1));
    state = make_state(canonical, q, u);
    CHECK(simulate(canonical, MoreauSettings{}, {}, {.duration_s = 1}, state).status == RunStatus::Certified);
    CHECK((state.u - vector({-0.6, 0.4, 0.4, 0.4, 0.4})).norm() <= 1e-13);
}

TEST_CASE("a map with the restitution of the law is the law: same impacts, same energy, same rest")
{
    const Model by_map = ball("-0.5*z'");
    auto system = by_map.system();
    system.impact_map = nullptr;
    system.contacts[0].restitution = Formula::constant(0.5);
    const Model by_law = *make_model(system);
    State one = make_state(by_map, vector({0.7}), vector({0})), two = one;
    const auto mapped = simulate(by_map, {.time_step_s = 1e-4}, {}, {.duration_s = 3}, one);
    const auto lawful = simulate(by_law, {.time_step_s = 1e-4}, {}, {.duration_s = 3}, two);
    CHECK(mapped.status == RunStatus::Certified);  // its ledger closes as well
    CHECK(mapped.events.size() >= 10);
    CHECK(mapped.events[0].velocity_after_m_s == near(lawful.events[0].velocity_after_m_s, 3e-3));
    // the first half-step still moved with the old velocity: |u| h g a bounce, in the scheme's line
    CHECK(mapped.certificate.energy.impact_J == near(lawful.certificate.energy.impact_J, 1e-2));
    CHECK(one.q[0] == near(0, 1e-9));
    CHECK(one.u[0] == near(0, 1e-12));
    CHECK(mapped.findings.empty());
}

TEST_CASE("a map that creates energy is reported with instant and joules")
{
    const Model model = ball("-1.2*z'");
    State state = make_state(model, vector({0.7}), vector({0}));
    const auto report = simulate(model, {.time_step_s = 1e-4}, {}, {.duration_s = 0.5}, state);
    REQUIRE(found(report, "map_creates_energy"));
    const double gained = 0.44 * 9.81 * 0.7;  // (1.2^2 - 1) m v^2 / 2
    CHECK(report.findings[0].time_s == near(std::sqrt(1.4 / 9.81), 2e-4));
    CHECK(report.certificate.energy.impact_J == near(gained, 0.01));
}

TEST_CASE("a map that leaves the cone of velocities, or pulls, is reported")
{
    State state;
    const Model sinks = ball("0.5*z'");
    state = make_state(sinks, vector({0.7}), vector({0}));
    CHECK(found(simulate(sinks, {.time_step_s = 1e-4}, {}, {.duration_s = 0.5}, state),
                "map_leaves_velocity_cone"));

    const Model pulls = ball("2*z'");
    state = make_state(pulls, vector({0.7}), vector({0}));
    CHECK(found(simulate(pulls, {.time_step_s = 1e-4}, {}, {.duration_s = 0.5}, state),
                "map_outside_normal_cone"));
}

TEST_CASE("a map that gives no number ends the run")
{
    const Model model = ball("sqrt(z')");
    State state = make_state(model, vector({0.7}), vector({0}));
    CHECK(simulate(model, {.time_step_s = 1e-4}, {}, {.duration_s = 0.5}, state).end ==
          RunEnd::LawOutOfRange);
}
