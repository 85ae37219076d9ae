#include "support.hpp"

using namespace carom;
using namespace carom::test;

namespace {

/// A particle that is thrown up by a table once a period, and driven and damped along it: it comes back with
/// P_N = g T, whatever it does along the table.
const std::string driven_along = R"toml(
title = "particle on a vibrating table, driven along it"
duration_s = 20
start_s = 0.65
[parameters]
A = 1.287
w = 1.0
g = 1.0
a = 0.5
c = 0.3
mu = 0.1
[[coordinate]]
name = "x"
start = 0
start_velocity = 0.5
[[coordinate]]
name = "z"
start = 0.80
start_velocity = 3.1
[lagrangian]
kinetic = "(x'^2 + z'^2)/2"
potential = "g*z"
forces = { x = "a - c*x'" }
[[contact]]
name = "plate"
gap = "z - A*sin(w*t)"
sliding = ["x'"]
law = { kind = "coulomb", friction = "mu", restitution = 0.5 }
)toml";

/// Where impacts begin to stick: x' before them is a/c (1 - exp(-c T)) then.
double sticks_from()
{
    return 0.5 / 0.3 * (1 - std::exp(-0.3 * turn)) / turn;
}

const ImpactFriction& friction_of(const Orbit& orbit)
{
    const auto impact = std::ranges::find_if(
        orbit.events, [](const SensitiveEvent& one) { return one.event.kind == EventKind::Impact; });
    REQUIRE(impact != orbit.events.end());
    REQUIRE(impact->friction);
    return *impact->friction;
}

/// Where f vanishes, by the parabola of its last three values.
double vanishes_at(const std::vector<double>& value, const std::vector<double>& f)
{
    REQUIRE(value.size() >= 3);
    const std::size_t n = value.size();
    double zero = 0;
    for (std::size_t i = n - 3; i < n; ++i) {
        double weight = 1;
        for (std::size_t j = n - 3; j < n; ++j) {
            if (j != i) weight *= f[j] / (f[j] - f[i]);
        }
        zero += weight * value[i];
    }
    return zero;
}

}  // namespace

TEST_CASE(
    "impacts with friction begin to stick where their slip vanishes, and to slide where friction is used "
    "up: the same point from both sides")
{
    BranchOptions options = over("mu", 0.05, 0.6);
    options.orbit.free = {"x"};
    options.orbit.settle = 20;
    const double border = sticks_from();
    const auto up = follow_branch(read(driven_along), options);
    REQUIRE(up);
    CHECK(up->end == "range");
    const SpecialPoint& sticks = first_of(*up, "stick");
    CHECK(sticks.value == doctest::Approx(border).epsilon(1e-10));
    CHECK(sticks.place == "plate");
    CHECK(friction_of(up->points.front().orbit).slides == 1);
    // x' behind the impact: a/c - mu P_N / (1 - exp(-c T))
    CHECK(friction_of(up->points.front().orbit).left ==
          doctest::Approx(0.5 / 0.3 - 0.1 * turn / (1 - std::exp(-0.3 * turn))).epsilon(1e-10));
    CHECK(friction_of(up->points.back().orbit).slides == 0);
    CHECK(friction_of(up->points.back().orbit).left ==
          doctest::Approx((up->points.back().value - border) * turn).epsilon(1e-10));

    options.upwards = false;
    const auto down = follow_branch(read(driven_along, {{"parameters.mu", "0.5"}}), options);
    REQUIRE(down);
    CHECK(down->end == "range");
    CHECK(first_of(*down, "slip").value == doctest::Approx(border).epsilon(1e-9));
}

TEST_CASE("an inelastic ball on a table: the phase of contact ends where its flight lasts a whole period")
{
    // z'' of the table is -g where the ball leaves, and where it lands: A w^2 = g sqrt(1 + pi^2)
    const std::string table = R"toml(
title = "inelastic ball"
duration_s = 20
[parameters]
A = 3.2
w = 1.0
g = 1.0
[[coordinate]]
name = "z"
start = 0
start_velocity = "A*w"
[lagrangian]
kinetic = "z'^2/2"
potential = "g*z"
[[contact]]
name = "plate"
gap = "z - A*sin(w*t)"
)toml";
    BranchOptions options = over("A", 3.15, 3.6);
    options.orbit.settle = 2;
    const auto branch = follow_branch(read(table), options);
    REQUIRE(branch);
    const SpecialPoint& lost = first_of(*branch, "contact_lost");
    CHECK(lost.value == doctest::Approx(std::hypot(1, turn / 2)).epsilon(1e-9));
    CHECK(lost.place == "plate");
    CHECK(std::sin(lost.time_s) == doctest::Approx(1 / std::hypot(1, turn / 2)).epsilon(1e-6));
}

