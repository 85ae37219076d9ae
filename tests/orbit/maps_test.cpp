#include "support.hpp"

using namespace carom;
using namespace carom::test;

/// Derivatives through impact maps of several contacts (OR-24).
namespace {

/// a strikes b, which touches c; nothing else acts.
std::string row_of_balls(const std::string& impact)
{
    return R"toml(
title = "row"
duration_s = 1
[parameters]
m1 = 1.3
m2 = 0.7
m3 = 2.1
e1 = 0.5
e2 = 0.8
[[coordinate]]
name = "a"
start = -0.5
start_velocity = 1.4
[[coordinate]]
name = "b"
start = 0
[[coordinate]]
name = "c"
start = 0.2
[lagrangian]
kinetic = "m1*a'^2/2 + m2*b'^2/2 + m3*c'^2/2"
[[contact]]
name = "left"
gap = "b - a - 0.2"
law = { restitution = "e1" }
[[contact]]
name = "right"
gap = "c - b - 0.2"
law = { restitution = "e2" }
[impact]
)toml" + impact;
}

const std::vector<std::string> numbers{"parameters.m1", "parameters.m2", "parameters.m3",
                                       "parameters.e1", "parameters.e2", "coordinate.a.start_velocity"};

using Point6 = std::array<double, 6>;
constexpr Point6 usual{1.3, 0.7, 2.1, 0.5, 0.8, 1.4};

/// Derivatives of f, whose value does not depend on rounding much, by differences of the fourth order.
template <class Function>
Eigen::MatrixXd differences(const Function& f)
{
    constexpr double h = 1e-3;
    Eigen::MatrixXd d(3, 6);
    for (std::size_t j = 0; j < 6; ++j) {
        const auto at = [&](double by) {
            Point6 x = usual;
            x[j] += by;
            return Eigen::Vector3d(f(x));
        };
        d.col(static_cast<Eigen::Index>(j)) =
            (45 * (at(h) - at(-h)) - 9 * (at(2 * h) - at(-2 * h)) + (at(3 * h) - at(-3 * h))) / (60 * h);
    }
    return d;
}

Sensitivities found(const std::string& text, const std::vector<std::string>& by = numbers)
{
    auto result = sensitivities(read(text), {.by = by});
    REQUIRE(result);
    REQUIRE_MESSAGE(!result->lost, result->lost->words);
    return std::move(*result);
}

}  // namespace

TEST_CASE(
    "Poisson's map of two contacts: compression to a common velocity, and every contact gives back its part")
{
    // v = m1 u/(m1 + m2 + m3) in common; percussions (1 + e) of (m2 + m3) v and m3 v
    const auto velocities = [](const Point6& x) {
        const auto [m1, m2, m3, e1, e2, u] = x;
        const double v = m1 * u / (m1 + m2 + m3), P1 = (1 + e1) * (m2 + m3) * v, P2 = (1 + e2) * m3 * v;
        return Eigen::Vector3d(u - P1 / m1, (P1 - P2) / m2, P2 / m3);
    };
    const Sensitivities result = found(row_of_balls("kind = \"poisson\"\n"));
    const Eigen::Vector3d u = velocities(usual);
    const Eigen::MatrixXd expected = differences(velocities);
    const SensitiveState& end = result.states.back();
    CHECK((end.u - u).norm() <= 1e-12);
    CHECK((end.du - expected).cwiseAbs().maxCoeff() <= 1e-10);
    // percussions too: P1 of the first contact by the velocity is P1/u
    const auto event = std::ranges::find_if(result.events, [](const SensitiveEvent& one) {
        return one.place == "right" && one.event.kind == EventKind::Impact;
    });
    REQUIRE(event != result.events.end());
    CHECK(event->dpercussion_Ns[5] == doctest::Approx(2.1 * u[2] / 1.4).epsilon(1e-10));

    // a softer contact on the right would be closed again by what the left one gives back: both go on
    // together
    const auto together = found(
        with(row_of_balls("kind = \"poisson\"\n"), {{"e1 = 0.5", "e1 = 0.8"}, {"e2 = 0.8", "e2 = 0.5"}}));
    const double w = 1.8 * 1.3 * 1.4 / 4.1;
    CHECK(together.states.back().u[1] == doctest::Approx(w).epsilon(1e-12));
    for (const int i : {1, 2}) {
        CHECK(together.states.back().du(i, 3) == doctest::Approx(w / 1.8).epsilon(1e-10));
        CHECK(std::abs(together.states.back().du(i, 4)) <= 1e-10);
    }
}

