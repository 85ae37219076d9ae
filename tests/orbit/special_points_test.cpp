#include "support.hpp"

#include "carom/orbit/branch.hpp"

#include <functional>

using namespace carom;
using namespace carom::test;

namespace {

void check_curve(const Curve& curve, double tolerance, const std::function<double(double)>& closed_form)
{
    CHECK(curve.end == "below: range; above: range");
    REQUIRE(curve.points.size() >= 3);
    for (const CurvePoint& point : curve.points) {
        CHECK(point.first == doctest::Approx(closed_form(point.second)).epsilon(tolerance));
    }
}

}  // namespace

TEST_CASE("damping that feeds: the pair of multipliers leaves the circle where e^2 exp(-c T) = 1")
{
    const Scene scene = read(with(oscillator, {{"sigma = 0.5", "sigma = 0.0"},
                                               {"start = -0.2", "start = -1.3"},
                                               {"start_velocity = 0.3", "start_velocity = 1.2"}}));
    BranchOptions options = over("c", -0.25, 0.1);
    options.orbit.settle = 100;
    options.upwards = false;
    const auto branch = follow_branch(scene, options);
    REQUIRE(branch);
    const SpecialPoint& torus = first_of(*branch, "torus");
    const auto closed_form = [](double e) { return 2.2 * std::log(e) / std::numbers::pi; };
    CHECK(torus.value == doctest::Approx(closed_form(0.8)).epsilon(1e-10));
    CHECK(std::abs(torus.orbit.multipliers[0]) == doctest::Approx(1).epsilon(1e-10));
    CHECK(torus.orbit.multipliers[0].imag() > 0.1);

    const auto curve =
        follow_special_point(scene, options, torus, {.over = "e", .low = 0.77, .high = 0.83, .steps = 2});
    REQUIRE(curve);
    check_curve(*curve, 1e-9, closed_form);
}

TEST_CASE("the force below which a mass on a rough floor stops: seen from both sides, and over the frequency")
{
    // Den Hartog: F = mu N sqrt(1 + r^4 U^2)/(r^2 |V|)
    const std::string text = R"toml(
title = "rough"
duration_s = 10
[parameters]
F = 2
w = 0.8
[[coordinate]]
name = "x"
start = 3
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "x^2/2 + y"
forces = { x = "F*cos(w*t)" }
[[contact]]
name = "floor"
position = ["x", "y"]
surface = "y"
law = { kind = "coulomb", friction = 1 }
)toml";
    const auto closed_form = [](double r) {
        const double V = 1 / (1 - r * r),
                     U = std::sin(std::numbers::pi / r) / (r * (1 + std::cos(std::numbers::pi / r)));
        return std::sqrt(1 + r * r * r * r * U * U) / (r * r * std::abs(V));
    };
    BranchOptions options = over("F", 1.1, 2.2);
    options.orbit.settle = 60;
    options.upwards = false;
    options.max_step = 0.05;
    const Scene scene = read(text);
    const auto down = follow_branch(scene, options);
    REQUIRE(down);
    const SpecialPoint& birth = first_of(*down, "stick");
    CHECK(birth.value == doctest::Approx(closed_form(0.8)).epsilon(1e-9));
    CHECK(birth.place == "floor");

    // from where it stops at each turn
    options.upwards = true;
    const auto up = follow_branch(read(with(text, {{"F = 2", "F = 1.15"}})), options);
    REQUIRE(up);
    CHECK(first_of(*up, "stick").value == doctest::Approx(closed_form(0.8)).epsilon(1e-9));

    const auto curve =
        follow_special_point(scene, options, birth, {.over = "w", .low = 0.78, .high = 0.82, .steps = 2});
    REQUIRE(curve);
    check_curve(*curve, 1e-8, closed_form);
}

