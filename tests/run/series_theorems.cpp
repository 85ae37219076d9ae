#include "carom/run/run.hpp"

#include "analytic/series_step.hpp"
#include "support/near.hpp"
#include "support/systems.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace carom;
using test::model_of;
using test::near;
using test::Sketch;
using test::vector;

namespace {

RunReport run_series(const Model& model, const SeriesSettings& settings, double duration_s, State& state)
{
    auto report = simulate(model, settings, {}, {.duration_s = duration_s}, state);
    for (const Finding& finding : report.findings) {
        INFO(finding.code << " at " << finding.time_s << " s: " << finding.message);
        CHECK(report.status == RunStatus::Certified);
    }
    REQUIRE(report.status == RunStatus::Certified);
    return report;
}

std::vector<Event> events_of(const RunReport& report, EventKind kind)
{
    std::vector<Event> result;
    std::ranges::copy_if(report.events, std::back_inserter(result),
                         [&](const Event& event) { return event.kind == kind; });
    return result;
}

/// Root of f in (low, high), f(low) and f(high) of different sign.
template <class F>
double root_of(const F& f, double low, double high)
{
    const bool rises = f(high) > 0;
    for (int n = 0; n < 200; ++n) {
        const double middle = (low + high) / 2;
        ((f(middle) > 0) == rises ? high : low) = middle;
    }
    return (low + high) / 2;
}

/// How far the last report is from r_T = -mu r_N U_T / |U_T| and U_T = S d with S > 0, at an instant of it.
double sliding_law_defect(const Scratch& scratch, double t_s, int contact, double mu, int x, int y)
{
    double worst = 1;
    for (const SeriesPiece& piece : series_pieces(scratch)) {
        if (t_s < piece.t_s || t_s > piece.t_s + piece.h_s) continue;
        Eigen::VectorXd q, u;
        piece.at(t_s - piece.t_s, q, u);
        const auto r = piece.reaction_N(contact, t_s - piece.t_s);
        const double speed = std::hypot(u[x], u[y]);
        worst = std::hypot(r[1] + mu * r[0] * u[x] / speed, r[2] + mu * r[0] * u[y] / speed) / r[0];
    }
    return worst;
}

}  // namespace

TEST_CASE("contacts that break are not those with the wrong sign (Delassus)")
{
    // kept all three, the multipliers would be -6, 5, 10.5; the projection of the force on the cone of
    // accelerations opens the first two
    const Model model = model_of(
        {.coordinates = {"x", "y", "z"},
         .kinetic = "(x'^2 + y'^2 + z'^2)/2",
         .forces = {"-4", "-2", "-1"},
         .contacts = {{"one", "2*x - 2*y - 2*z"}, {"two", "2*z - x - 2*y"}, {"three", "2*x - 2*z"}}});
    State state = make_state(model, vector({0, 0, 0}), vector({0, 0, 0}));
    const auto decided = explain_statuses(model, {}, state);
    REQUIRE(decided.has_value());
    const char* const normals[] = {"inactive", "inactive", "active"};
    const double leading[] = {4, 1.5, 0.75};
    for (std::size_t c = 0; c < 3; ++c) {
        CHECK((*decided)[c].normal == normals[c]);
        CHECK((*decided)[c].normal_order == 0);
        CHECK((*decided)[c].normal_leading == near(leading[c], 1e-14));
    }
    run_series(model, {.time_step_s = 1}, 1, state);
    CHECK((state.q - vector({-1.25, -1, -1.25})).norm() < 1e-14);
}

