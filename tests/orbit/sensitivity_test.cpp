#include "support.hpp"

#include "carom/orbit/lyapunov.hpp"

using namespace carom;
using test::read;
using test::with;

namespace {

/// A ball on a parabola, elastic: canonical momenta are the velocities.
const std::string parabola = R"toml(
title = "parabola"
duration_s = 110
[[coordinate]]
name = "x"
start = 0.1
start_velocity = 0.2
[[coordinate]]
name = "y"
start = 1.0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[contact]]
name = "curve"
position = ["x", "y"]
surface = "y - 0.1*x^2"
law = { restitution = 1 }
)toml";

const std::string driven_oscillator = R"toml(
title = "oscillator"
duration_s = 10
[parameters]
w = 2.2
F = 1.0
sigma = 0.0
e = 0.8
[[coordinate]]
name = "x"
start = -1.5
start_velocity = 1.6
[lagrangian]
kinetic = "x'^2/2"
potential = "x^2/2"
forces = { x = "F*cos(w*(t + 0.5))" }
[[contact]]
name = "stop"
gap = "sigma - x"
law = { restitution = "e" }
)toml";

}  // namespace

TEST_CASE("two equal elastic balls exchange what they carry: the gradient of the second one is (1, 0, 1, 0)")
{
    SensitivityOptions options;
    options.by = {"coordinate.a.start", "coordinate.b.start", "coordinate.a.start_velocity",
                  "coordinate.b.start_velocity"};
    const auto scene = read_scene(std::string(CAROM_SOURCE_DIR) + "/scenes/two_balls.toml");
    REQUIRE(scene);
    const auto result = sensitivities(*scene, options);
    REQUIRE(result);
    const Eigen::RowVector4d gradient = result->states.back().dq.row(1);
    const Eigen::RowVector4d expected(1, 0, 1, 0);
    CHECK((gradient - expected).cwiseAbs().maxCoeff() <= 4 * 2.3e-16);
}

TEST_CASE("elastic impacts are symplectic, also after a hundred of them")
{
    SensitivityOptions options;
    options.by = {"coordinate.x.start", "coordinate.y.start", "coordinate.x.start_velocity",
                  "coordinate.y.start_velocity"};
    const auto result = sensitivities(read(parabola), options);
    REQUIRE(result);
    REQUIRE(!result->lost);
    long impacts = 0;
    for (const SensitiveEvent& one : result->events) {
        impacts += one.event.kind == EventKind::Impact ? 1 : 0;
    }
    CHECK(impacts >= 100);
    Eigen::Matrix4d M, J = Eigen::Matrix4d::Zero();
    M << result->states.back().dq, result->states.back().du;
    J.topRightCorner(2, 2).setIdentity();
    J.bottomLeftCorner(2, 2) = -Eigen::Matrix2d::Identity();
    const double defect = (M.transpose() * J * M - J).cwiseAbs().maxCoeff();
    CHECK(defect <= 1e-12 * std::max(1.0, M.cwiseAbs2().maxCoeff()));
}

TEST_CASE("derivatives are limits of differences, through impacts and by a parameter inside a parameter")
{
    const std::string text = driven_oscillator;
    SensitivityOptions options;
    options.by = {"parameters.w", "parameters.e"};
    const auto at = [&](const char* path, double value) {
        const std::array<Override, 1> set{Override{path, std::to_string(value)}};
        auto scene = read_scene_text(text, "test", set);
        REQUIRE(scene);
        SensitivityOptions none;
        none.by = {"parameters.F"};
        const auto result = sensitivities(*scene, none);
        REQUIRE(result);
        return result->states.back().q[0];
    };
    const auto result = sensitivities(read(text), options);
    REQUIRE(result);
    // central differences of second order: their error is some 1e-8
    CHECK(result->states.back().dq(0, 0) ==
          doctest::Approx((at("parameters.w", 2.2001) - at("parameters.w", 2.1999)) / 2e-4).epsilon(1e-5));
    CHECK(result->states.back().dq(0, 1) ==
          doctest::Approx((at("parameters.e", 0.8001) - at("parameters.e", 0.7999)) / 2e-4).epsilon(1e-5));
}