TEST_CASE("the amplitude at which a ball leaves its table, g/w^2, over the frequency")
{
    const std::string text = with(table, {{"start_s = 0.65", "start_s = 0"},
                                          {"A = 1.287", "A = 0.5"},
                                          {"start = 0.80", "start = 0"},
                                          {"start_velocity = 3.1", "start_velocity = \"A*w\""},
                                          {"e = 0.5", "e = 0"}});
    const Scene scene = read(text);
    BranchOptions options = over("A", 0.3, 1.5);
    const auto branch = follow_branch(scene, options);
    REQUIRE(branch);
    const SpecialPoint& lost = first_of(*branch, "contact_lost");
    CHECK(lost.value == doctest::Approx(1).epsilon(1e-10));
    const auto curve =
        follow_special_point(scene, options, lost, {.over = "w", .low = 0.9, .high = 1.1, .steps = 2});
    REQUIRE(curve);
    check_curve(*curve, 1e-9, [](double w) { return 1 / (w * w); });
}

TEST_CASE("the corner where two stops are struck at once, over the restitution of one of them")
{
    // each oscillator strikes at the phase of its closed form; the second is driven later by p
    const std::string text = R"toml(
title = "two"
duration_s = 10
[parameters]
w = 2.2
p = 0.3
e = 0.8
[[coordinate]]
name = "x"
start = -1.2
start_velocity = 1.4
[[coordinate]]
name = "y"
start = -1.4
start_velocity = 1.2
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "(x^2 + y^2)/2"
forces = { x = "cos(w*t) - 0.05*x'", y = "cos(w*t - p) - 0.05*y'" }
[[contact]]
name = "left"
gap = "-x"
law = { restitution = 0.8 }
[[contact]]
name = "right"
gap = "-y"
law = { restitution = "e" }
)toml";
    const Scene scene = read(text);
    BranchOptions options = over("p", -0.5, 0.5);
    options.orbit.settle = 150;
    options.upwards = false;
    const auto branch = follow_branch(scene, options);
    REQUIRE(branch);
    const SpecialPoint& corner = first_of(*branch, "corner");
    CHECK(std::abs(corner.value) <= 1e-9);
    CHECK(corner.place == "left, right");
    const auto curve =
        follow_special_point(scene, options, corner, {.over = "e", .low = 0.78, .high = 0.82, .steps = 2});
    REQUIRE(curve);
    // the stop is at zero: the phase does not depend on the speed
    const double first = OneImpact(2.2, 0.05, 0, 0.8, 1).phase;
    CHECK(curve->end == "below: range; above: range");
    REQUIRE(curve->points.size() >= 3);
    for (const CurvePoint& point : curve->points) {
        CHECK(std::abs(point.first - (first - OneImpact(2.2, 0.05, 0, point.second, 1).phase)) <= 1e-8);
    }
}

namespace {

const std::string brake = R"toml(
title = "brake"
duration_s = 20
[parameters]
k = 3
c = 0.08
m = 1.2
N = 8
mu_s = 0.5
mu_d = 0.3
v = 0.35
[[coordinate]]
name = "x"
start = 1.3
start_velocity = 0.35
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "m*x'^2/2 + y'^2/2"
potential = "k*x^2/2 + N*y"
forces = { x = "-c*x'" }
[[contact]]
name = "disc"
position = ["x", "y"]
surface = "y"
obstacle_velocity = ["v", "0"]
law = { kind = "coulomb", friction = "mu_d", static_friction = "mu_s" }
)toml";

/// By how much the mass of the brake becomes faster than the disc, if it slips on for a whole turn after it
/// was let go at (mu_s N - c v)/k: a damped oscillation about mu_d N/k.
double overtakes(double v)
{
    const double k = 3, c = 0.08, m = 1.2, N = 8, mu_s = 0.5, mu_d = 0.3;
    const double decay = c / 2 / m, w = std::sqrt(k / m - decay * decay);
    const double A = (mu_s * N - c * v - mu_d * N) / k, B = (v + decay * A) / w;
    const auto velocity = [&](double t) {
        return std::exp(-decay * t) *
               ((w * B - decay * A) * std::cos(w * t) - (w * A + decay * B) * std::sin(w * t));
    };
    const auto acceleration = [&](double t) {
        const double y = std::exp(-decay * t) * (A * std::cos(w * t) + B * std::sin(w * t));
        return -(k * y + c * velocity(t)) / m;
    };
    double t = 1e-3;
    while (acceleration(t) < 0)
        t += 1e-3;
    while (acceleration(t) > 0)
        t += 1e-3;
    double low = t - 1e-3, high = t;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (acceleration(middle) > 0 ? low : high) = middle;
    }
    return velocity(low) - v;
}

}  // namespace

