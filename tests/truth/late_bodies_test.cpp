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

/// A ball falls between three round pegs, elastic; on a shelf far below lie discs that it never meets.
std::string ball_between_pegs(int bystanders)
{
    std::string scene = R"toml(duration_s = 1.3
gravity_m_s2 = [0, -9.81]
[[material]]
name = "stuff"
restitution = 1
[[body]]
name = "ball"
shape = "disc"
radius_m = 0.1
position_m = [0.05, 1]
[[body]]
name = "shelf"
shape = "plane"
position_m = [0, -5]
[integrator]
time_step_s = 4e-3
)toml";
    const std::array<std::array<double, 2>, 3> pegs{{{-0.65, 0}, {0.65, 0}, {0, -0.9}}};
    for (std::size_t i = 0; i < pegs.size(); ++i)
        scene += fmt::format("[[body]]\nname = \"peg_{}\"\nshape = \"disc\"\nradius_m = 0.5\n"
                             "motion = \"fixed\"\nposition_m = [{}, {}]\n",
                             i, pegs[i][0], pegs[i][1]);
    for (int i = 0; i < bystanders; ++i)
        scene += fmt::format("[[body]]\nname = \"bystander_{}\"\nshape = \"disc\"\nradius_m = 0.1\n"
                             "position_m = [{}, -4.9]\n",
                             i, 5 + i);
    return scene;
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
std::string blade(double restitution, double h_s)
{
    return fmt::format(R"toml(duration_s = 0.3
gravity_m_s2 = [0, 0, 0]
[[material]]
name = "stuff"
restitution = {}
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
[integrator]
time_step_s = {}
)toml",
                       restitution, h_s);
}

/// Velocity of the ball after it: the front corner of the blade, at (1, 0.01) in its axes, is the first that
/// comes as near as the radius to the centre, and strikes along the line between the two.
std::array<double, 2> after_blade(double restitution)
{
    const double rate = 300, radius_m = 0.02;
    const auto corner = [&](double t_s) {
        const double c = std::cos(rate * t_s), s = std::sin(rate * t_s);
        // either end of the blade: the one that is in front
        const double side = c > 0 ? 1 : -1;
        return std::array{side * (c - 0.01 * s), side * (s + 0.01 * c)};
    };
    const auto apart_m = [&](double t_s) {
        const auto [x, y] = corner(t_s);
        return std::hypot(1.5 - 2 * t_s - x, -y) - radius_m;
    };
    double t_s = 0.2;
    while (apart_m(t_s) > 0) {
        t_s += 1e-8;
    }
    const auto [x, y] = corner(t_s);
    const std::array n{(1.5 - 2 * t_s - x) / radius_m, -y / radius_m};
    const double approach_m_s = n[0] * (-rate * y + 2) + n[1] * rate * x;
    const double jump_m_s = (1 + restitution) * approach_m_s;
    return {-2 + jump_m_s * n[0], jump_m_s * n[1]};
}

/// A disc of 0.1 m between two walls that leave 1 m to its centre, without friction or loss.
std::string disc_between_walls(double velocity_m_s, double h_s, double duration_s)
{
    return fmt::format(R"toml(duration_s = {}
gravity_m_s2 = [0, 0]
[[material]]
name = "stuff"
restitution = 1
[[body]]
name = "left"
shape = "polygon"
vertices_m = [[-0.1, -1], [0.1, -1], [0.1, 1], [-0.1, 1]]
motion = "fixed"
position_m = [-0.2, 0]
[[body]]
name = "right"
shape = "polygon"
vertices_m = [[-0.1, -1], [0.1, -1], [0.1, 1], [-0.1, 1]]
motion = "fixed"
position_m = [1.2, 0]
[[body]]
name = "disc"
shape = "disc"
radius_m = 0.1
position_m = [0.3, 0]
velocity_m_s = [{}, 0]
[integrator]
time_step_s = {}
)toml",
                       duration_s, velocity_m_s, h_s);
}

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

    // however short the jump is: against a ball that touches it, 0.4 m/s with 10 ms and 4000 m/s with 1 us
    for (const std::string h_s : {"1e-2", "1e-3", "1e-4"}) {
        CAPTURE(h_s);
        const Folder folder;
        const auto scene =
            folder.write("scene.toml", wall_and_ball("-0.5 + if(t > 0.50034, 0.004, 0)", -0.3));
        const json short_jump = run_of(scene, {"--set", "integrator.time_step_s=" + h_s});
        CHECK(short_jump["status"] == "uncertified");
        CHECK_FALSE(finding(short_jump, "path_jumps").is_null());
    }
    // also between two steps, where one ends before the jump by rounding and the next begins behind it
    const Folder between;
    const auto scene = between.write("scene.toml", wall_and_ball("-0.5 + if(t > 0.5003, 0.004, 0)", -0.3));
    CHECK(run_of(scene, {"--set", "integrator.time_step_s=1e-4"})["status"] == "uncertified");

    // where it meets nothing it may jump, and one that starts suddenly does not jump
    CHECK(run_of_bodies(wall_and_ball(jumps, 0.9))["status"] == "certified");
    const json pushed = run_of_bodies(wall_and_ball("-0.5 + max(0, t - 0.4567)", -0.1));
    CHECK(pushed["status"] == "certified");
    CHECK(pushed["diagnosis"].empty());
    CHECK(pushed["state"]["ball_x"]["q"].get<double>() ==
          doctest::Approx(-0.5 + 1 - 0.4567 + 0.2).epsilon(1e-3));
}