TEST_CASE("what the scene does not have is named")
{
    SensitivityOptions options;
    options.by = {"parameters.omega", "coordinate.z.start", "nothing"};
    const auto result = sensitivities(read(driven_oscillator), options);
    REQUIRE(!result);
    CHECK(result.error().size() == 2);
    options.by = {"parameters.omega"};
    const auto other = sensitivities(read(driven_oscillator), options);
    REQUIRE(!other);
    CHECK(other.error().front().code == ErrorCode::UnknownName);
}

TEST_CASE("a period that is none of the forcing is refused, and so is a section of a driven system")
{
    OrbitOptions options;
    options.period = "2";
    const auto wrong = find_orbit(read(driven_oscillator), options);
    REQUIRE(!wrong);
    CHECK(wrong.error().front().where == "--period");
    options.period.clear();
    options.section = "x'";
    CHECK(!find_orbit(read(driven_oscillator), options));
}

TEST_CASE("a section inside the phase of stick gives the orbit that one inside the phase of slip gives")
{
    // the spring alone tells one state of stick from another: through a section none is left
    const Scene belt = read(R"(
        duration_s = 12
        [[coordinate]]
        name = "s"
        start = 0
        start_velocity = 0.2
        [[coordinate]]
        name = "height"
        start = 0
        [lagrangian]
        kinetic = "(s'^2 + height'^2)/2"
        potential = "5*s^2 + 10*height"
        [[contact]]
        name = "belt"
        position = ["s", "height"]
        surface = "y"
        obstacle_velocity = ["0.2", "0"]
        law = { kind = "coulomb", friction = 0.25, static_friction = 0.4 }
        [integrator]
        kind = "series"
        )");
    OrbitOptions sliding, sticking;
    sliding.section = "-s'";
    sticking.section = "s - 0.1";
    const auto one = find_orbit(belt, sliding), other = find_orbit(belt, sticking);
    REQUIRE(one);
    REQUIRE(other);
    REQUIRE(other->converged);
    CHECK(other->period_s == doctest::Approx(one->period_s).epsilon(1e-12));
    CHECK(other->section_multipliers.empty());
    CHECK(other->stable);
}

TEST_CASE("the one-impact orbit of the oscillator: its multipliers have the product e^2")
{
    OrbitOptions options;
    options.period = "2*pi/w";
    const auto orbit = find_orbit(read(driven_oscillator), options);
    REQUIRE(orbit);
    REQUIRE(orbit->converged);
    CHECK(orbit->period_s == doctest::Approx(2 * std::numbers::pi / 2.2).epsilon(1e-14));
    const auto product = orbit->multipliers[0] * orbit->multipliers[1];
    CHECK(product.real() == doctest::Approx(0.64).epsilon(1e-10));
    CHECK(orbit->stable);
}

TEST_CASE("a stop that is only just touched: the instant goes with the root, and this is said")
{
    // the motion without impacts has the amplitude 1/(2.2^2 - 1); a stop exactly there
    const double sigma = 1 / (2.2 * 2.2 - 1);
    std::string text = driven_oscillator;
    text.replace(text.find("sigma = 0.0"), 11, "sigma = " + std::to_string(sigma * 1.05));
    OrbitOptions options;
    options.period = "2*pi/w";
    BranchOptions branch;
    branch.orbit = options;
    branch.over = "F";
    branch.low = 0.5;
    branch.high = 2;
    std::string free = text;
    free.replace(free.find("start = -1.5"), 12, "start = -0.2");
    free.replace(free.find("start_velocity = 1.6"), 20, "start_velocity = 0.3");
    const auto found = follow_branch(read(free), branch);
    REQUIRE(found);
    REQUIRE(!found->special.empty());
    CHECK(found->special.back().kind == "grazing");
    // sigma was rounded to six digits: so is the force at which it grazes
    CHECK(found->special.back().value == doctest::Approx(1.05).epsilon(2e-5));
}