TEST_CASE("a brake: its stick-slip cycle ends where the mass does not catch up with the disc any more")
{
    BranchOptions options = over("v", 0.05, 3);
    options.orbit.period.clear();
    options.orbit.section = "-x'";
    const auto branch = follow_branch(read(brake), options);
    REQUIRE(branch);
    double low = 1, high = 2.5;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (overtakes(middle) > 0 ? low : high) = middle;
    }
    const SpecialPoint& lost = first_of(*branch, "stick");
    CHECK(lost.place == "disc");
    CHECK(lost.value == doctest::Approx(low).epsilon(1e-10));
    CHECK(branch->end.starts_with("stick at 1.54220916"));
}

TEST_CASE("a brake that slips without a cycle: rest is not told as an orbit")
{
    OrbitOptions options;
    options.section = "-x'";
    options.settle = 2;
    const auto found = find_orbit(read(with(brake, {{"start = 1.3", "start = 0.9"},
                                                    {"start_velocity = 0.35", "start_velocity = 0.1"}})),
                                  options);
    REQUIRE(found);
    CHECK(!found->converged);
    CHECK(found->trouble.find("equilibrium") != std::string::npos);
}

namespace {

Scene gear(const std::vector<Override>& overrides)
{
    auto scene = read_scene(std::string(CAROM_SOURCE_DIR) + "/scenes/gear_backlash.toml", overrides);
    REQUIRE(scene);
    return std::move(*scene);
}

/// How far the orbit that strikes the front once a period stays away from the back. Between impacts
/// x' = y exp(-c s) + x_p', x_p the motion without impacts, so that x = b after a period gives y and the
/// speed v of the impact, and x' = -e v behind it its phase.
double gap_behind(double w, double e)
{
    const double c = 0.1, F0 = 0.1, F = 0.5, T = turn / w;
    const double y = -F0 * T / (1 - std::exp(-c * T)), v = F0 * T / (1 + e);
    const double P = -F / (w * w + c * c), Q = -c / w * P, size = w * std::hypot(P, Q);
    const double phase = std::atan2(-P, Q) + std::acos((-e * v - y - F0 / c) / size);
    const auto velocity = [&](double s) {
        return F0 / c - w * P * std::sin(phase + w * s) + w * Q * std::cos(phase + w * s) +
               y * std::exp(-c * s);
    };
    const auto gap = [&](double s) {
        return 2 + F0 * s / c + P * (std::cos(phase + w * s) - std::cos(phase)) +
               Q * (std::sin(phase + w * s) - std::sin(phase)) + y * (1 - std::exp(-c * s)) / c;
    };
    double nearest = T / 2;
    for (int i = 1; i < 400; ++i) {
        if (gap(i * T / 400) < gap(nearest)) nearest = i * T / 400;
    }
    double low = nearest - T / 400, high = nearest + T / 400;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (velocity(middle) < 0 ? low : high) = middle;
    }
    return gap(low);
}

}  // namespace

TEST_CASE("gears with backlash: round a fold and past the grazing of the back to the end of the range")
{
    for (const double e : {0.9, 0.7}) {
        CAPTURE(e);
        BranchOptions options = over("w", 0.3, 4);
        options.orbit.settle = 60;
        const auto branch = follow_branch(gear({{"parameters.e", digits(e)}}), options);
        REQUIRE(branch);
        CHECK(branch->end == "range");
        CHECK(first_of(*branch, "fold").value > 1);
        double low = 0.84, high = 0.88;
        for (int i = 0; i < 60; ++i) {
            const double middle = (low + high) / 2;
            (gap_behind(middle, e) < 0 ? low : high) = middle;
        }
        const SpecialPoint& graze = first_of(*branch, "grazing");
        CHECK(graze.place == "back");
        CHECK(std::abs(graze.value - low) <= 1e-10);
        CHECK(std::ranges::count(branch->special, "grazing", &SpecialPoint::kind) == 1);
        // behind it the back is not struck
        CHECK(branch->points.back().orbit.lowest[0] > -1);
        // orbits begin within a period of the scene's start, wherever events go
        const double first_s = branch->points.front().orbit.period_s;
        CHECK(std::ranges::all_of(branch->points, [&](const BranchPoint& point) {
            return point.orbit.start.t_s >= 0 && point.orbit.start.t_s <= first_s;
        }));
    }
}