TEST_CASE("elastic impacts are isolated (B02 proposition 18): the next one waits for 2 v / a")
{
    // three coupled oscillators between walls, started exactly at one of them or at two
    std::mt19937 random(20240817);
    std::uniform_real_distribution<double> part(-1, 1);
    for (int trial = 0; trial < 12; ++trial) {
        const double c = 0.4 * part(random), d = 0.4 * part(random), press = 2 * part(random);
        const Model model = model_of(
            {.coordinates = {"x", "y", "z"},
             .kinetic = "(x'^2 + y'^2 + z'^2)/2",
             .potential = fmt::format("(x^2 + y^2 + z^2)/2 + {}*x*y + {}*y*z + {}*x", c, d, press),
             .contacts = {{"x", "x + 0.5", "1"}, {"y", "0.7 - y", "1"}, {"xz", "1.5 - x - z", "1"}}});
        // elastic motions from a wall, towards it, along it and away from it
        const double towards = trial % 3 == 0 ? 0 : part(random);
        const Eigen::VectorXd q = vector({-0.5, trial % 4 == 0 ? 0.7 : 0.3, 0.2});
        const Eigen::VectorXd u = vector({towards, part(random), part(random)});
        State state = make_state(model, q, u);
        const RunReport report = run_series(model, {.time_step_s = 1}, 20, state);
        CHECK(events_of(report, EventKind::Accumulation).empty());
        CHECK(report.certificate.energy.impact_J == near(0, 1e-12));

        // |q| stays below sqrt(2 E / stiffness) with the least stiffness 0.43 and its offset, forces too
        const double smallest = 1 - std::hypot(c, d);
        const double start_J =
            u.squaredNorm() / 2 + q.squaredNorm() / 2 + c * q[0] * q[1] + d * q[1] * q[2] + press * q[0];
        const double farthest =
            std::abs(press) / smallest + std::sqrt(2 * (start_J + press * press / (2 * smallest)) / smallest);
        const double a_most = std::sqrt(2.0) * (2 * farthest + std::abs(press));
        std::array<double, 3> last_s{-1, -1, -1}, left_m_s{};
        for (const Event& impact : events_of(report, EventKind::Impact)) {
            const auto at = static_cast<std::size_t>(impact.contact);
            if (last_s[at] >= 0 && impact.velocity_before_m_s < 0) {
                // the gap is at least v t - a t^2 / 2, unless another contact was struck meanwhile
                const bool other = std::ranges::any_of(report.events, [&](const Event& event) {
                    return event.kind == EventKind::Impact && event.contact != impact.contact &&
                           event.time_s >= last_s[at] && event.time_s <= impact.time_s;
                });
                if (!other) CHECK(impact.time_s - last_s[at] >= 2 * left_m_s[at] / a_most * (1 - 1e-9));
            }
            last_s[at] = impact.time_s;
            left_m_s[at] = impact.velocity_after_m_s;
        }
    }
}

TEST_CASE("impacts accumulate from the left only (B02 proposition 18)")
{
    // y'' = -1/2 - cos t: infinitely many impacts come to an end, the floor holds until the force turns at 2
    // pi/3, and the first impact after that is isolated
    const Model model = model_of({.coordinates = {"y"},
                                  .kinetic = "y'^2/2",
                                  .forces = {"-1/2 - cos(t)"},
                                  .contacts = {{"floor", "y", "0.3"}}});
    State state = make_state(model, vector({0.1}), vector({0}));
    const RunReport report = run_series(model, {.time_step_s = 0.5}, 9, state);
    const auto ends = events_of(report, EventKind::Accumulation);
    const auto lost = events_of(report, EventKind::ContactLost);
    REQUIRE(ends.size() >= 1);
    REQUIRE(lost.size() >= 1);
    const double leaves = 2 * std::acos(-1.0) / 3;
    CHECK(ends[0].time_s < 1.5);
    // to rounding
    CHECK(lost[0].time_s == near(leaves, 1e-14));
    const auto flight = [&](double t) {
        const double s = t - leaves;
        return -s * s / 4 + std::cos(t) - std::cos(leaves) + std::sin(leaves) * s;
    };
    const auto impacts = events_of(report, EventKind::Impact);
    const auto next = std::ranges::find_if(impacts, [&](const Event& one) { return one.time_s > leaves; });
    REQUIRE(next != impacts.end());
    CHECK(next->time_s == near(root_of(flight, leaves + 0.5, 8.5), 1e-13));
    for (const Event& impact : impacts) {
        CHECK((impact.time_s <= ends[0].time_s || impact.time_s >= next->time_s));
    }
}

