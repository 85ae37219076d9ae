#include "support.hpp"

#include <cmath>

using namespace carom::test;

TEST_CASE("a run ends at the instant when its until formula becomes zero, not at the end of a step")
{
    // thrown up with 5 m/s: z = 1 first where 5 t - 9.81 t^2/2 = 1
    const Folder folder;
    const auto scene = folder.write("throw.toml", R"toml(duration_s = 2
until = "z - 1"
[[coordinate]]
name = "z"
start = 0
start_velocity = 5
[lagrangian]
kinetic = "z'^2/2"
potential = "9.81*z"
)toml");
    const double exact_s = (5 - std::sqrt(25 - 2 * 9.81)) / 9.81;
    for (const std::string step : {"1e-1", "1e-2", "1e-3"}) {
        for (const std::string kind : {"moreau", "moreau_jean"}) {
            const auto run = run_of(
                scene, {"--set", "integrator.time_step_s=" + step, "--set", "integrator.kind=" + kind});
            // the scheme is exact for a constant force; the root to rounding
            CHECK(std::abs(run["time_s"].get<double>() - exact_s) < 1e-12);
            CHECK(std::abs(run["state"]["z"]["q"].get<double>() - 1) < 1e-11);
            CHECK(run["status"] == "certified");
        }
    }
}

TEST_CASE("a velocity that jumps past zero ends the run at its jump")
{
    const Folder folder;
    const auto scene = folder.write("bounce.toml", with(with(ball, "e = 0.0", "e = 0.5"), "duration_s = 1.0",
                                                        "duration_s = 1.0\nuntil = \"z' - 0.1\""));
    const auto run = run_of(scene);
    const double impact_s = std::sqrt(2 / 9.81);
    CHECK(std::abs(run["time_s"].get<double>() - impact_s) < 2e-3);
    CHECK(run["state"]["z"]["u"].get<double>() > 0.1);
}

TEST_CASE("values within a step are of second order where the motion is smooth")
{
    const Folder folder;
    const auto scene = folder.write("swing.toml", R"toml(duration_s = 1
[[coordinate]]
name = "x"
start = 1
[lagrangian]
kinetic = "x'^2/2"
potential = "8*x^2"
)toml");
    for (const double h : {0.02, 0.01}) {
        const auto run =
            run_of(scene, {"--set", "integrator.time_step_s=" + std::to_string(h), "--at", "0.777"});
        const auto at = run["probes"][0]["state"]["x"];
        // x = cos(4 t); the error of the scheme itself is (4 h)^2/24 of the phase
        CHECK(std::abs(at["q"].get<double>() - std::cos(4 * 0.777)) < 8 * h * h);
        CHECK(std::abs(at["u"].get<double>() + 4 * std::sin(4 * 0.777)) < 32 * h * h);
    }
}

TEST_CASE("values of bodies within a step are of second order as well")
{
    // a ball on a spring of 16 N/m, which turns freely about its axis: x = cos(4 t), the angle is 3 t
    const Folder folder;
    const auto scene = folder.write("ball.toml", R"toml(duration_s = 1
gravity_m_s2 = [0, 0, 0]
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
mass_kg = 1
position_m = [1, 0, 0]
angular_velocity_rad_s = [0, 0, 3]
[[load]]
body = "ball"
force_N = ["-16*ball_x", 0, 0]
)toml");
    for (const std::string kind : {"moreau", "moreau_jean"}) {
        for (const double h : {0.02, 0.01}) {
            const auto run = run_of(scene, {"--set", "integrator.time_step_s=" + std::to_string(h), "--set",
                                            "integrator.kind=" + kind, "--at", "0.777,0.3333"});
            for (const auto& at : run["probes"]) {
                const double t = at["time_s"];
                const auto& x = at["state"]["ball_x"];
                // within a step the velocity changes by up to 16 h: of first order it would be off by that
                CHECK(std::abs(x["q"].get<double>() - std::cos(4 * t)) < 8 * h * h);
                CHECK(std::abs(x["u"].get<double>() + 4 * std::sin(4 * t)) < 32 * h * h);
                const auto& turn = at["state"]["ball_k"];
                CHECK(std::abs(turn["q"].get<double>() - std::sin(1.5 * t)) < 8 * h * h);
                CHECK(std::abs(turn["u"].get<double>() - 1.5 * std::cos(1.5 * t)) < 8 * h * h);
            }
        }
    }
}

