#include "carom/run/run.hpp"

#include "support/near.hpp"
#include "support/systems.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace carom;
using test::model_of;
using test::near;
using test::vector;

// Mechanisms with joints as constraints against the same ones in coordinates that need none.

namespace {

struct SketchRun {
    State state;
    RunReport report;
};

SketchRun run(const test::Sketch& sketch, const Eigen::VectorXd& q, const Eigen::VectorXd& u, double h,
              double duration_s)
{
    const Model model = model_of(sketch);
    const State start = make_state(model, q, u);
    for (const Error& error : check_start(model, start, 1e-9)) {
        MESSAGE(to_text(error));
    }
    SketchRun result{start, {}};
    result.report = simulate(model, {.time_step_s = h}, {}, {.duration_s = duration_s}, result.state);
    for (const Finding& finding : result.report.findings) {
        MESSAGE(finding.code << ": " << finding.message);
    }
    CHECK(result.report.status == RunStatus::Certified);
    return result;
}

/// The same impacts, to some steps, since by what the scheme is late at one impact it is later at the next,
/// and the part of their energy that goes with it.
void check_same_impacts(const RunReport& a, const RunReport& b, double h, double part)
{
    std::vector<Event> first, second;
    const auto impacts = [](const RunReport& report, std::vector<Event>& list) {
        for (const Event& event : report.events) {
            if (event.kind == EventKind::Impact) list.push_back(event);
        }
    };
    impacts(a, first);
    impacts(b, second);
    REQUIRE(first.size() == second.size());
    REQUIRE_FALSE(first.empty());
    for (std::size_t i = 0; i < first.size(); ++i) {
        CHECK(first[i].contact == second[i].contact);
        CHECK(first[i].time_s == near(second[i].time_s, 10 * h));
    }
    CHECK(a.certificate.energy.impact_J ==
          near(b.certificate.energy.impact_J, part * std::abs(b.certificate.energy.impact_J)));
}

/// A corner at (X, Y) of a slider of height 2 b in a guide of height 2 (b + c); sign 1 is the upper wall.
test::ContactText corner(const std::string& name, const std::string& x_velocity, const std::string& y,
                         const char* X, const char* Y, int sign)
{
    const std::string height = std::string("(") + X + "*sin(th3) + " + Y + "*cos(th3))";
    return {.name = name,
            .gap = std::string("0.026 ") + (sign > 0 ? "-" : "+") + " (" + y + " + " + height + ")",
            .restitution = "0.4",
            .friction = "0.01",
            .sliding = {x_velocity + " - " + height + "*th3'"}};
}

std::vector<test::ContactText> corners(const std::string& x_velocity, const std::string& y)
{
    return {corner("corner_1", x_velocity, y, "(-0.05)", "0.025", 1),
            corner("corner_2", x_velocity, y, "0.05", "0.025", 1),
            corner("corner_3", x_velocity, y, "(-0.05)", "(-0.025)", -1),
            corner("corner_4", x_velocity, y, "0.05", "(-0.025)", -1)};
}

}  // namespace

TEST_CASE("a slider-crank of three bodies and their joints strikes its guide as the one of three angles")
{
    // crank 0.153 m, rod 0.306 m, slider with play, friction and restitution
    const test::Sketch angles{
        .coordinates = {"th1", "th2", "th3"},
        .kinetic = "(7.4e-5 + 0.038*0.153^2/4 + 0.114*0.153^2)/2*th1'^2"
                   " + (5.9e-4 + 0.038*0.306^2/4 + 0.076*0.306^2)/2*th2'^2"
                   " + 0.095*0.153*0.306*cos(th1 - th2)*th1'*th2' + 2.7e-6/2*th3'^2",
        .potential = "9.81*(0.133*0.153*sin(th1) + 0.095*0.306*sin(th2))",
        .contacts = corners("-0.153*sin(th1)*th1' - 0.306*sin(th2)*th2'", "0.153*sin(th1) + 0.306*sin(th2)")};
    const test::Sketch bodies{
        .coordinates = {"x1", "y1", "th1", "x2", "y2", "th2", "x3", "y3", "th3"},
        .kinetic = "0.019*(x1'^2 + y1'^2) + 3.7e-5*th1'^2 + 0.019*(x2'^2 + y2'^2) + 2.95e-4*th2'^2"
                   " + 0.038*(x3'^2 + y3'^2) + 1.35e-6*th3'^2",
        .potential = "9.81*(0.038*y1 + 0.038*y2 + 0.076*y3)",
        .contacts = corners("x3'", "y3"),
        .constraints = {
            {.name = "pivot", .zero = {"x1 - 0.0765*cos(th1)", "y1 - 0.0765*sin(th1)"}},
            {.name = "crank_pin",
             .zero = {"x2 - 0.153*cos(th2) - x1 - 0.0765*cos(th1)",
                      "y2 - 0.153*sin(th2) - y1 - 0.0765*sin(th1)"}},
            {.name = "slider_pin", .zero = {"x3 - x2 - 0.153*cos(th2)", "y3 - y2 - 0.153*sin(th2)"}}}};
    const double h = 1e-5;
    const SketchRun a = run(angles, vector({0, 0, 0}), vector({150, -75, 0}), h, 0.008);
    const SketchRun b = run(bodies, vector({0.0765, 0, 0, 0.306, 0, 0, 0.459, 0, 0}),
                            vector({0, 0.0765 * 150, 150, 0, 0.153 * 75, -75, 0, 0, 0}), h, 0.008);
    check_same_impacts(b.report, a.report, h, 0.02);
    CHECK(b.report.certificate.max_violation <= 1e-12);
    CHECK(std::abs(b.report.certificate.energy.joint_J) < 1e-10);

    // an impact in the next step is 1e-5 s times the change of 100 rad/s
    CHECK(b.state.q[2] == near(a.state.q[0], 3e-3));
    CHECK(b.state.q[5] == near(a.state.q[1], 3e-3));
}

