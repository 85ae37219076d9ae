#include "support.hpp"

#include "carom/orbit/branch.hpp"
#include "carom/orbit/equilibrium.hpp"
#include "carom/orbit/lyapunov.hpp"

using namespace carom;
using namespace carom::test;

namespace {

/// Phases at which the ball strikes, by its bounces alone: flights by their closed form, landings halved.
std::vector<double> bounced_phases(double A, double e, int count)
{
    double t = 0.64, v = 3.3;  // just after an impact
    std::vector<double> phases;
    for (int k = 0; k < 4000 + count; ++k) {
        const auto gap = [&](double s) { return A * std::sin(t) + v * s - s * s / 2 - A * std::sin(t + s); };
        double high = 0.3;
        while (gap(high) > 0) {
            high += 0.01;
        }
        double low = high - 0.01;
        for (int i = 0; i < 100; ++i) {
            const double middle = (low + high) / 2;
            (gap(middle) > 0 ? low : high) = middle;
        }
        t += low;
        const double plate = A * std::cos(t);
        v = plate - e * (v - low - plate);
        if (k >= 4000) phases.push_back(std::fmod(t, turn));
    }
    std::ranges::sort(phases);
    return phases;
}

}  // namespace

TEST_CASE(
    "the ball on a table doubles its period where the closed form says, and the doubled orbits are those of "
    "its bounces")
{
    const Scene scene = read(table);
    const BranchOptions options = over("A", 0.5, 1.7);
    auto branch = follow_branch(scene, options);
    REQUIRE(branch);
    const SpecialPoint& flip = first_of(*branch, "period_doubling");
    // (A w^2)^2 = (2 g (1 + e^2)/(1 + e)^2)^2 + (g pi (1 - e)/(1 + e))^2
    const double e = 0.5;
    const double A_flip =
        std::hypot(2 * (1 + e * e) / ((1 + e) * (1 + e)), std::numbers::pi * (1 - e) / (1 + e));
    CHECK(flip.value == doctest::Approx(A_flip).epsilon(1e-10));

    BranchOptions wanted = options;
    wanted.values = {1.6};
    const auto doubled = switch_at_doubling(scene, wanted, flip);
    REQUIRE(doubled);
    REQUIRE_MESSAGE(doubled->points.size() > 3, doubled->end);
    REQUIRE(!doubled->at.empty());
    const Orbit& orbit = doubled->at.front().orbit;
    CHECK(orbit.period_s == doctest::Approx(2 * turn).epsilon(1e-14));
    std::vector<double> phases;
    for (const SensitiveEvent& one : orbit.events) {
        if (one.event.kind == EventKind::Impact) phases.push_back(std::fmod(one.event.time_s, turn));
    }
    std::ranges::sort(phases);
    const auto bounced = bounced_phases(1.6, e, 2);
    REQUIRE(phases.size() == 2);
    CHECK(phases[0] == doctest::Approx(bounced[0]).epsilon(1e-9));
    CHECK(phases[1] == doctest::Approx(bounced[1]).epsilon(1e-9));
    CHECK(orbit.stable);
    // they double again
    CHECK(first_of(*doubled, "period_doubling").value == doctest::Approx(1.66713066).epsilon(1e-7));
}

/// The longest of this folder: run by ctest under the label `long`.
TEST_CASE("curves of period doublings and folds over restitution are closed forms" * doctest::skip())
{
    const Scene scene = read(table);
    BranchOptions options = over("A", 0.5, 1.7);
    const auto up = follow_branch(scene, options);
    options.upwards = false;
    const auto down = follow_branch(scene, options);
    REQUIRE(up);
    REQUIRE(down);
    const CurveOptions by_e{.over = "e", .low = 0.4, .high = 0.6, .steps = 4};
    const auto fold_at = [](double e) { return std::numbers::pi * (1 - e) / (1 + e); };
    const auto flips = follow_special_point(scene, options, first_of(*up, "period_doubling"), by_e);
    REQUIRE(flips);
    CHECK(flips->end == "below: range; above: range");
    REQUIRE(flips->points.size() >= 5);
    for (const CurvePoint& point : flips->points) {
        const double e = point.second;
        CHECK(point.first ==
              doctest::Approx(std::hypot(2 * (1 + e * e) / ((1 + e) * (1 + e)), fold_at(e))).epsilon(1e-9));
    }
    CHECK(flips->points.front().second == 0.4);
    CHECK(flips->points.back().second == 0.6);
    const auto folds = follow_special_point(scene, options, first_of(*down, "fold"), by_e);
    REQUIRE(folds);
    CHECK(folds->end == "below: range; above: range");
    for (const CurvePoint& point : folds->points) {
        CHECK(point.first == doctest::Approx(fold_at(point.second)).epsilon(1e-9));
    }
}