TEST_CASE("gears with backlash: an orbit that grazes is found from the impacts as from the gap")
{
    // two impacts on the front, one of them slower and slower; then none, with the gap opening
    BranchOptions options = over("w", 0.45, 0.6);
    options.orbit.settle = 60;
    const Scene scene = gear({{"parameters.e", "0.7"}, {"parameters.w", "0.5"}});
    const auto forth = follow_branch(scene, options);
    REQUIRE(forth);
    const SpecialPoint& graze = first_of(*forth, "grazing");
    const auto impacts = [](const Orbit& orbit) {
        return std::ranges::count_if(orbit.events, [&](const SensitiveEvent& one) {
            return one.event.kind == EventKind::Impact && one.event.time_s > orbit.start.t_s;
        });
    };
    CHECK(impacts(forth->points.front().orbit) == impacts(forth->points.back().orbit) + 1);
    // the way back begins behind the grazing
    const BranchPoint& behind = forth->points.back();
    std::vector<Override> begin{{"parameters.e", "0.7"},
                                {"parameters.w", digits(behind.value)},
                                {"start_s", digits(behind.orbit.start.t_s)},
                                {"coordinate.x.start", digits(behind.orbit.start.q[0])},
                                {"coordinate.x.start_velocity", digits(behind.orbit.start.u[0])}};
    options.orbit.settle = 0;
    options.high = std::max(options.high, 1.001 * behind.value);
    options.upwards = false;
    const auto back = follow_branch(gear(begin), options);
    REQUIRE(back);
    CHECK(first_of(*back, "grazing").value == doctest::Approx(graze.value).epsilon(1e-10));
}

TEST_CASE("a wheel of spokes: rolls from where it just passes the top to where its foot lifts before the "
          "next one lands")
{
    auto scene = read_scene(std::string(CAROM_SOURCE_DIR) + "/scenes/rimless_wheel.toml");
    REQUIRE(scene);
    BranchOptions options;
    options.orbit.section = "sin(2*pi*(x + y*tan(gamma))/d)";
    options.orbit.shift = {{"x", "d"}};
    options.over = "gamma";
    options.low = 0.05;
    options.high = 0.27;
    options.max_step = 0.1;
    // half the angle between spokes; massless spokes: v^2 before a landing is 4 g l sin(gamma) sin(al)/sin(2
    // al)^2
    const double al = turn / 16;
    const auto up = follow_branch(*scene, options);
    REQUIRE(up);
    // there the slope carries the hub alone: v^2 = g l cos(al + gamma)
    const double lifts =
        std::atan(std::cos(al) / (std::sin(al) + 4 * std::sin(al) / std::pow(std::sin(2 * al), 2)));
    CHECK(first_of(*up, "contact_lost").value == doctest::Approx(lifts).epsilon(1e-10));
    CHECK(first_of(*up, "contact_lost").place == "foot");

    options.upwards = false;
    const auto down = follow_branch(*scene, options);
    REQUIRE(down);
    CHECK(down->end.find("the period grows without bound towards 0.0682294") != std::string::npos);
}

TEST_CASE("a wheel that moves on by a step has no orbit unless that is said: a period of zero closes nothing")
{
    const auto scene = read_scene(std::string(CAROM_SOURCE_DIR) + "/scenes/rimless_wheel.toml");
    REQUIRE(scene);
    const auto orbit = find_orbit(*scene, {.section = "sin(2*pi*(x + y*tan(gamma))/d)"});
    REQUIRE(orbit);
    CHECK_FALSE(orbit->converged);
    CHECK(orbit->trouble.find("x moves on by 0.765 in a period") != std::string::npos);
    CHECK(orbit->trouble.find("--free x") != std::string::npos);
}