TEST_CASE("slip in space comes to its end where the closed form has it, and sticks there")
{
    // a slope flatter than the angle of friction: F = g sin, R = mu g cos > F; R |u| + F u_x falls by R^2 -
    // F^2
    // With much friction the direction still turns when slip is slow: |u| / |u|' would not be the rest.
    double mu = 0.3;
    SUBCASE("little friction") {}
    SUBCASE("much friction")
    {
        mu = 3;
    }
    const double F = 9.81 * std::sin(0.2), R = mu * 9.81 * std::cos(0.2);
    const Model model = model_of({.coordinates = {"x", "y", "z"},
                                  .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                                  .potential = "9.81*(cos(0.2)*z - sin(0.2)*x)",
                                  .contacts = {{.name = "slope",
                                                .gap = "z",
                                                .friction = std::to_string(mu),
                                                .shape = FrictionDisc{},
                                                .position = {"x", "y", "z"}}}});
    for (const double angle : {0.4, 1.7, 2.9}) {
        const double S = 1.5, u_x = S * std::cos(angle), u_y = S * std::sin(angle);
        const double end_s = (R * S + F * u_x) / (R * R - F * F);
        const double x = (2 * R * S * u_x + F * (u_x * u_x + S * S)) / (4 * (R * R - F * F));
        const double y = (2 * R * S * u_y + F * u_x * u_y) / (4 * R * R - F * F);
        for (const int order : {16, 24, 32}) {
            State state = make_state(model, vector({0, 0, 0}), vector({u_x, u_y, 0}));
            const RunReport report = run_series(model, {.time_step_s = 0.25, .order = order}, 4, state);
            const auto sticks = events_of(report, EventKind::Stick);
            REQUIRE(sticks.size() == 1);
            // some hundred expansions of a rounding each; what is cut off is of second order in 1e-8
            CHECK(sticks[0].time_s == near(end_s, 1e-13));
            CHECK(state.q[0] == near(x, 1e-13));
            CHECK(state.q[1] == near(y, 1e-13));
            CHECK(state.u.norm() == 0);
        }
    }
}

TEST_CASE("a particle that slides round in a bowl comes to rest, whatever the order")
{
    const Model model = model_of({.coordinates = {"x", "y", "z"},
                                  .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                                  .potential = "9.81*z",
                                  .contacts = {{.name = "bowl",
                                                .gap = "z - 0.8*(x^2 + y^2)",
                                                .restitution = "0.3",
                                                .friction = "0.15",
                                                .shape = FrictionDisc{},
                                                .position = {"x", "y", "z"}}}});
    std::vector<State> ends;
    for (const int order : {16, 24, 32}) {
        State state = make_state(model, vector({0.5, 0, 0.3}), vector({0, 1.2, 0}));
        const RunReport report = run_series(model, {.time_step_s = 0.5, .order = order}, 4, state);
        CHECK(events_of(report, EventKind::Stick).size() == 1);
        // all energy that it had over the place of rest went to friction and impacts
        const double lost = report.certificate.energy.friction_J + report.certificate.energy.impact_J;
        CHECK(lost == near(9.81 * (state.q[2] - 0.3) - 0.72, 1e-12));
        ends.push_back(state);
    }
    for (const State& end : ends) {
        // weight and reaction cancel up to a rounding
        CHECK(end.u.norm() < 1e-14);
        // it rests where the wall is flatter than the angle of friction
        CHECK(1.6 * std::hypot(end.q[0], end.q[1]) <= 0.15);
        CHECK((end.q - ends.front().q).norm() < 1e-11);
    }
}