TEST_CASE("the curve of grazing over the frequency is a closed form")
{
    const Scene free = read(oscillator);
    const BranchOptions over_F = over("F", 0.5, 3);
    const auto branch = follow_branch(free, over_F);
    REQUIRE(branch);
    const auto grazes = follow_special_point(free, over_F, first_of(*branch, "grazing"),
                                             {.over = "w", .low = 2.0, .high = 2.4, .steps = 4});
    REQUIRE(grazes);
    CHECK(grazes->end == "below: range; above: range");
    for (const CurvePoint& point : grazes->points) {
        const double w = point.second;
        CHECK(point.first == doctest::Approx(0.5 * std::hypot(1 - w * w, 0.05 * w)).epsilon(1e-9));
    }
    CHECK(!follow_special_point(free, over_F, first_of(*branch, "grazing"),
                                {.over = "w", .low = 3, .high = 4, .steps = 4}));
}

TEST_CASE("a block on a rough floor, pulled by a spring: its equilibria fill |k x - F| <= mu m g")
{
    const std::string text = R"toml(
title = "block"
duration_s = 1
[parameters]
F = 0.5
k = 4
mu = 0.3
m = 2
[[coordinate]]
name = "x"
start = 0.1
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*9.81*y + k*x^2/2 - F*x"
[[contact]]
name = "floor"
position = ["x", "y"]
surface = "y"
law = { kind = "coulomb", friction = "mu" }
)toml";
    const auto found = follow_equilibria(read(text), {.over = "F", .low = -1, .high = 3, .steps = 20});
    REQUIRE(found);
    REQUIRE(found->contacts == std::vector<std::string>{"floor"});
    REQUIRE(found->branches.size() == 2);
    const double bound = 0.3 * 2 * 9.81;
    for (const EquilibriumBranch& edge : found->branches) {
        CHECK(edge.end == "below: range; above: range");
        REQUIRE(edge.points.size() >= 20);
        for (const Equilibrium& point : edge.points) {
            CHECK(point.q[0] == doctest::Approx((point.value + edge.sides[0] * bound) / 4).epsilon(1e-12));
            CHECK(std::abs(point.q[1]) <= 1e-14);
            CHECK(point.r_N[0] == doctest::Approx(2 * 9.81).epsilon(1e-12));
        }
    }
}

TEST_CASE(
    "a pendulum that follows a moment: stable up to the fold at m g l, round it, and a contact that is lost")
{
    // g l sin(a) = M: a fold at M = g l
    const std::string pendulum = R"toml(
title = "pendulum"
duration_s = 1
[parameters]
M = 1
[[coordinate]]
name = "a"
start = 0.1
unit = "rad"
[lagrangian]
kinetic = "a'^2/2"
potential = "-9.81*cos(a)"
forces = { a = "M - 0.1*a'" }
)toml";
    const auto hangs = follow_equilibria(read(pendulum), {.over = "M", .low = 0, .high = 12, .steps = 24});
    REQUIRE(hangs);
    REQUIRE(hangs->branches.size() == 1);
    const EquilibriumBranch& branch = hangs->branches.front();
    for (const Equilibrium& point : branch.points) {
        CHECK(point.stable == (std::cos(point.q[0]) > 0));
        CHECK(std::sin(point.q[0]) == doctest::Approx(point.value / 9.81).epsilon(1e-12).scale(1));
        // a'' + 0.1 a' + g cos(a) a = 0
        REQUIRE(point.eigenvalues.size() == 2);
        const double product = (point.eigenvalues[0] * point.eigenvalues[1]).real();
        CHECK(product == doctest::Approx(9.81 * std::cos(point.q[0])).epsilon(1e-7));
    }
    // from hanging to standing upright, both without a moment
    CHECK(std::abs(branch.points.front().q[0]) <= 1e-14);
    CHECK(branch.points.back().q[0] == doctest::Approx(turn / 2).epsilon(1e-12));
    CHECK(branch.end == "below: range; above: range");
    REQUIRE(branch.special.size() == 1);
    CHECK(branch.special.front().kind == "fold");
    CHECK(branch.special.front().value == doctest::Approx(9.81).epsilon(1e-12));

    // a mass pressed on a floor by its weight, pulled up by F: the contact is lost at F = g
    const std::string pulled = R"toml(