TEST_CASE("a clutch slips, locks and slips again, and says so with its name")
{
    // two discs of inertia 1 rub with at most 2 N m: speeds meet at 0.5 rad/s after 0.25 s; from 0.6 s on a
    // drive of 6 N m on one of them asks for 3 of the clutch, more than it holds
    const Folder folder;
    const auto scene = folder.write("clutch.toml", R"toml(duration_s = 1
[[coordinate]]
name = "a"
start = 0
start_velocity = 1
[[coordinate]]
name = "b"
start = 0
[lagrangian]
kinetic = "(a'^2 + b'^2)/2"
forces = { a = "6*if(t > 0.6, 1, 0)" }
[[constraint]]
name = "clutch"
velocity = ["a' - b'"]
law = { kind = "limited", limit = 2 }
)toml");
    const auto outcome = carom_program({"run", scene, "--json"});
    CAPTURE(outcome.err);
    const auto run = outcome.json();
    REQUIRE(run["events"].size() == 3);
    const std::vector<std::string> kinds = {"slip", "lock", "slip"}, after = {"slip", "hold", "slip"};
    const std::vector<double> times = {0, 0.25, 0.6};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto& event = run["events"][i];
        CHECK(event["kind"] == kinds[i]);
        CHECK(event["constraint"] == "clutch");
        CHECK(event["status_after"] == after[i]);
        CHECK(std::abs(event["time_s"].get<double>() - times[i]) < 2e-3);
    }
}

TEST_CASE("slip that turns round is an event, with its sign")
{
    // a puck on a belt that swings: the sliding velocity changes its sign without sticking
    const Folder folder;
    const auto scene = folder.write("belt.toml", R"toml(duration_s = 1
[[coordinate]]
name = "x"
start = 0
start_velocity = 0.01
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[contact]]
name = "belt"
gap = "y"
sliding = ["x' - 2*sin(12*t)"]
law = { kind = "coulomb", friction = 0.05 }
)toml");
    const auto run = run_of(scene);
    int slips = 0;
    double last = 0;
    for (const auto& event : run["events"]) {
        if (event["kind"] != "slip") continue;
        ++slips;
        const double now = event["velocity_after_m_s"].get<double>();
        CHECK(now * last <= 0);
        last = now;
    }
    // sin(12 t) changes its sign at 0.26, 0.52 and 0.79 s, and the puck hardly moves
    CHECK(slips >= 4);
}

