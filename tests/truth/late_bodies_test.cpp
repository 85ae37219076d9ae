// Late impacts and unresolved motions of bodies: the statements of late_impacts_test.cpp, with the same
// numbers where both kinds of scenes can be written.

#include "support.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

using namespace carom::test;
namespace {

using nlohmann::json;

json run_of_bodies(const std::string& scene)
{
    const Folder folder;
    return run_of(folder.write("scene.toml", scene));
}

/// A disc, pulled back by a spring, falls on a table that shakes.
std::string shaken_disc(double h_s)
{
    return fmt::format(R"toml(duration_s = 2.801344
gravity_m_s2 = [0, 0]
[[material]]
name = "stuff"
restitution = 0.3456
[[body]]
name = "table"
shape = "plane"
motion = "prescribed"
position_m = ["0", "0.008578*sin(21.19*t)"]
[[body]]
name = "disc"
shape = "disc"
radius_m = 0.1
mass_kg = 0.3207
position_m = [0, 0.2492]
velocity_m_s = [0, -2.971]
[[load]]
body = "disc"
force_N = [0, "-6.082*(disc_y - 0.1)"]
[integrator]
time_step_s = {}
)toml",
                       h_s);
}

/// A ball on a floor that a force of 12 sin(10 t) N lifts from t = asin(9.81/12)/10 = 0.0957 s on.
std::string lifted_ball(const std::string& shape, double duration_s, double h_s)
{
    return fmt::format(R"toml(duration_s = {}
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "ball"
{}
mass_kg = 1
position_m = [0, 0, 0.1]
velocity_m_s = [1, 0, 0]
[[load]]
body = "ball"
force_N = [0, 0, "12*sin(10*t)"]
[integrator]
time_step_s = {}
)toml",
                       duration_s, shape, h_s);
}

/// A ball on a spring of no length, 10 rad/s, is at 0.9 m after acos(0.9)/10 = 0.0451 s.
std::string swinging_ball(double h_s)
{
    return fmt::format(R"toml(duration_s = 1
until = "0.9 - ball_x"
gravity_m_s2 = [0, 0, 0]
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
mass_kg = 1
position_m = [1, 0, 0]
[[spring]]
first = "ball"
second_point_m = [0, 0, 0]
stiffness_N_m = 100
rest_length_m = 0
[integrator]
time_step_s = {}
)toml",
                       h_s);
}

/// Two balls on a spring, 1000 rad/s, at rest together but for what the spring does.
std::string stretched_balls(double stretched_m, double h_s)
{
    return fmt::format(R"toml(duration_s = 0.5
gravity_m_s2 = [0, 0, 0]
[[body]]
name = "a"
shape = "sphere"
radius_m = 0.1
mass_kg = 1
position_m = [0, 0, 0]
velocity_m_s = [5, 0, 0]
[[body]]
name = "b"
shape = "sphere"
radius_m = 0.1
mass_kg = 1
position_m = [{}, 0, 0]
velocity_m_s = [5, 0, 0]
[[spring]]
first = "a"
second = "b"
stiffness_N_m = 5e5
rest_length_m = 1
[integrator]
kind = "moreau_jean"
time_step_s = {}
)toml",
                       1 + stretched_m, h_s);
}

/// The same spring, a thousand times too stiff for the step, throws its balls through each other.
constexpr const char* thrown_balls = R"toml(duration_s = 0.02
[[body]]
name = "a"
shape = "sphere"
radius_m = 0.1
mass_kg = 1
position_m = [0, 0, 0]
[[body]]
name = "b"
shape = "sphere"
radius_m = 0.1
mass_kg = 1
position_m = [1.1, 0, 0]
[[spring]]
first = "a"
second = "b"
stiffness_N_m = 1e9
rest_length_m = 1
)toml";

/// A ball thrown on a rough floor reaches it at sqrt(2/9.81) = 0.451524 s.
std::string first_step(double line_m)
{
    return fmt::format(R"toml(duration_s = 2
until = "ball_x - {}"
[[material]]
name = "stuff"
restitution = 0.5
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
mass_kg = 1
position_m = [0, 0, 0.101]
velocity_m_s = [1, 0, -1]
[integrator]
time_step_s = 0.01
)toml",
                       line_m);
}