TEST_CASE("a double pendulum of two pinned bars strikes an obstacle as the one of two angles (B02 example 8)")
{
    // l1 = 1, l2 = 0.8, m1 = 1, m2 = 0.7, springs 2 and 1.5 in the joints, e = 0.5
    const test::Sketch angles{
        .coordinates = {"q1", "q2"},
        .kinetic = "(1/3 + 0.7)/2*q1'^2 + 0.7*0.64/6*q2'^2 + 0.28*cos(q1 - q2)*q1'*q2'",
        .potential = "q1^2 + 0.75*(q2 - q1)^2",
        .contacts = {{"joint", "sin(q1)", "0.5"}, {"tip", "sin(q1) + 0.8*sin(q2)", "0.5"}}};
    const test::Sketch bars{
        .coordinates = {"x1", "y1", "q1", "x2", "y2", "q2"},
        .kinetic = "(x1'^2 + y1'^2)/2 + q1'^2/24 + 0.35*(x2'^2 + y2'^2) + 0.7*0.64/24*q2'^2",
        .potential = "q1^2 + 0.75*(q2 - q1)^2",
        .contacts = {{"joint", "sin(q1)", "0.5"}, {"tip", "y2 + 0.4*sin(q2)", "0.5"}},
        .constraints = {
            {.name = "pivot", .zero = {"x1 - cos(q1)/2", "y1 - sin(q1)/2"}},
            {.name = "pin",
             .zero = {"x2 - 0.4*cos(q2) - x1 - cos(q1)/2", "y2 - 0.4*sin(q2) - y1 - sin(q1)/2"}}}};
    const double a = 0.5, b = 0.4, va = -1, vb = 0.3, h = 1e-4;
    const Eigen::VectorXd q = vector({std::cos(a) / 2, std::sin(a) / 2, a, std::cos(a) + 0.4 * std::cos(b),
                                      std::sin(a) + 0.4 * std::sin(b), b});
    const Eigen::VectorXd u =
        vector({-std::sin(a) / 2 * va, std::cos(a) / 2 * va, va, -std::sin(a) * va - 0.4 * std::sin(b) * vb,
                std::cos(a) * va + 0.4 * std::cos(b) * vb, vb});
    const SketchRun one = run(angles, vector({a, b}), vector({va, vb}), h, 1.0);
    const SketchRun other = run(bars, q, u, h, 1.0);
    check_same_impacts(other.report, one.report, h, 0.01);
    CHECK(other.state.q[2] == near(one.state.q[0], 2e-3));
    CHECK(other.state.q[5] == near(one.state.q[1], 2e-3));
}

TEST_CASE("a rod does what a taut string does, and goes on where the string goes slack")
{
    const test::Sketch string{.coordinates = {"x", "y"},
                              .kinetic = "(x'^2 + y'^2)/2",
                              .potential = "9.81*y",
                              .contacts = {{"string", "1 - hypot(x, y)", "0"}}};
    test::Sketch rod = string;
    rod.contacts.clear();
    rod.constraints = {{.name = "rod", .zero = {"hypot(x, y) - 1"}}};

    // from the bottom with 4 m/s: below the height of the pivot the string stays taut
    const SketchRun taut = run(string, vector({0, -1}), vector({4, 0}), 1e-4, 0.5);
    const SketchRun held = run(rod, vector({0, -1}), vector({4, 0}), 1e-4, 0.5);
    CHECK((taut.state.q - held.state.q).norm() < 1e-3);  // the contact is of first order

    // with 6 m/s it goes slack before the top; the rod reaches the top with v^2 = 36 - 4 g < 0: not at all,
    // and turns back at cos = 36 / (2 g) - 1 above the pivot
    const SketchRun slack = run(string, vector({0, -1}), vector({6, 0}), 1e-4, 0.6);
    CHECK(slack.state.q.norm() < 0.99);
    const SketchRun turning = run(rod, vector({0, -1}), vector({6, 0}), 1e-4, 0.6);
    CHECK(turning.state.q.norm() == near(1, 1e-12));
    CHECK(turning.state.u.squaredNorm() / 2 + 9.81 * turning.state.q[1] == near(18 - 9.81, 1e-4));
}