TEST_CASE("a woodpecker: the branch ends in the corner where beak and sleeve strike at once")
{
    const auto scene = read_scene(std::string(CAROM_SOURCE_DIR) + "/scenes/woodpecker.toml");
    REQUIRE(scene);
    BranchOptions options;
    options.orbit.section = "phiS";
    options.orbit.free = {"y"};
    options.orbit.settle = 10;
    options.over = "e";
    options.low = 0.5;
    options.high = 0.99;
    const auto branch = follow_branch(*scene, options);
    REQUIRE(branch);
    const SpecialPoint& corner = first_of(*branch, "corner");
    CHECK(corner.place == "beak, upper_edge");
    CHECK(branch->end.find("corner") == 0);

    // the time from the beak to the sleeve, on orbits away from the corner: a parabola says where it vanishes
    std::vector<double> value, between;
    for (const BranchPoint& point : branch->points) {
        const double away = corner.value - point.value;
        if (away < 2e-4 || away > 1e-2) continue;
        for (std::size_t i = 1; i < point.orbit.events.size(); ++i) {
            const auto &first = point.orbit.events[i - 1], &second = point.orbit.events[i];
            if (first.place != "beak" || second.place != "upper_edge") continue;
            value.push_back(point.value);
            between.push_back(second.event.time_s - first.event.time_s);
        }
    }
    CHECK(corner.value == doctest::Approx(vanishes_at(value, between)).epsilon(1e-6));
}

TEST_CASE("a woodpecker: a sleeve that hops once more where it lands does so up to where the hop vanishes")
{
    const std::vector<Override> restitution{{"parameters.e", "0.521"}};
    const auto scene = read_scene(std::string(CAROM_SOURCE_DIR) + "/scenes/woodpecker.toml", restitution);
    REQUIRE(scene);
    BranchOptions options;
    // the sleeve sticks where the orbit begins: slip of rounding there and its end are no events
    options.orbit.section = "phiS'";
    options.orbit.free = {"y"};
    options.orbit.settle = 3;
    options.over = "e";
    options.low = 0.519;
    options.high = 0.53;
    const auto branch = follow_branch(*scene, options);
    REQUIRE(branch);
    CHECK(branch->end == "range");
    REQUIRE(branch->special.size() == 1);
    const SpecialPoint& lost = branch->special.front();
    CHECK(lost.kind == "contact_lost");
    CHECK(lost.place == "lower_edge");

    // the time of the hop, from an impact that does not bounce to the next one, and its parabola
    std::vector<double> value, hop;
    for (const BranchPoint& point : branch->points) {
        for (std::size_t i = 1; i < point.orbit.events.size(); ++i) {
            const auto &first = point.orbit.events[i - 1], &second = point.orbit.events[i];
            if (first.place != "lower_edge" || second.place != "lower_edge" ||
                first.event.kind != EventKind::Impact || second.event.kind != EventKind::Impact)
                continue;
            value.push_back(point.value);
            hop.push_back(second.event.time_s - first.event.time_s);
        }
    }
    CHECK(lost.value == doctest::Approx(vanishes_at(value, hop)).epsilon(1e-7));
}

TEST_CASE("an impact that leads over a section is no place for an orbit to begin")
{
    const std::string rayleigh = R"toml(
title = "rayleigh"
duration_s = 60
[parameters]
stop = 1.5
[[coordinate]]
name = "x"
start = 0.5
[lagrangian]
kinetic = "x'^2/2"
potential = "x^2/2"
forces = { x = "0.5*(x' - x'^3/3)" }
[[contact]]
name = "stop"
gap = "stop - x"
law = { restitution = 0.8 }
)toml";
    // the velocity changes its sign in the impact with the stop, and only there
    OrbitOptions options{.section = "-x'", .settle = 10};
    const auto turns = find_orbit(read(rayleigh), options);
    REQUIRE(!turns);
    CHECK(turns.error().front().code == ErrorCode::SettingOutOfRange);
    CHECK(turns.error().front().message.find("impacts that lead over it") != std::string::npos);

    // without the stop it does so at the turning point, and with it elsewhere
    const auto free = find_orbit(read(rayleigh, {{"parameters.stop", "5"}}), options);
    REQUIRE(free);
    CHECK(free->converged);
    CHECK(std::abs(free->start.u[0]) < 1e-9);
    options.section = "x'";
    const auto back = find_orbit(read(rayleigh), options);
    REQUIRE(back);
    CHECK(back->converged);
    CHECK(std::abs(back->start.u[0]) < 1e-9);
}

TEST_CASE("a system that repeats with a period of its own has no orbit of another one")
{
    // an oscillator on a belt; Newton's method is led to states of 1e14 m there, beside which anything closes
    auto scene = read_scene(std::string(CAROM_SOURCE_DIR) + "/scenes/stick_slip_belt.toml");
    REQUIRE(scene);
    for (const char* period : {"2.5", "3", "3.7", "4.4"}) {
        CAPTURE(std::string(period));
        const auto orbit = find_orbit(*scene, {.period = period});
        REQUIRE(orbit);
        CHECK(!orbit->converged);
    }
}