/// A rod with a mass at each end falls nearly flat on two feet between them: the right one strikes a moment
/// after the left one and throws it up. Written with a constraint, and as discs that joints hold together.
std::string falling_rod(double h_s)
{
    return fmt::format(R"toml(duration_s = 0.2
coordinate = [ {{ name = "x", start = 0 }}, {{ name = "z", start = 0.1 }}, {{ name = "X", start = "sqrt(1 - 1e-8)" }}, {{ name = "Z", start = 0.1001 }} ]
[lagrangian]
kinetic = "(x'^2 + z'^2 + X'^2 + Z'^2)/2"
potential = "9.81*(z + Z)"
[[constraint]]
name = "rod"
zero = ["hypot(X - x, Z - z) - 1"]
[[contact]]
name = "left"
gap = "0.7*z + 0.3*Z"
[[contact]]
name = "right"
gap = "0.3*z + 0.7*Z"
[integrator]
time_step_s = {}
)toml",
                       h_s);
}

std::string falling_discs(double h_s)
{
    std::string scene = fmt::format(R"toml(duration_s = 0.2
[integrator]
time_step_s = {}
[[body]]
name = "floor"
shape = "plane"
)toml",
                                    h_s);
    constexpr std::array x_m{0.0, 0.3, 0.7, 1.0}, radii_m{0.02, 0.05, 0.05, 0.02},
        masses_kg{1.0, 0.01, 0.01, 1.0};
    for (std::size_t i = 0; i < 4; ++i) {
        scene += fmt::format(R"toml([[body]]
name = "d{}"
shape = "disc"
radius_m = {}
mass_kg = {}
position_m = [{}, {}]
)toml",
                             i, radii_m[i], masses_kg[i], x_m[i], 0.15 + 1e-4 * x_m[i]);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        scene += fmt::format(R"toml([[joint]]
name = "j{}"
kind = "fixed"
first = "d{}"
second = "d{}"
point_m = [{}, 0.15]
)toml",
                             i, i, i + 1, x_m[i]);
    }
    return scene;
}

/// A wall on a path that is a formula, and a ball.
std::string wall_and_ball(const std::string& path, double ball_m)
{
    return fmt::format(R"toml(duration_s = 1
gravity_m_s2 = [0, 0, 0]
[[body]]
name = "wall"
shape = "box"
size_m = [0.2, 2, 2]
motion = "prescribed"
position_m = ["{}", "0", "0"]
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
position_m = [{}, 0, 0]
)toml",
                       path, ball_m);
}

/// A blade that turns 48 times a second meets a ball; in a step of 1 ms it turns by 0.3 rad.
constexpr const char* blade = R"toml(duration_s = 0.3
gravity_m_s2 = [0, 0, 0]
[[body]]
name = "blade"
shape = "box"
size_m = [2, 0.02, 0.1]
motion = "prescribed"
position_m = ["0", "0", "0"]
rotation_rad = ["0", "0", "300*t"]
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.02
position_m = [1.5, 0, 0]
velocity_m_s = [-2, 0, 0]
)toml";

}  // namespace

TEST_CASE(
    "ends of a rod that strike one after the other within a step are named, held by constraint or joint")
{
    for (const bool as_bodies : {false, true}) {
        CAPTURE(as_bodies);
        const auto rod = [&](double h_s) { return as_bodies ? falling_discs(h_s) : falling_rod(h_s); };
        const json together = run_of_bodies(rod(1e-3));
        CHECK(together["status"] == "uncertified");
        CHECK_FALSE(finding(together, "impact_order").is_null());
        CHECK(finding(run_of_bodies(rod(1e-5)), "impact_order").is_null());
    }
}

TEST_CASE("a wall that jumps over a ball throws it as fast as the step is short: no certificate")
{
    const std::string jumps = "if(t > 0.5, 0.5, -0.5)";
    const json run = run_of_bodies(wall_and_ball(jumps, 0.3));
    CHECK(run["status"] == "uncertified");
    const auto found = finding(run, "path_jumps");
    REQUIRE_FALSE(found.is_null());
    CHECK(found["time_s"].get<double>() == doctest::Approx(0.5).epsilon(1e-6));

    // where it meets nothing it may jump, and one that starts suddenly does not jump
    CHECK(run_of_bodies(wall_and_ball(jumps, 0.9))["status"] == "certified");
    const json pushed = run_of_bodies(wall_and_ball("-0.5 + max(0, t - 0.4567)", -0.1));
    CHECK(pushed["status"] == "certified");
    CHECK(pushed["diagnosis"].empty());
    CHECK(pushed["state"]["ball_x"]["q"].get<double>() ==
          doctest::Approx(-0.5 + 1 - 0.4567 + 0.2).epsilon(1e-3));
}

