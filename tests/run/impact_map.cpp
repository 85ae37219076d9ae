#include "carom/run/run.hpp"
#include "law/frictional_impact.hpp"
#include "solver/poisson_impact.hpp"

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

TEST_CASE("the energetic map takes the energy away that Newton's form with friction creates")
{
    // kinetic matrix [[1, 0.8], [0.8, 1]], e = 0.9, mu = 0.7, u- = (-1, 0.8)
    auto system = test::system_of(
        {.coordinates = {"n", "s"},
         .kinetic = "n'^2/2 + 0.8*n'*s' + s'^2/2",
         .contacts = {
             {.name = "wall", .gap = "n", .restitution = "0.9", .friction = "0.7", .sliding = {"s'"}}}});
    const auto run = [&](ImpactMap map, State& state) {
        system.impact_map = std::move(map);
        const Model model = *make_model(system);
        state = make_state(model, vector({0.0045, 0}), vector({-1, 0.8}));
        // one step: when within it the impact happens is not asked (LE-18)
        return simulate(model, MoreauSettings{.time_step_s = 0.01, .max_overlap = 10}, {},
                        {.duration_s = 0.01}, state);
    };
    State state;
    const auto offered = run({}, state);
    REQUIRE(found(offered, "energy_created"));
    CHECK(offered.findings[0].message.find("kind = \"energetic\"") != std::string::npos);

    const auto energetic = run(energetic_map({}), state);
    CHECK(energetic.status == RunStatus::Certified);
    CHECK(energetic.findings.empty());
    CHECK(state.u[0] > 0.4);
    CHECK(state.u[1] < 0);  // it slides back
    // the ledger shares at mean velocities, which sliding that turns round does not have; the sum is the loss
    const auto& energy = energetic.certificate.energy;
    const double after =
        (state.u[0] * state.u[0] + state.u[1] * state.u[1]) / 2 + 0.8 * state.u[0] * state.u[1];
    CHECK(energy.impact_J + energy.friction_J == near(after - (0.82 - 0.64), 1e-14));
    CHECK(energy.impact_J + energy.friction_J < -0.1);
    CHECK(energetic.certificate.energy_balance_J == near(0, 1e-14));

    // soft maps agree with the step of the law without restitution, percussions and all
    system.contacts[0].restitution = Formula::constant(0);
    State soft;
    (void)run({}, soft);
    CHECK(run(poisson_map({}), state).status == RunStatus::Certified);
    CHECK((state.u - soft.u).norm() <= 1e-12);
}

TEST_CASE(
    "a user's own map with friction: its percussions are found, and those that friction cannot give seen")
{
    auto system = test::system_of(
        {.coordinates = {"x", "y"},
         .kinetic = "(x'^2 + y'^2)/2",
         .contacts = {
             {.name = "floor", .gap = "y", .restitution = "0.5", .friction = "0.3", .sliding = {"x'"}}}});
    const auto run = [&](double x_after) {
        system.impact_map = [x_after](const ImpactSite&, const Eigen::VectorXd& u) {
            return Eigen::VectorXd(Eigen::Vector2d(x_after, -0.5 * u[1]));
        };
        const Model model = *make_model(system);
        State state = make_state(model, vector({0, 0.0045}), vector({1, -1}));
        // one step: when within it the impact happens is not asked (LE-18)
        return simulate(model, MoreauSettings{.time_step_s = 0.01, .max_overlap = 10}, {},
                        {.duration_s = 0.01}, state);
    };
    // friction can take 0.3 * 1.5 from the tangential velocity, no more
    const auto allowed = run(0.55);
    CHECK(allowed.findings.empty());
    CHECK(allowed.certificate.energy.friction_J == near((0.55 * 0.55 - 1) / 2, 1e-12));
    CHECK(found(run(0.4), "map_outside_normal_cone"));
}

TEST_CASE("Newton's cradle under LZB with Hertz's contacts disperses a little")
{
    const Model model = cradle(lzb_map({.restitution = 1}));
    State state = make_state(model, vector({-0.5, 0, 0, 0, 0}), vector({1, 0, 0, 0, 0}));
    CHECK(simulate(model, MoreauSettings{}, {}, {.duration_s = 1}, state).status == RunStatus::Certified);
    CHECK(state.u[4] == near(0.9888, 1e-3));  // as five balls with springs, tests/law/frictional_impact.cpp
}