TEST_CASE("the energetic map without friction is a sequence of impacts, each by its law")
{
    // a strikes b, b strikes c, and on until none approaches
    const auto velocities = [](const Point6& x) {
        const auto [m1, m2, m3, e1, e2, speed] = x;
        Eigen::Vector3d u(speed, 0, 0);
        for (;;) {
            if (u[0] > u[1] + 1e-13) {
                const double P = (1 + e1) * (u[0] - u[1]) / (1 / m1 + 1 / m2);
                u += Eigen::Vector3d(-P / m1, P / m2, 0);
            } else if (u[1] > u[2] + 1e-13) {
                const double P = (1 + e2) * (u[1] - u[2]) / (1 / m2 + 1 / m3);
                u += Eigen::Vector3d(0, -P / m2, P / m3);
            } else {
                return u;
            }
        }
    };
    const Sensitivities result = found(row_of_balls("kind = \"energetic\"\n"));
    CHECK((result.states.back().u - velocities(usual)).norm() <= 1e-12);
    CHECK((result.states.back().du - differences(velocities)).cwiseAbs().maxCoeff() <= 1e-10);
}

TEST_CASE("LZB: percussions depend on masses and velocities as momentum, energy and scaling ask")
{
    const Sensitivities result = found(
        with(row_of_balls(
                 "kind = \"lzb\"\nrestitution = 1\nexponent = 1.5\nstiffness = { left = 1, right = 3 }\n"),
             {{"e1 = 0.5", "e1 = 1"}, {"e2 = 0.8", "e2 = 1"}}));
    const SensitiveState& end = result.states.back();
    const Eigen::Vector3d m(1.3, 0.7, 2.1);
    const Eigen::MatrixXd& du = end.du;
    // twice the speed, twice all velocities; a third number more of a mass is a third of all masses more
    CHECK((du.col(5) * 1.4 - end.u).norm() <= 1e-8);
    CHECK((du.leftCols(3) * m).norm() <= 1e-8);
    // m.u = m1 u0 and m.u^2 = m1 u0^2 for all masses
    for (int j = 0; j < 3; ++j) {
        const double momentum = m.dot(du.col(j)) + end.u[j], given = j == 0 ? 1.4 : 0;
        CHECK(momentum == doctest::Approx(given).epsilon(1e-8).scale(1));
        const double energy = 2 * m.cwiseProduct(end.u).dot(du.col(j)) + end.u[j] * end.u[j];
        CHECK(energy == doctest::Approx(given * given).epsilon(1e-8).scale(1));
    }
}

TEST_CASE("a rod that falls on a rough floor by the energetic map: derivatives of runs that differ a little")
{
    // slip that is stopped, and slip that goes on, within the impact
    for (const char* slip : {"0.4", "3"}) {
        CAPTURE(slip);
        const std::string text = R"toml(
title = "rod"
duration_s = 0.4
[parameters]
mu = 0.35
e = 0.6
th0 = 0.9
v0 = SLIP
[[coordinate]]
name = "x"
start = 0
start_velocity = "v0"
[[coordinate]]
name = "y"
start = 0.7
start_velocity = -1
[[coordinate]]
name = "th"
start = "th0"
start_velocity = 0.5
unit = "rad"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2 + th'^2/24"
potential = "9.81*y"
[[contact]]
name = "tip"
position = ["x + cos(th)/2", "y - sin(th)/2"]
surface = "y"
law = { kind = "coulomb", friction = "mu", restitution = "e" }
[impact]
kind = "KIND"
)toml";
        for (const char* kind : {"energetic", "poisson"}) {
            CAPTURE(kind);
            const std::string scene = with(text, {{"SLIP", slip}, {"KIND", kind}});
            const std::vector<std::string> by{"parameters.mu", "parameters.e", "parameters.th0",
                                              "parameters.v0"};
            const SensitiveState end = found(scene, by).states.back();
            constexpr double h = 1e-3;
            for (std::size_t j = 0; j < by.size(); ++j) {
                const auto ends = [&](double by_how_much) {
                    const double value = std::array{0.35, 0.6, 0.9, std::atof(slip)}[j] + by_how_much;
                    const Scene other = read(scene, {{by[j], digits(value)}});
                    const auto run = sensitivities(other, {.by = {"coordinate.x.start"}});
                    REQUIRE(run);
                    Eigen::VectorXd z(6);
                    z << run->states.back().q, run->states.back().u;
                    return z;
                };
                const Eigen::VectorXd expected =
                    (45 * (ends(h) - ends(-h)) - 9 * (ends(2 * h) - ends(-2 * h)) +
                     (ends(3 * h) - ends(-3 * h))) /
                    (60 * h);
                const auto column = static_cast<Eigen::Index>(j);
                CHECK((end.dq.col(column) - expected.head(3)).norm() <= 1e-8);
                CHECK((end.du.col(column) - expected.tail(3)).norm() <= 1e-8);
            }
        }
    }
}