TEST_CASE("a blade that turns too far in the step that meets a ball does not see how it strikes it")
{
    const json run = run_of_bodies(blade);
    CHECK(run["status"] == "uncertified");
    CHECK_FALSE(finding(run, "impact_not_resolved").is_null());
}

TEST_CASE(
    "a disc that bounces on a shaking table later than it should is not certified, with short steps it is")
{
    const json late = run_of_bodies(shaken_disc(0.006734));
    CHECK(late["status"] == "uncertified");
    CHECK_FALSE(finding(late, "impact_instants").is_null());
    CHECK(run_of_bodies(shaken_disc(5e-5))["status"] == "certified");
}

TEST_CASE("bodies that leave each other within the last step, unseen, cost the certificate")
{
    for (const char* shape :
         {"shape = \"sphere\"\nradius_m = 0.1", "shape = \"box\"\nsize_m = [0.2, 0.2, 0.2]"}) {
        CAPTURE(std::string(shape));
        const json left = run_of_bodies(lifted_ball(shape, 0.1, 0.01));
        CHECK(left["status"] == "uncertified");
        CHECK_FALSE(finding(left, "unseen_loss").is_null());
        // before it leaves, and where steps have seen it leave
        CHECK(run_of_bodies(lifted_ball(shape, 0.09, 0.01))["status"] == "certified");
        CHECK(run_of_bodies(lifted_ball(shape, 0.1, 1e-3))["status"] == "certified");
    }
}

TEST_CASE("a run of bodies that ends within its first step is certified only if the step is exact")
{
    const json one = run_of_bodies(swinging_ball(0.1));
    CHECK(one["status"] == "uncertified");
    CHECK_FALSE(finding(one, "step_too_long").is_null());
    const json several = run_of_bodies(swinging_ball(0.004));
    CHECK(several["status"] == "certified");
    CHECK(several["time_s"].get<double>() == doctest::Approx(std::acos(0.9) / 10).epsilon(1e-3));

    // something is struck in the first step: no longer step shows where
    CHECK(run_of_bodies(first_step(0.005))["status"] == "uncertified");
    CHECK(run_of_bodies(first_step(0.0005))["status"] == "certified");
}

TEST_CASE(
    "an oscillation of bodies that an implicit step passes over is not certified, whatever its energy is")
{
    const json coarse = run_of_bodies(stretched_balls(0.1, 0.01));
    CHECK(coarse["status"] == "uncertified");
    CHECK(contains(finding(coarse, "step_too_long")["message"].get<std::string>(), "back and forth"));

    // sixty steps a period, and a spring that is not stretched: the balls only move on
    CHECK(run_of_bodies(stretched_balls(0.1, 1e-4))["status"] == "certified");
    CHECK(run_of_bodies(stretched_balls(0, 0.01))["status"] == "certified");
}

TEST_CASE("balls that a spring too stiff for the step throws through each other: the step is the reason")
{
    const json run = run_of_bodies(thrown_balls);
    CHECK(run["status"] == "uncertified");
    REQUIRE_FALSE(run["diagnosis"].empty());
    CHECK(run["diagnosis"][0]["code"] == "step_too_long");
    CHECK(contains(run["diagnosis"][0]["message"].get<std::string>(), "too long for this stiffness"));
}

TEST_CASE("a stack that stands is certified whatever the tolerance of the solver is")
{
    for (const char* tolerance : {"1e-2", "1e-3", "1e-5", "1e-8"}) {
        CAPTURE(std::string(tolerance));
        const json run =
            run_of(defect("stack20_coarse"), {"--set", std::string("solver.tolerance=") + tolerance});
        CHECK(run["status"] == "certified");
        CHECK(run["diagnosis"].empty());
    }
}