TEST_CASE("a blade strikes a ball with the velocity of its corner, or does not see how it strikes it")
{
    for (const double restitution : {0.0, 0.6}) {
        const auto exact = after_blade(restitution);
        for (const double h_s : {1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 5e-6}) {
            CAPTURE(restitution);
            CAPTURE(h_s);
            const json run = run_of_bodies(blade(restitution, h_s));
            if (run["status"] != "certified") {
                CHECK_FALSE(finding(run, "impact_not_resolved").is_null());
                continue;
            }
            // the normal is known to 0.1 rad, and of the corner's 300 m/s its sine counts: (1 + e) 30 m/s
            const auto& state = run["state"];
            CHECK(std::abs(state["ball_x"]["u"].get<double>() - exact[0]) < (1 + restitution) * 30);
            CHECK(std::abs(state["ball_y"]["u"].get<double>() - exact[1]) < (1 + restitution) * 30);
            // without friction it does not turn
            CHECK(std::abs(state["ball_k"]["q"].get<double>()) < 1e-9);
        }
    }
    CHECK_FALSE(finding(run_of_bodies(blade(0, 1e-3)), "impact_not_resolved").is_null());
    CHECK_FALSE(finding(run_of_bodies(blade(0, 1e-5)), "impact_not_resolved").is_null());
    CHECK_FALSE(finding(run_of_bodies(blade(0.6, 2e-5)), "impact_not_resolved").is_null());
    CHECK(run_of_bodies(blade(0, 5e-6))["status"] == "certified");
}

TEST_CASE("a disc that bounces to and fro loses its place impact by impact, and says so")
{
    int certified = 0, told = 0;
    for (const double velocity_m_s : {2.0736, 1.25, 0.9991}) {
        for (const double h_s : {1e-2, 1e-3}) {
            for (const int steps : {500, 4000}) {
                CAPTURE(velocity_m_s);
                CAPTURE(h_s);
                CAPTURE(steps);
                const json run = run_of_bodies(disc_between_walls(velocity_m_s, h_s, h_s * steps));
                const double phase = std::fmod(0.3 + velocity_m_s * h_s * steps, 2.0);
                const double exact = phase <= 1 ? phase : 2 - phase;
                if (run["status"] == "certified") {
                    ++certified;
                    CHECK(std::abs(run["state"]["disc_x"]["q"].get<double>() - exact) < 0.11);
                } else {
                    ++told;
                    CHECK_FALSE(finding(run, "impact_instants").is_null());
                }
            }
        }
    }
    CHECK(certified >= 3);
    CHECK(told >= 3);
}

TEST_CASE("what delays have done to a ball is told the same, whoever else is there without meeting it")
{
    // LE-23: the copy has the ball and the obstacles alone, where most bodies are others
    const json alone = run_of_bodies(ball_between_pegs(0)),
               among_others = run_of_bodies(ball_between_pegs(12));
    REQUIRE(contains(alone["diagnosis"].dump(), "every impact at its own instant"));
    CHECK(among_others["diagnosis"] == alone["diagnosis"]);
}

TEST_CASE("a body that flies away, and meets nothing, hides nothing of what delays have done to others")
{
    // (LE-18), (LE-23): lengths and energies are those of the bodies that have met, not those of a disc that
    // goes 400 m with 300 m/s; its energy is a thousand times theirs
    const std::string far = R"toml([[body]]
name = "far"
shape = "disc"
radius_m = 0.1
position_m = [50, 0]
velocity_m_s = [0, 300]
)toml";
    for (const std::string& scene : {ball_between_pegs(0), disc_between_walls(2.0736, 1e-2, 20)}) {
        const json alone = run_of_bodies(scene), beside = run_of_bodies(scene + far);
        CHECK(alone["status"] == "uncertified");
        REQUIRE_FALSE(finding(alone, "impact_instants").is_null());
        CHECK(beside["diagnosis"] == alone["diagnosis"]);
    }
    // and where nothing is wrong nothing is told
    CHECK(run_of_bodies(disc_between_walls(2.0736, 1e-2, 1) + far)["status"] == "certified");
}

TEST_CASE("delays of impacts of bodies are not forgotten when a run is resumed")
{
    const Folder folder;
    const auto scene = folder.write("scene.toml", disc_between_walls(2.0736, 1e-2, 20));
    const auto recording = folder.path("run.h5"), at_once = folder.path("whole.h5");
    const json whole = carom_program({"run", scene, "--json", "--no-svg", "-o", at_once}).json();
    CHECK(contains(whole["diagnosis"].dump(), "the delays add up"));
    CHECK(carom_program({"run", scene, "--json", "--no-svg", "-o", recording, "--set", "duration_s=1"})
              .json()["status"] == "certified");
    const json rest =
        carom_program({"resume", recording, "--json", "--no-svg", "--set", "duration_s=20"}).json();
    CHECK(rest["diagnosis"] == whole["diagnosis"]);
    CHECK(rest["state"] == whole["state"]);
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