TEST_CASE("two balls that strike a third at once by Poisson's map: each order is that of motions near by")
{
    const std::string text = R"toml(
title = "both"
duration_s = 0.5
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
kinetic = "a'^2/2 + b'^2 + c'^2/2"
[[contact]]
name = "left"
gap = "b - a - 0.2"
law = { restitution = 0.5 }
[[contact]]
name = "right"
gap = "c - b - 0.2"
law = { restitution = 0.5 }
[impact]
kind = "KIND"
)toml";
    for (const char* kind : {"poisson", "lzb", "energetic"}) {
        CAPTURE(kind);
        const std::string scene = with(text, {{"KIND", kind}});
        const std::vector<std::string> by{"coordinate.a.start", "coordinate.c.start_velocity"};
        const auto both = sensitivities(read(scene), {.by = by});
        REQUIRE(both);
        REQUIRE(both->lost);
        CHECK(both->lost->kind == "simultaneous");
        REQUIRE(both->lost->orders.size() == 2);
        const OrderedImpacts& order = both->lost->orders[0];
        REQUIRE(order.contacts.front() == "left");
        const double eps = 1e-7;
        const auto near =
            sensitivities(read(with(scene, {{"start = -0.5", "start = " + digits(-0.5 + eps)}})), {.by = by});
        REQUIRE(near);
        REQUIRE_MESSAGE(!near->lost, near->lost->words);
        CHECK((near->states.back().u - order.u_after).norm() <= 1e-9);
        CHECK((near->states.back().du - order.du).cwiseAbs().maxCoeff() <= 1e-6);
    }
}

TEST_CASE("a map by formulas tells the derivative of its percussion")
{
    const std::string text = R"toml(
title = "formulas"
duration_s = 1
[parameters]
k = 0.6
m = 1.7
[[coordinate]]
name = "z"
start = 1
[lagrangian]
kinetic = "m*z'^2/2"
potential = "m*9.81*z"
[[contact]]
name = "floor"
gap = "z"
[impact]
kind = "formulas"
velocities = { z = "-k*z' - 0.01*z'^2" }
)toml";
    const Sensitivities result = found(text, {"parameters.k", "parameters.m"});
    const auto event = std::ranges::find(result.events, "floor", &SensitiveEvent::place);
    REQUIRE(event != result.events.end());
    // P = m ((1 + k) v - 0.01 v^2) with v = sqrt(2 g)
    const double v = std::sqrt(2 * 9.81);
    CHECK(event->dpercussion_Ns[0] == doctest::Approx(1.7 * v).epsilon(1e-12));
    CHECK(event->dpercussion_Ns[1] == doctest::Approx(1.6 * v - 0.01 * v * v).epsilon(1e-12));
}

TEST_CASE("maps for one contact are its law, on an obstacle that moves too: U goes over to -e U")
{
    // one mass between plates that shake: every impact is one of a single contact
    const auto plates = [](const std::string& restitution, const std::string& impact) {
        return R"toml(
title = "plates"
duration_s = 3
[parameters]
A = 0.05
w = 3.1
m = 1.3
[[coordinate]]
name = "x"
start = 0.1
start_velocity = 1.2
[lagrangian]
kinetic = "m*x'^2/2"
[[contact]]
name = "upper"
gap = "0.5 + A*sin(w*t) - x"
law = { restitution = )toml" +
               restitution + R"toml( }
[[contact]]
name = "lower"
gap = "x + 0.5 + A*cos(w*t)"
law = { restitution = )toml" +
               restitution + " }\n" + impact;
    };
    const std::vector<std::string> by{"parameters.A", "parameters.w", "parameters.m", "coordinate.x.start"};
    const Sensitivities law = found(plates("0.8", ""), by);
    REQUIRE(law.events.size() >= 2);
    for (const char* kind : {"canonical", "sequential"}) {
        const Sensitivities map =
            found(plates("0", "[impact]\nkind = \"" + std::string(kind) + "\"\nrestitution = 0.8\n"), by);
        CHECK((map.states.back().u - law.states.back().u).norm() <= 1e-13);
        CHECK((map.states.back().dq - law.states.back().dq).cwiseAbs().maxCoeff() <= 1e-11);
        CHECK((map.states.back().du - law.states.back().du).cwiseAbs().maxCoeff() <= 1e-11);
    }
}

TEST_CASE("a disc that rolls while it bounces: the speed at which it rolls in the end, by its radius")
{
    const std::string disc = R"toml(
title = "disc"
duration_s = 2
[parameters]
r = 0.1
[[coordinate]]
name = "x"
start = 0
start_velocity = 2
[[coordinate]]
name = "z"
start = 0.5
[[coordinate]]
name = "th"
start = 0
start_velocity = -5
unit = "rad"
[lagrangian]
kinetic = "(x'^2 + z'^2)/2 + r^2*th'^2/4"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "z - r"
sliding = ["x' + r*th'"]
law = { kind = "coulomb", friction = 0.2, restitution = 0.6 }
[impact]
kind = "KIND"
)toml";
    for (const char* kind : {"poisson", "energetic", "lzb"}) {
        CAPTURE(kind);
        const SensitiveState end = found(with(disc, {{"KIND", kind}}), {"parameters.r"}).states.back();
        // x' - r th'/2 is kept by friction, and x' + r th' = 0 in the end: x' = (2 - r (-5)/2) 2/3
        CHECK(end.u[0] == doctest::Approx(1.5).epsilon(1e-8));
        CHECK(end.du(0, 0) == doctest::Approx(5.0 / 3).epsilon(1e-6));
        CHECK(end.du(2, 0) == doctest::Approx(-50.0 / 3 + 150).epsilon(1e-6));
    }
}