TEST_CASE("slip begins in space at a contact that its body couples: closed forms")
{
    // z' and x' share kinetic energy: sliding along x changes the pressure, r_N = 2 + c x''
    const double mu = 0.5, c = 0.4;
    const Sketch sketch{.coordinates = {"x", "y", "z"},
                        .kinetic = "(x'^2 + y'^2 + z'^2)/2 + 0.4*x'*z'",
                        .potential = "2*z",
                        .forces = {"0.6*1.7", "0.8*1.7", "0"},
                        .contacts = {{.name = "floor",
                                      .gap = "z",
                                      .friction = "0.5",
                                      .shape = FrictionDisc{},
                                      .sliding = {"x'", "y'"}}}};
    SUBCASE("from the first order on, along the force")
    {
        const Model model = model_of(sketch);
        State state = make_state(model, vector({0, 0, 0}), vector({0, 0, 0}));
        run_series(model, {.time_step_s = 0.5}, 1, state);
        const double a = (1.7 - 2 * mu) / (1 + mu * c * 0.6);
        CHECK(state.q[0] == near(0.6 * a / 2, 1e-14));
        CHECK(state.q[1] == near(0.8 * a / 2, 1e-14));
    }
    SUBCASE("at the threshold, by the next order, and from an event")
    {
        for (const std::string growth : {"(1 + t)", "(0.5 + t)"}) {
            Sketch growing = sketch;
            growing.forces = {"0.6*" + growth, "0.8*" + growth, "0"};
            const Model model = model_of(growing);
            State state = make_state(model, vector({0, 0, 0}), vector({0, 0, 0}));
            run_series(model, {.time_step_s = 0.7}, 2.1, state);
            const double s = growth == "(1 + t)" ? 2.1 : 1.6, jerk = 1 / (1 + mu * c * 0.6);
            CHECK(state.q[0] == near(0.6 * jerk * s * s * s / 6, 1e-14));
            CHECK(state.q[1] == near(0.8 * jerk * s * s * s / 6, 1e-14));
        }
    }
    SUBCASE("not along the force where the masses differ")
    {
        // x'' = f_1 - R d_1 = a d_1, 2 y'' = f_2 - R d_2 = 2 a d_2
        Sketch unequal = sketch;
        unequal.kinetic = "(x'^2 + 2*y'^2 + z'^2)/2";
        const Model model = model_of(unequal);
        State state = make_state(model, vector({0, 0, 0}), vector({0, 0, 0}));
        run_series(model, {.time_step_s = 1}, 1, state);
        const auto length = [](double a) { return std::hypot(1.02 / (a + 1), 1.36 / (2 * a + 1)) - 1; };
        const double a = root_of(length, 0, 3);
        CHECK(state.q[0] == near(1.02 / (a + 1) * a / 2, 1e-14));
        CHECK(state.q[1] == near(1.36 / (2 * a + 1) * a / 2, 1e-14));
    }
    SUBCASE("a force that turns: the law holds along the way")
    {
        Sketch turning = sketch;
        turning.forces = {"1", "t", "0"};
        const Model model = model_of(turning);
        const auto decided =
            explain_statuses(model, {}, make_state(model, vector({0, 0, 0}), vector({0, 0, 0})));
        REQUIRE(decided.has_value());
        CHECK(decided->front().friction == "slip");
        CHECK(decided->front().friction_order == 2);
        for (const int order : {12, 24}) {
            State state = make_state(model, vector({0, 0, 0}), vector({0, 0, 0}));
            Scratch scratch(model);
            const StepReport report =
                series_step(model, {.time_step_s = 0.2, .order = order}, {}, state, scratch);
            REQUIRE(report.status == StepStatus::Solved);
            // |F| - 1 begins with t^2/2, so that x'' = t^2 / (2 (1 + mu c)): the next terms are of t^6
            CHECK(scratch.series != nullptr);
            CHECK(report.solve.residual.unit_free < 1e-14);
            for (const double t : {0.05, 0.1, 0.2}) {
                CHECK(sliding_law_defect(scratch, t, 0, mu, 0, 1) < 1e-10);
            }
            CHECK(state.q[0] == near(std::pow(0.2, 4) / 24 / (1 + mu * c), 1e-5));
        }
    }
}