title = "pulled"
duration_s = 1
[parameters]
F = 1
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "y'^2/2"
potential = "(9.81 - F)*y + y^2/2"
[[contact]]
name = "floor"
gap = "y"
)toml";
    const auto rests = follow_equilibria(read(pulled), {.over = "F", .low = 0, .high = 20, .steps = 10});
    REQUIRE(rests);
    REQUIRE(rests->branches.front().special.size() == 1);
    CHECK(rests->branches.front().special[0].kind == "contact_lost");
    CHECK(rests->branches.front().special[0].place == "floor");
    CHECK(rests->branches.front().special[0].value == doctest::Approx(9.81).epsilon(1e-12));
}

TEST_CASE(
    "equilibria of two folds: x^3 - 3 x = p over p, and those of a buckled column beside the straight one")
{
    const auto of = [](const std::string& potential, const std::string& start) {
        return "title = \"potential\"\nduration_s = 1\n[parameters]\np = -4\n[[coordinate]]\nname = "
               "\"x\"\nstart = " +
               start + "\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"" + potential + "\"\n";
    };
    const auto cubic =
        follow_equilibria(read(of("x^4/4 - 3*x^2/2 - p*x", "-2")), {.over = "p", .low = -5, .high = 5});
    REQUIRE(cubic);
    const EquilibriumBranch& all = cubic->branches.front();
    CHECK(all.end == "below: range; above: range");
    REQUIRE(all.special.size() == 2);
    CHECK(all.special[0].value == doctest::Approx(2).epsilon(1e-12));
    CHECK(all.special[1].value == doctest::Approx(-2).epsilon(1e-12));
    for (const Equilibrium& point : all.points) {
        const double x = point.q[0];
        CHECK(std::abs(x * x * x - 3 * x - point.value) <= 1e-12);
        CHECK(point.stable == (std::abs(x) > 1));
    }

    // x (x^2 - p) = 0, straight: another branch leaves at p = 0
    const auto column =
        follow_equilibria(read(of("x^4/4 - p*x^2/2", "0")), {.over = "p", .low = -5, .high = 4});
    REQUIRE(column);
    REQUIRE(column->branches.front().special.size() == 1);
    CHECK(column->branches.front().special[0].kind == "branching");
    CHECK(std::abs(column->branches.front().special[0].value) <= 1e-10);
}

TEST_CASE("beside grazing the speed of the first impact goes with the power 1/2, by a fit")
{
    // the motion without impacts has the amplitude F/|1 - w^2 + i c w|
    const double w = 2.2, c = 0.05, sigma = 0.5;
    const double F_exact = sigma * std::hypot(1 - w * w, c * w);
    const auto branch = follow_branch(read(oscillator), over("F", 0.5, 3));
    REQUIRE(branch);
    const SpecialPoint& graze = first_of(*branch, "grazing");
    CHECK(graze.value == doctest::Approx(F_exact).epsilon(1e-10));
    // the gap there changes by -amplitude/F
    CHECK(graze.slope == doctest::Approx(-sigma / F_exact).epsilon(1e-8));

    // log v over log d by least squares, d from 1e-7 to 1e-5
    const double phase = std::atan2(c * w, 1 - w * w);
    double n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0;
    for (int k = 0; k <= 8; ++k) {
        const double d = 1e-7 * std::pow(10, k / 4.0), F = graze.value * (1 + d);
        const double B = F / std::hypot(1 - w * w, c * w);
        const std::array set{Override{"parameters.F", digits(F)},
                             Override{"coordinate.x.start", digits(B * std::cos(phase))},
                             Override{"coordinate.x.start_velocity", digits(B * w * std::sin(phase))}};
        auto scene = read_scene_text(oscillator, "test", set);
        REQUIRE(scene);
        SensitivityOptions by;
        by.by = {"parameters.F"};
        const auto motion = sensitivities(*scene, by);
        REQUIRE(motion);
        const auto impact = std::ranges::find_if(
            motion->events, [](const SensitiveEvent& one) { return one.event.kind == EventKind::Impact; });
        REQUIRE(impact != motion->events.end());
        const double lx = std::log(d), ly = std::log(impact->u_before[0]);
        n += 1;
        x_sum += lx;
        y_sum += ly;
        xx += lx * lx;
        xy += lx * ly;
    }
    const double exponent = (n * xy - x_sum * y_sum) / (n * xx - x_sum * x_sum);
    CHECK(exponent == doctest::Approx(0.5).epsilon(0.002));
    CHECK(std::abs(exponent - 0.5) <= 0.001);
}

