#include "carom/run/run.hpp"

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

State after(const test::Sketch& sketch, const Eigen::VectorXd& q, const Eigen::VectorXd& u,
            MoreauSettings settings, double duration_s)
{
    const Model model = model_of(sketch);
    State state = make_state(model, q, u);
    REQUIRE(simulate(model, settings, {}, {.duration_s = duration_s}, state).status == RunStatus::Certified);
    return state;
}

/// Three balls of masses 1, 2, 3 on a line between walls, with restitution 0.8.
const test::Sketch balls{
    .coordinates = {"a", "b", "c"},
    .kinetic = "a'^2/2 + b'^2 + 3/2*c'^2",
    .contacts = {
        {"left", "a", "0.8"}, {"ab", "b - a", "0.8"}, {"bc", "c - b", "0.8"}, {"right", "1 - c", "0.8"}}};

}  // namespace

TEST_CASE("renumbering coordinates and contacts changes the order of the answer and nothing else")
{
    const test::Sketch renumbered{
        .coordinates = {"c", "a", "b"},
        .kinetic = "3/2*c'^2 + b'^2 + a'^2/2",
        .contacts = {
            {"right", "1 - c", "0.8"}, {"bc", "c - b", "0.8"}, {"left", "a", "0.8"}, {"ab", "b - a", "0.8"}}};
    const MoreauSettings settings{.time_step_s = 1e-3};
    const State one = after(balls, vector({0.2, 0.5, 0.7}), vector({1, -2, 0.5}), settings, 3);
    const State two = after(renumbered, vector({0.7, 0.2, 0.5}), vector({0.5, 1, -2}), settings, 3);
    CHECK((vector({one.q[2], one.q[0], one.q[1]}) - two.q).norm() <= 1e-12);
    CHECK((vector({one.u[2], one.u[0], one.u[1]}) - two.u).norm() <= 1e-12);
}

TEST_CASE("the mirrored scene has the mirrored motion")
{
    const test::Sketch mirrored{.coordinates = {"a", "b", "c"},
                                .kinetic = "a'^2/2 + b'^2 + 3/2*c'^2",
                                .contacts = {{"left", "-a", "0.8"},
                                             {"ab", "a - b", "0.8"},
                                             {"bc", "b - c", "0.8"},
                                             {"right", "1 + c", "0.8"}}};
    const MoreauSettings settings{.time_step_s = 1e-3};
    const State one = after(balls, vector({0.2, 0.5, 0.7}), vector({1, -2, 0.5}), settings, 3);
    const State two = after(mirrored, vector({-0.2, -0.5, -0.7}), vector({-1, 2, -0.5}), settings, 3);
    CHECK(one.q == -two.q);  // signs change, roundings do not
    CHECK(one.u == -two.u);
}

TEST_CASE("millimetres, tonnes and milliseconds describe the same motion as metres, kilograms and seconds")
{
    // lengths x 1000, masses / 1000, times x 1000: g = 9.81e-3 mm/ms^2, velocities keep their number
    const test::Sketch si{.coordinates = {"x", "y"},
                          .kinetic = "2*x'^2 + y'^2/2 + 0.3*x'*y'",
                          .potential = "4*9.81*y",
                          .contacts = {{"floor", "y - 0.1*x", "0.5"}, {"wall", "1 - x", "0.5"}}};
    const test::Sketch other{.coordinates = {"x", "y"},
                             .kinetic = "(2*x'^2 + y'^2/2 + 0.3*x'*y')/1000",
                             .potential = "4*9.81e-3*y/1000",
                             .contacts = {{"floor", "y - 0.1*x", "0.5"}, {"wall", "1000 - x", "0.5"}}};
    const State one =
        after(si, vector({0, 0.5}), vector({0.7, 0}), {.time_step_s = 1e-3, .activation_gap_m = 1e-9}, 2);
    const State two =
        after(other, vector({0, 500}), vector({0.7, 0}), {.time_step_s = 1, .activation_gap_m = 1e-6}, 2000);
    CHECK((one.q * 1000 - two.q).norm() <= 1e-7);  // some thousand roundings, kept small by dissipation
    CHECK((one.u - two.u).norm() <= 1e-10);
}

TEST_CASE("momentum and, for e = 1, energy survive a thousand collisions on a line")
{
    test::Sketch elastic = balls;
    for (auto& contact : elastic.contacts) {
        contact.restitution = "1";
    }
    elastic.contacts = {elastic.contacts[1], elastic.contacts[2]};  // no walls
    const Model model = model_of(elastic);
    State state = make_state(model, vector({0, 0.5, 0.7}), vector({3, 0, -1}));
    const auto report = simulate(model, {.time_step_s = 1e-4}, {}, {.duration_s = 2}, state);
    CHECK(report.certificate.energy.impact_J == near(0, 1e-12));
    CHECK(state.u[0] + 2 * state.u[1] + 3 * state.u[2] == near(0, 1e-13));
    CHECK(state.u[0] * state.u[0] / 2 + state.u[1] * state.u[1] + 1.5 * state.u[2] * state.u[2] ==
          near(6, 1e-12));
}

TEST_CASE("a fast body keeps its ledger closed against its own energy, however little a step changes")
{
    const Model model =
        model_of({.coordinates = {"x", "y"}, .kinetic = "(x'^2 + y'^2)/2", .potential = "9.81*y"});
    State state = make_state(model, vector({0, 0}), vector({1e5, 0}));
    const auto report = simulate(model, {.time_step_s = 1e-4}, {}, {.duration_s = 1}, state);
    CHECK(report.status == RunStatus::Certified);
    CHECK(state.q[1] == near(-9.81 / 2, 1e-12));
}

TEST_CASE("the instant of an impact converges at first order, and overlap without correction is below |u| h")
{
    const Model model = model_of({.coordinates = {"z"},
                                  .kinetic = "z'^2/2",
                                  .potential = "9.81*z",
                                  .contacts = {{"floor", "z", "0.5"}}});
    const double impact_s = std::sqrt(2 * 0.7 / 9.81), speed_m_s = std::sqrt(2 * 0.7 * 9.81);
    for (const double h : {1e-2, 1e-3, 1e-4}) {
        State state = make_state(model, vector({0.7}), vector({0}));
        const auto report =
            simulate(model, {.time_step_s = h, .correction = false}, {}, {.duration_s = 3}, state);
        REQUIRE_FALSE(report.events.empty());
        CHECK(report.events[0].time_s == near(impact_s, h));
        CHECK(report.certificate.max_penetration_m <= speed_m_s * h);
    }
}