TEST_CASE("two contacts that meet begin to slip together, and the run says what it did not exclude")
{
    const Model model =
        model_of({.coordinates = {"x1", "y1", "z1", "x2", "y2", "z2"},
                  .kinetic = "(x1'^2 + y1'^2 + z1'^2 + x2'^2 + y2'^2 + z2'^2)/2 + 0.3*x1'*y2' + 0.2*x1'*z2'",
                  .potential = "2*z1 + 3*z2",
                  .forces = {"1.5 + t", "0.4", "0", "-0.7", "2", "0"},
                  .contacts = {{.name = "one",
                                .gap = "z1",
                                .friction = "0.5",
                                .shape = FrictionDisc{},
                                .sliding = {"x1'", "y1'"}},
                               {.name = "two",
                                .gap = "z2",
                                .friction = "0.5",
                                .shape = FrictionDisc{},
                                .sliding = {"x2'", "y2'"}}}});
    State state = make_state(model, Eigen::VectorXd::Zero(6), Eigen::VectorXd::Zero(6));
    Scratch scratch(model);
    const StepReport report = series_step(model, {.time_step_s = 0.3}, {}, state, scratch);
    REQUIRE(report.status == StepStatus::Solved);
    CHECK(report.solve.residual.unit_free < 1e-13);
    CHECK(std::ranges::any_of(report.findings,
                              [](const Finding& it) { return it.code == "directions_not_enumerated"; }));
    for (const double t : {0.01, 0.1, 0.3}) {
        CHECK(sliding_law_defect(scratch, t, 0, 0.5, 0, 1) < 1e-12);
        CHECK(sliding_law_defect(scratch, t, 1, 0.5, 3, 4) < 1e-12);
    }
    // both slip towards where they are pulled
    CHECK(state.q[0] > 0);
    CHECK(state.q[4] > 0);
}

TEST_CASE("many contacts that slide together: the P-matrix test finds the one that cannot")
{
    // n masses in a row; x_i' and z_{i+1}' share kinetic energy, so that sliding of one lifts the next
    const auto row = [](int n, double coupling) {
        Sketch sketch;
        std::string kinetic = "0";
        for (int i = 0; i < n; ++i) {
            sketch.coordinates.push_back(fmt::format("x{}", i));
            sketch.coordinates.push_back(fmt::format("z{}", i));
            kinetic +=
                fmt::format(" + (x{0}'^2 + z{0}'^2)/2 + {1}*x{0}'*z{0}'", i, i == n / 2 ? coupling : 0.1);
            if (i > 0) kinetic += fmt::format(" + 0.05*z{}'*z{}'", i, i - 1);
            sketch.potential += fmt::format(" + z{}", i);
            sketch.contacts.push_back({.name = fmt::format("c{}", i),
                                       .gap = fmt::format("z{}", i),
                                       .friction = "1.5",
                                       .sliding = {fmt::format("x{}'", i)}});
        }
        sketch.kinetic = kinetic;
        return sketch;
    };
    for (const int n : {3, 13}) {
        for (const double coupling : {0.3, -0.9}) {
            const Model model = model_of(row(n, coupling));
            Eigen::VectorXd u = Eigen::VectorXd::Zero(2 * n);
            for (int i = 0; i < n; ++i) {
                u[2 * i] = 1;
            }
            State state = make_state(model, Eigen::VectorXd::Zero(2 * n), u);
            const RunReport report =
                simulate(model, SeriesSettings{.time_step_s = 1e-3}, {}, {.duration_s = 1e-3}, state);
            INFO(n << " contacts, coupling " << coupling);
            CHECK((report.end == RunEnd::Undetermined) == (coupling < 0));
        }
    }
}