TEST_CASE("a formula that is zero at the start ends the run where it becomes zero from below, not before")
{
    // x = sin(2 t)/2: x rises from zero, falls through it at pi/2 and comes back from below at pi
    const Folder folder;
    const auto coordinate = folder.write("coordinate.toml", R"toml(duration_s = 5
until = "way*x"
[parameters]
way = 1
[[coordinate]]
name = "x"
start = 0
start_velocity = 1
[lagrangian]
kinetic = "x'^2/2"
potential = "2*x^2"
)toml");
    const auto ball_on_spring = folder.write("body.toml", R"toml(duration_s = 5
until = "way*ball_x"
gravity_m_s2 = [0, 0, 0]
[parameters]
way = 1
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
mass_kg = 1
velocity_m_s = [1, 0, 0]
[[load]]
body = "ball"
force_N = ["-4*ball_x", 0, 0]
)toml");
    const double pi = std::acos(-1.0);
    const auto ends_at = [](const nlohmann::json& run, double exact_s, double tolerance_s) {
        CHECK(run["status"] == "certified");
        CHECK(std::abs(run["time_s"].get<double>() - exact_s) < tolerance_s);
    };
    for (const int sign : {1, -1}) {
        const double exact_s = sign > 0 ? pi : pi / 2;
        const std::string set = "parameters.way=" + std::to_string(sign);
        for (const std::string kind : {"moreau", "moreau_jean"}) {
            // the period is off by (2 h)^2/24 of it at most by a factor of two
            for (const double h : {1e-2, 1e-3}) {
                for (const auto& scene : {coordinate, ball_on_spring}) {
                    const auto run = run_of(scene, {"--set", set, "--set", "integrator.kind=" + kind, "--set",
                                                    "integrator.time_step_s=" + std::to_string(h)});
                    ends_at(run, exact_s, 2 * h * h);
                }
            }
        }
        // by series: the root of a series, and of a formula in pieces by its values; of all reports
        for (const std::string until : {"way*x", "min(way*x, 1)", "way*x*(1 - x^2)"}) {
            for (const std::string step : {"5", "0.7", "0.01"}) {
                const auto run =
                    run_of(coordinate, {"--set", set, "--set", "until=" + until, "--set",
                                        "integrator.kind=series", "--set", "integrator.time_step_s=" + step});
                ends_at(run, exact_s, 1e-11);
            }
        }
    }
}

TEST_CASE("a formula that is zero at the start but for rounding has yet to cross as well")
{
    // cos(pi/2) is 6e-17 and cos(3 pi/2) is -2e-16: an angle that turns with 1 rad/s from there
    const Folder folder;
    const auto scene = folder.write("turn.toml", R"toml(duration_s = 8
until = "cos(x)"
[parameters]
from = 1
[[coordinate]]
name = "x"
start = "from*pi/2"
start_velocity = 1
[lagrangian]
kinetic = "x'^2/2"
)toml");
    const double pi = std::acos(-1.0);
    for (const int from : {1, 3}) {
        const double exact_s = from == 1 ? pi : 2 * pi;
        for (const std::string kind : {"moreau", "moreau_jean", "series"}) {
            const auto run = run_of(scene, {"--set", "parameters.from=" + std::to_string(from), "--set",
                                            "integrator.kind=" + kind});
            CHECK(std::abs(run["time_s"].get<double>() - exact_s) < 1e-11);
        }
    }
}

TEST_CASE("a formula that stays zero does not end the run, one that is positive at the start does at once")
{
    const Folder folder;
    const auto scene = folder.write("rest.toml", R"toml(duration_s = 0.5
until = "x"
[[coordinate]]
name = "x"
start = 0
[[coordinate]]
name = "y"
start_velocity = 1
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
)toml");
    for (const std::string kind : {"moreau", "moreau_jean", "series"}) {
        CHECK(run_of(scene, {"--set", "integrator.kind=" + kind})["time_s"] == 0.5);
        CHECK(run_of(scene, {"--set", "integrator.kind=" + kind, "--set", "until=x+1e-9"})["time_s"] == 0);
    }
}

TEST_CASE("an impact ends the run by its velocity after a formula that began above zero")
{
    // z' is positive from the start, falls, and becomes positive again by the impact on the floor, 2 v/g later
    const Folder folder;
    const auto scene = folder.write("floor.toml", R"toml(duration_s = 2
until = "z'"
[[coordinate]]
name = "z"
start = 0
start_velocity = 4.905
[lagrangian]
kinetic = "z'^2/2"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "z"
law = { kind = "unilateral", restitution = 0.5 }
)toml");
    CHECK(run_of(scene)["time_s"] == 0);
    for (const std::string step : {"2", "0.1"}) {
        const auto run =
            run_of(scene, {"--set", "until=z'-4.905", "--set", "integrator.kind=series", "--set",
                           "integrator.time_step_s=" + step, "--set", "contact.floor.law.restitution=1"});
        CHECK(std::abs(run["time_s"].get<double>() - 1) < 1e-12);
    }
}
