#include "support.hpp"

using namespace carom;
using namespace carom::test;

namespace {

const std::vector<std::string> starts{"coordinate.a.start",          "coordinate.b.start",
                                      "coordinate.c.start",          "coordinate.a.start_velocity",
                                      "coordinate.b.start_velocity", "coordinate.c.start_velocity"};

/// Two balls that strike a third from both sides at 0.3 s.
std::string three(const std::string& middle, const std::string& restitution)
{
    return R"toml(
title = "three"
duration_s = 1
[[coordinate]]
name = "a"
start = -0.5
start_velocity = 1
[[coordinate]]
name = "b"
start = 0
[[coordinate]]
name = "c"
start = 0.5
start_velocity = -1
[lagrangian]
kinetic = "a'^2/2 + )toml" +
           middle + R"toml(*b'^2/2 + c'^2/2"
[[contact]]
name = "left"
gap = "b - a - 0.2"
law = { restitution = )toml" +
           restitution + R"toml( }
[[contact]]
name = "right"
gap = "c - b - 0.2"
law = { restitution = )toml" +
           restitution + " }\n";
}

Eigen::MatrixXd at_end(const std::string& text)
{
    const auto result = sensitivities(read(text), {.by = starts});
    REQUIRE(result);
    REQUIRE_MESSAGE(!result->lost, result->lost->words);
    Eigen::MatrixXd d(6, 6);
    d << result->states.back().dq, result->states.back().du;
    return d;
}

}  // namespace

TEST_CASE("balls that strike walls of their own at once: each has the derivatives that it has alone")
{
    // a and b fall on floors of different heights at the same instant; nothing ties them
    const std::string text = R"toml(
title = "two floors"
duration_s = 0.8
[[coordinate]]
name = "a"
start = 1
[[coordinate]]
name = "b"
start = 2
[[coordinate]]
name = "c"
start = 0
start_velocity = 1
[lagrangian]
kinetic = "(a'^2 + b'^2 + c'^2)/2"
potential = "9.81*(a + b)"
[[contact]]
name = "low"
gap = "a - 0.2"
law = { restitution = 0.5 }
[[contact]]
name = "high"
gap = "b - 1.2"
law = { restitution = 0.5 }
)toml";
    const auto both = sensitivities(read(text), {.by = starts});
    REQUIRE(both);
    REQUIRE_MESSAGE(!both->lost, both->lost->words);
    // one ball on one floor, half a metre higher than the other, so that it strikes alone
    const auto alone = sensitivities(read(with(text, {{"start = 2", "start = 5"}})), {.by = starts});
    REQUIRE(alone);
    const auto &d = both->states.back(), &one = alone->states.back();
    for (const int i : {0, 1}) {
        // row of a by its own starts, and that of b, which does the same
        CHECK(d.dq(i, i) == doctest::Approx(one.dq(0, 0)).epsilon(1e-12));
        CHECK(d.dq(i, 3 + i) == doctest::Approx(one.dq(0, 3)).epsilon(1e-12));
        CHECK(d.du(i, i) == doctest::Approx(one.du(0, 0)).epsilon(1e-12));
        CHECK(std::abs(d.dq(i, 1 - i)) <= 1e-15);
    }
    // and each impact moves with its own ball
    REQUIRE(both->events.size() >= 2);
    for (const SensitiveEvent& event : both->events) {
        if (event.event.kind != EventKind::Impact) continue;
        const int own = event.place == "low" ? 0 : 1;
        CHECK(event.dtime_s[own] > 0.1);
        CHECK(event.dtime_s[1 - own] == 0);
    }
}