TEST_CASE("behind a gap that only touches, derivatives are those of the side that does not strike")
{
    // x = -cos t comes to rest at the stop after half a turn
    const std::string text = R"toml(
title = "touch"
duration_s = 4
[parameters]
sigma = 1
[[coordinate]]
name = "x"
start = -1
[lagrangian]
kinetic = "x'^2/2"
potential = "x^2/2"
[[contact]]
name = "stop"
gap = "sigma - x"
law = { restitution = 0.5 }
)toml";
    SensitivityOptions options;
    options.by = {"coordinate.x.start", "coordinate.x.start_velocity", "parameters.sigma"};
    const auto motion = sensitivities(read(text), options);
    REQUIRE(motion);
    CHECK(!motion->lost);
    REQUIRE(motion->one_sided.size() == 1);
    const NotDifferentiable& touch = motion->one_sided.front();
    CHECK(touch.kind == "grazing");
    CHECK(touch.place == "stop");
    CHECK(touch.order == 2);
    CHECK(touch.instant_exponent == 0.5);
    CHECK(touch.time_s == doctest::Approx(std::numbers::pi).epsilon(1e-6));
    // x(pi) = -x0: the gap opens by dx0 and by dsigma
    CHECK(touch.dgap_m[0] == doctest::Approx(1).epsilon(1e-9));
    CHECK(std::abs(touch.dgap_m[1]) <= 1e-6);
    CHECK(touch.dgap_m[2] == doctest::Approx(1).epsilon(1e-12));
    const SensitiveState& end = motion->states.back();
    CHECK(end.one_sided);
    REQUIRE(end.dq.cols() == 3);
    CHECK(end.dq(0, 0) == doctest::Approx(std::cos(4.0)).epsilon(1e-12));
    CHECK(end.dq(0, 1) == doctest::Approx(std::sin(4.0)).epsilon(1e-12));
    CHECK(end.dq(0, 2) == 0);
}

TEST_CASE("segments find the same unstable orbit as one shot")
{
    // the other orbit of the table, whose phase is -phi: cos(phi) = pi (1 - e)/((1 + e) A), multipliers by
    // hand
    std::string text = table;
    text.replace(text.find("start_s = 0.65"), 14, "start_s = 1.0\n");
    text.replace(text.find("start = 0.80"), 12, "start = 3.03");
    text.replace(text.find("start_velocity = 3.1"), 20, "start_velocity = 1.51");
    text.replace(text.find("A = 1.287"), 9, "A = 1.3  ");
    OrbitOptions options;
    options.period = "2*pi/w";
    const auto once = find_orbit(read(text), options);
    options.segments = 5;
    const auto five = find_orbit(read(text), options);
    REQUIRE(once);
    REQUIRE(five);
    REQUIRE(once->converged);
    REQUIRE(five->converged);
    const double phase = turn - std::acos(std::numbers::pi * 0.5 / (1.5 * 1.3));
    for (const auto* orbit : {&*once, &*five}) {
        REQUIRE(!orbit->events.empty());
        CHECK(orbit->events.front().event.time_s == doctest::Approx(phase).epsilon(1e-11));
        CHECK((orbit->multipliers[0] * orbit->multipliers[1]).real() == doctest::Approx(0.25).epsilon(1e-10));
        CHECK(!orbit->stable);
    }
}