TEST_CASE(
    "a woodpecker: where the landing of its sleeve begins to slide there is a point, whatever the steps")
{
    const std::vector<Override> rough{{"parameters.mu", "0.578"}};
    const auto scene = read_scene(std::string(CAROM_SOURCE_DIR) + "/scenes/woodpecker.toml", rough);
    REQUIRE(scene);
    std::vector<double> found;
    for (const double step : {0.3, 0.8}) {
        BranchOptions options;
        options.orbit.section = "phiS'";
        options.orbit.free = {"y"};
        options.over = "mu";
        options.low = 0.577;
        options.high = 0.584;
        options.max_step = step;
        const auto branch = follow_branch(*scene, options);
        REQUIRE(branch);
        CHECK(branch->end == "range");
        REQUIRE(branch->special.size() == 1);
        CHECK(branch->special.front().kind == "slip");
        CHECK(branch->special.front().place == "upper_edge");
        found.push_back(branch->special.front().value);
    }
    CHECK(found[0] == doctest::Approx(found[1]).epsilon(1e-9));
}

TEST_CASE("a wheel of spokes that hops: wherever orbits begin, its steps end where it does not stand any "
          "more, and double")
{
    const auto scene = read_scene(std::string(CAROM_SOURCE_DIR) + "/scenes/rimless_wheel.toml");
    REQUIRE(scene);
    // a wheel that never stands lands and leaves straight above its feet: v t = d cos(gamma), g t^2/2 = d sin(gamma);
    // it stands if v^2 < g l. Beside this orbit (theta, v) has the map of determinant 1 - k and trace 2 - k + g t^2/l,
    // k = v^2/(g l), which has the eigenvalue -1 where k = 2 + g t^2/(2 l). With a = d/(2 l), s = sin(gamma):
    const double a = std::sin(turn / 16);
    const double stands = std::asin((std::sqrt(1 + 4 * a * a) - 1) / (2 * a)),  // a (1 - s^2) = s
        doubles = std::asin((std::sqrt(1 + 3 * a * a) - 1) / (3 * a));          // a (1 - s^2) = 2 s + 2 a s^2
    // above a foot, where landings come to the section, and before it, where the end of the stance does
    for (const char* section : {"sin(2*pi*(x + y*tan(gamma))/d)", "sin(2*pi*(x + y*tan(gamma))/d - 0.3)"}) {
        CAPTURE(section);
        BranchOptions options;
        options.orbit.section = section;
        options.orbit.shift = {{"x", "d"}};
        options.over = "gamma";
        options.low = 0.1;
        options.high = 0.5;
        options.max_step = 0.1;
        const auto branch = follow_branch(*scene, options);
        REQUIRE(branch);
        CHECK(branch->end == "range");
        std::vector<std::string> kinds;
        for (const SpecialPoint& point : branch->special)
            kinds.push_back(point.kind);
        REQUIRE(kinds == std::vector<std::string>{"contact_lost", "fold", "contact_lost", "period_doubling"});
        CHECK(branch->special[2].value == doctest::Approx(stands).epsilon(1e-10));
        CHECK(branch->special[2].place == "next_foot");
        CHECK(branch->special[3].value == doctest::Approx(doubles).epsilon(1e-10));
        // at the end of the range: speed and period in closed form
        const double gamma = branch->points.back().value, t_s = branch->points.back().orbit.period_s;
        CHECK(gamma == doctest::Approx(options.low).epsilon(1e-9));
        CHECK(t_s == doctest::Approx(std::sqrt(4 * a * std::sin(gamma) / 9.81)).epsilon(1e-9));
    }
}

TEST_CASE("a range that ends where the scene does, at a restitution of 1, is followed to its end")
{
    auto scene = read_scene(std::string(CAROM_SOURCE_DIR) + "/scenes/impact_oscillator.toml");
    REQUIRE(scene);
    BranchOptions options = over("e", 0.7, 1);
    options.orbit.settle = 50;
    const auto branch = follow_branch(*scene, options);
    REQUIRE(branch);
    CHECK(branch->end == "range");
    CHECK(branch->points.back().value == doctest::Approx(1).epsilon(1e-7));
    // det M = e^2 exp(-c T)
    const auto& m = branch->points.back().orbit.multipliers;
    CHECK(std::abs(m[0] * m[1]) == doctest::Approx(std::exp(-0.05 * turn / 2.2)).epsilon(1e-6));
}