TEST_CASE("equal elastic balls exchange velocities in any order: three at once have a derivative")
{
    // a with the velocity 1 strikes b at rest, c with -1 from the other side: in either order velocities
    // travel through, a' = -1, b' = 0, c' = 1; each carries what another one had
    // points of equal mass pass through each other: a goes on as c did, less both diameters
    const Eigen::MatrixXd d = at_end(three("1", "1"));
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(6, 6);
    for (const auto& [to, from] : {std::pair{0, 2}, {1, 1}, {2, 0}}) {
        expected(to, from) = expected(3 + to, 3 + from) = 1;
        expected(to, 3 + from) = 1;  // after 1 s
    }
    CHECK((d - expected).cwiseAbs().maxCoeff() <= 1e-12);
}

TEST_CASE("a heavy ball in the middle: how it ends depends on the order, and both ends are told")
{
    const auto result = sensitivities(read(three("2", "1")), {.by = starts});
    REQUIRE(result);
    REQUIRE(result->lost);
    const NotDifferentiable& lost = *result->lost;
    CHECK(lost.kind == "simultaneous");
    CHECK(lost.time_s == doctest::Approx(0.3).epsilon(1e-12));
    REQUIRE(lost.orders.size() == 2);
    CHECK(lost.orders[0].contacts == std::vector<std::string>{"left", "right", "left"});
    // a further to the left comes later: its impact moves by da
    REQUIRE(lost.struck == std::vector<std::string>{"left", "right"});
    CHECK(lost.dstruck_s(0, 0) == doctest::Approx(-1).epsilon(1e-12));
    CHECK(lost.dstruck_s(1, 2) == doctest::Approx(1).epsilon(1e-12));

    // the order (left, right, ...) is what a motion with a a little further to the right has
    const double eps = 1e-6;
    const auto near = sensitivities(
        read(with(three("2", "1"), {{"start = -0.5", "start = " + digits(-0.5 + eps)}})), {.by = starts});
    REQUIRE(near);
    REQUIRE_MESSAGE(!near->lost, near->lost->words);
    for (int i = 0; i < 3; ++i) {
        CHECK(near->states.back().u[i] == doctest::Approx(lost.orders[0].u_after[i]).epsilon(1e-12));
        for (int j = 0; j < 6; ++j) {
            CHECK(near->states.back().du(i, j) ==
                  doctest::Approx(lost.orders[0].du(i, j)).epsilon(1e-9).scale(1));
        }
    }
}

TEST_CASE(
    "the sequential map: a cradle of touching balls passes the derivative on, as it passes the velocity")
{
    // b and c touch; a strikes b, and c leaves with what a had
    const std::string text = with(three("1", "1"), {{"start = 0.5", "start = 0.2"},
                                                    {"start_velocity = -1", "start_velocity = 0"}}) +
                             "[impact]\nkind = \"sequential\"\nrestitution = 1\n";
    SensitivityOptions options;
    options.by = {"coordinate.a.start", "coordinate.a.start_velocity"};
    const auto result = sensitivities(read(text), options);
    REQUIRE(result);
    REQUIRE_MESSAGE(!result->lost, result->lost->words);
    const SensitiveState& end = result->states.back();
    CHECK(end.u[2] == doctest::Approx(1).epsilon(1e-12));
    CHECK(end.dq(2, 0) == doctest::Approx(1).epsilon(1e-12));
    CHECK(end.dq(2, 1) == doctest::Approx(1).epsilon(1e-12));
    CHECK(end.du(2, 1) == doctest::Approx(1).epsilon(1e-12));
    CHECK(std::abs(end.du(0, 1)) <= 1e-12);
}

TEST_CASE("one contact by any map has the derivatives of its law")
{
    const std::string law = with(three("1", "0.5"), {{"start_velocity = -1", "start_velocity = -0.1"}});
    const Eigen::MatrixXd expected = at_end(law);
    for (const char* kind : {"canonical", "sequential"}) {
        CAPTURE(kind);
        const std::string map = law + "[impact]\nkind = \"" + kind + "\"\nrestitution = 0.5\n";
        CHECK((at_end(map) - expected).cwiseAbs().maxCoeff() <= 1e-12);
    }
}