TEST_CASE("exponents add up to 2 log(e) per impact less the damping, and a stable orbit has those of its "
          "multipliers")
{
    std::string text = oscillator;
    text.replace(text.find("sigma = 0.5"), 11, "sigma = 0.0");
    text.replace(text.find("start = -0.2"), 12, "start = -0.5");
    const double T = turn / 2.2;
    const auto growth = lyapunov_exponents(read(text), {.interval_s = T, .discard = 200, .intervals = 400});
    REQUIRE(growth);
    REQUIRE(growth->finished);
    const double sum = growth->exponents_1_s.sum();
    const double rate = static_cast<double>(growth->impacts) / growth->time_s;
    CHECK(sum == doctest::Approx(2 * std::log(0.8) * rate - 0.05).epsilon(1e-9));

    OrbitOptions options;
    options.period = "2*pi/w";
    options.settle = 100;
    const auto orbit = find_orbit(read(text), options);
    REQUIRE(orbit);
    REQUIRE(orbit->converged);
    REQUIRE(orbit->stable);
    // a pair turns: its mean over the run is known to some turns of 400
    CHECK(growth->exponents_1_s[0] ==
          doctest::Approx(std::log(std::abs(orbit->multipliers[0])) / T).epsilon(0.02));
}

TEST_CASE("a chaotic motion has a positive exponent, well above its error")
{
    std::string text = oscillator;
    text.replace(text.find("sigma = 0.5"), 11, "sigma = 0.0");
    text.replace(text.find("c = 0.05"), 8, "c = 0.0 ");
    text.replace(text.find("w = 2.2"), 7, "w = 2.8");
    text.replace(text.find("start = -0.2"), 12, "start = -0.482");
    text.replace(text.find("start_velocity = 0.3"), 20, "start_velocity = 0.00986");
    const auto growth =
        lyapunov_exponents(read(text), {.interval_s = turn / 2.8, .discard = 200, .intervals = 1500});
    REQUIRE(growth);
    REQUIRE(growth->finished);
    // 0.1416 by a run of five million periods elsewhere; 1500 know it to a tenth
    CHECK(growth->exponents_1_s[0] == doctest::Approx(0.1416).epsilon(0.2));
    CHECK(growth->exponents_1_s[0] > 3 * growth->errors_1_s[0]);
}

TEST_CASE("what cannot be is refused before the search")
{
    const auto code_of = [](const auto& result) {
        REQUIRE(!result);
        return result.error().front().code;
    };
    OrbitOptions none;
    CHECK(code_of(find_orbit(read(table), none)) == ErrorCode::MissingKey);

    OrbitOptions unknown{.period = "2*pi/w"};
    unknown.parameters = {"omega"};
    CHECK(code_of(find_orbit(read(table), unknown)) == ErrorCode::UnknownName);
    CHECK(code_of(follow_branch(read(table), over("omega", 0, 1))) == ErrorCode::UnknownName);
    // the longer name, as sensitivities have it, is told as such
    unknown.parameters = {"parameters.w"};
    CHECK(find_orbit(read(table), unknown).error().front().hint == "write w");

    // a pendulum that hangs still never crosses anything
    const std::string still = R"toml(
title = "still"
duration_s = 3
[[coordinate]]
name = "a"
start = 0.3
unit = "rad"
[lagrangian]
kinetic = "a'^2/2"
potential = "-9.81*cos(a)"
)toml";
    OrbitOptions section;
    section.section = "a - 2";
    CHECK(code_of(find_orbit(read(still), section)) == ErrorCode::SettingOutOfRange);

    const std::string held = R"toml(
title = "held"
duration_s = 1
[[coordinate]]
name = "x"
start = 1
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "rod"
zero = ["x^2 + y^2 - 1"]
)toml";
    section.section = "y";
    CHECK(!find_orbit(read(held), section));
    SensitivityOptions by;
    by.by = {"coordinate.x.start"};
    CHECK(!sensitivities(read(held), by));
}

TEST_CASE("where there is no orbit the residual is told, and what to try")
{
    // pushed away for ever: no motion repeats
    const std::string away = R"toml(
title = "away"
duration_s = 3
[parameters]
w = 1
[[coordinate]]
name = "x"
start = 0
[lagrangian]
kinetic = "x'^2/2"
forces = { x = "1 + 0.1*cos(w*t)" }
)toml";
    OrbitOptions options;
    options.period = "2*pi/w";
    const auto orbit = find_orbit(read(away), options);
    REQUIRE(orbit);
    CHECK(!orbit->converged);
    // the speed grows by 2 pi in each period; the search has come to some thousands
    CHECK(orbit->residual > 1e-4);
    CHECK(!orbit->trouble.empty());
}