TEST_CASE(
    "a block that rests on a floor has no derivative by its height, but one by its place and by friction")
{
    const std::string text = R"toml(
title = "block"
duration_s = 2
[parameters]
mu = 0.3
[[coordinate]]
name = "x"
start = 0
start_velocity = 1
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "10*y"
[[contact]]
name = "floor"
position = ["x", "y"]
surface = "y"
law = { kind = "coulomb", friction = "mu" }
)toml";
    SensitivityOptions options;
    options.by = {"coordinate.y.start"};
    const auto off = sensitivities(read(text), options);
    REQUIRE(off);
    REQUIRE(off->lost);
    CHECK(off->lost->kind == "start");
    CHECK(off->states.back().dq.size() == 0);

    // it stops after v^2/(2 mu g): derivatives 1, v/(mu g) and -v^2/(2 mu^2 g)
    options.by = {"coordinate.x.start", "coordinate.x.start_velocity", "parameters.mu"};
    const auto on = sensitivities(read(text), options);
    REQUIRE(on);
    REQUIRE(!on->lost);
    const Eigen::RowVector3d slopes = on->states.back().dq.row(0);
    CHECK(slopes[0] == doctest::Approx(1).epsilon(1e-13));
    CHECK(slopes[1] == doctest::Approx(1 / (0.3 * 10)).epsilon(1e-12));
    CHECK(slopes[2] == doctest::Approx(-1 / (2 * 0.09 * 10)).epsilon(1e-12));
    CHECK(on->states.back().du.cwiseAbs().maxCoeff() <= 1e-14);
}

TEST_CASE("a ball that comes to rest by infinitely many bounces rests whatever its height was")
{
    const std::string text = R"toml(
title = "ball"
duration_s = 6
[parameters]
e = 0.8
[[coordinate]]
name = "z"
start = 1
[lagrangian]
kinetic = "z'^2/2"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "z"
law = { restitution = "e" }
)toml";
    SensitivityOptions options;
    options.by = {"coordinate.z.start", "parameters.e"};
    const auto result = sensitivities(read(text), options);
    REQUIRE(result);
    REQUIRE(!result->lost);
    CHECK(result->states.back().dq.cwiseAbs().maxCoeff() <= 1e-12);
    CHECK(result->states.back().du.cwiseAbs().maxCoeff() <= 1e-12);
}

TEST_CASE(
    "slip that begins at once from rest: the force has a derivative, a velocity along the slip has none")
{
    const std::string text = R"toml(
title = "pushed"
duration_s = 1
[parameters]
f = 7
v0 = 0
[[coordinate]]
name = "x"
start = 0
start_velocity = "v0"
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
forces = { x = "f" }
[[contact]]
name = "floor"
position = ["x", "y"]
surface = "y"
law = { kind = "coulomb", friction = 0.5 }
)toml";
    const auto by_force = sensitivities(read(text), {.by = {"parameters.f"}});
    REQUIRE(by_force);
    REQUIRE(!by_force->lost);
    CHECK(by_force->states.back().dq(0, 0) == doctest::Approx(0.5).epsilon(1e-14));
    // v0 > 0 moves x(1) by v0, v0 < 0 by v0 (f - mu g)/(f + mu g)
    const auto by_speed = sensitivities(read(text), {.by = {"parameters.v0"}});
    REQUIRE(by_speed);
    REQUIRE(by_speed->lost);
    CHECK(by_speed->lost->kind == "start");
    // with slip already there it has one, and so has a floor without friction
    CHECK(!sensitivities(read(with(text, {{"v0 = 0", "v0 = 0.1"}})), {.by = {"parameters.v0"}})->lost);
    CHECK(!sensitivities(read(with(text, {{"friction = 0.5", "friction = 0"}})), {.by = {"parameters.v0"}})
               ->lost);
}

TEST_CASE("a mass that is let go by its stop from rest: no grazing, and the derivative of its cubic")
{
    // rests while t < a, then x = (t - a)^3/6
    const std::string text = R"toml(
title = "let go"
duration_s = 3
[parameters]
a = 1
[[coordinate]]
name = "x"
start = 0
[lagrangian]
kinetic = "x'^2/2"
forces = { x = "t - a" }
[[contact]]
name = "stop"
gap = "x"
)toml";
    const auto result = sensitivities(read(text), {.by = {"parameters.a"}});
    REQUIRE(result);
    REQUIRE(!result->lost);
    CHECK(result->one_sided.empty());
    CHECK(result->states.back().dq(0, 0) == doctest::Approx(-2).epsilon(1e-12));
    CHECK(result->states.back().du(0, 0) == doctest::Approx(-2).epsilon(1e-12));
}

TEST_CASE(
    "on a plate that rises steadily impacts accumulate as on one at rest, at an instant with a closed form")
{
    const std::string text = R"toml(
title = "rising"
duration_s = 4
[parameters]
V = 0.7
e = 0.6
g = 9.81
[[coordinate]]
name = "z"
start = 0.5
start_velocity = 0.2
[lagrangian]
kinetic = "z'^2/2"
potential = "g*z"
[[contact]]
name = "plate"
gap = "z - V*t"
law = { restitution = "e" }
)toml";
    const auto limit = [](double V, double e, double g, double v) {
        const double r = v - V, strikes = std::sqrt(r * r + 2 * g * 0.5);
        return (r + strikes) / g + 2 * e * strikes / (g * (1 - e));
    };
    const auto result = sensitivities(
        read(text), {.by = {"parameters.V", "parameters.e", "parameters.g", "coordinate.z.start_velocity"}});
    REQUIRE(result);
    REQUIRE(!result->lost);
    const auto event = std::ranges::find_if(
        result->events, [](const SensitiveEvent& one) { return one.event.kind == EventKind::Accumulation; });
    REQUIRE(event != result->events.end());
    constexpr double h = 1e-4;
    const std::array<double, 4> at{0.7, 0.6, 9.81, 0.2};
    for (std::size_t j = 0; j < 4; ++j) {
        const auto moved = [&](double by) {
            auto x = at;
            x[j] += by;
            return limit(x[0], x[1], x[2], x[3]);
        };
        const double exact = (45 * (moved(h) - moved(-h)) - 9 * (moved(2 * h) - moved(-2 * h)) +
                              (moved(3 * h) - moved(-3 * h))) /
                             (60 * h);
        // the rounding of gaps over the speeds of the bounces that are used, and of the differences, 1e-16/h
        CHECK(event->dtime_s[static_cast<Eigen::Index>(j)] == doctest::Approx(exact).epsilon(1e-9));
    }
}

TEST_CASE("a motion that stays where a formula changes its piece has no derivative, unless both pieces agree")
{
    const auto from_rest = [](const std::string& force, const std::string& start = "0") {
        auto result = sensitivities(
            read("title = \"kink\"\nduration_s = 1\n[parameters]\nk = 1\n"
                 "[[coordinate]]\nname = \"q\"\nstart = " +
                 start + "\n[lagrangian]\nkinetic = \"q'^2/2\"\nforces = { q = \"" + force + "\" }\n"),
            {.by = {"coordinate.q.start", "coordinate.q.start_velocity", "parameters.k"}});
        REQUIRE(result);
        return *result;
    };
    // a spring on one side, a push on the other; roots and Ballard's two motions from one start
    for (const char* force : {"-k*abs(q)", "-k*max(q, 0)", "k*sqrt(abs(q))", "6*k*abs(q)^(1/3)"}) {
        CAPTURE(force);
        const Sensitivities result = from_rest(force);
        REQUIRE(result.lost);
        CHECK(result.lost->kind == "formula");
        CHECK(result.lost->time_s == 0);
        CHECK(result.states.back().dq.size() == 0);
    }
    // both sides are straight to first order: q = q_0 + v t
    const Sensitivities straight = from_rest("k*q*abs(q)");
    REQUIRE(!straight.lost);
    CHECK(straight.states.back().dq(0, 0) == 1);
    CHECK(straight.states.back().dq(0, 1) == doctest::Approx(1).epsilon(1e-15));
    // away from the kink
    const Sensitivities away = from_rest("-k*abs(q)", "1");
    REQUIRE(!away.lost);
    CHECK(away.states.back().dq(0, 0) == doctest::Approx(std::cos(1)).epsilon(1e-14));
}
