#include "support.hpp"

using namespace carom::test;

TEST_CASE("a rod whose sliding ends smoothly has no frictional catastrophe")
{
    for (const std::string step : {"1e-4", "5e-5"}) {
        const auto run = run_of(defect("rod_coordinates"), {"--set", "integrator.time_step_s=" + step});
        CHECK(run["status"] == "certified");
        CHECK(finding(run, "frictional_catastrophe").is_null());
        for (const auto& event : run["events"]) {
            // the power series stops at 0.01810504 s
            if (event["kind"] != "stick") continue;
            CHECK(std::abs(event["time_s"].get<double>() - 0.01810504) < 2 * std::stod(step));
        }
    }
}

TEST_CASE("the frictional catastrophe of Moreau's figure 15 is named, once")
{
    for (const std::string step : {"4e-4", "4.6e-4", "2e-4"}) {
        const auto run =
            run_of(shipped_scene("frictional_catastrophe"), {"--set", "integrator.time_step_s=" + step});
        CAPTURE(step);
        const auto found = finding(run, "frictional_catastrophe");
        REQUIRE(!found.is_null());
        CHECK(found["count"] == 1);
    }
}

TEST_CASE("a rod that slides into Painleve's singular point has no certificate, in coordinates and as a body")
{
    // at 20 m/s and 45 degrees; there the forces neither press nor lift, so that it may stop or leave, and from
    // step to step it does one or the other
    const std::string numbers = R"toml(duration_s = 0.03
[parameters]
l = 1
w = 0.005
angle = "pi/4"
)toml";
    const std::string coordinates = numbers + R"toml(
[[coordinate]]
name = "x"
start = 0
start_velocity = 20
[[coordinate]]
name = "y"
start = "l*sin(angle) + w*cos(angle)"
[[coordinate]]
name = "th"
start = "angle"
unit = "rad"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2 + (l^2 + w^2)/6*th'^2"
potential = "9.81*y"
[[contact]]
name = "tip"
position = ["x + l*cos(th) - w*sin(th)", "y - l*sin(th) - w*cos(th)"]
surface = "y"
law = { kind = "coulomb", friction = 1.6 }
)toml";
    const std::string body = numbers + R"toml(
[[material]]
name = "m"
friction = 1.6
[[body]]
name = "floor"
shape = "plane"
normal = [0, 1]
[[body]]
name = "rod"
shape = "polygon"
vertices_m = [["-l", "-w"], ["l", "-w"], ["l", "w"], ["-l", "w"]]
position_m = [0, "l*sin(angle) + w*cos(angle)"]
rotation_rad = ["-angle"]
velocity_m_s = [20, 0]
)toml";
    const Folder folder;
    for (const std::string& text : {coordinates, body}) {
        const auto scene = folder.write("rod.toml", text);
        for (const std::string step : {"2e-4", "1e-4", "5e-5", "2e-5"}) {
            CAPTURE(step);
            const auto run = run_of(scene, {"--set", "integrator.time_step_s=" + step});
            CHECK(run["status"] == "uncertified");
            const bool told = !finding(run, "frictional_catastrophe").is_null() ||
                              !finding(run, "several_continuations").is_null();
            CHECK(told);
        }
    }
}

TEST_CASE("a wedged contact that never moves has no frictional catastrophe")
{
    // pressed into a corner of friction: W_NN < mu |W_NT|, but nothing slides
    const Folder folder;
    const auto scene = folder.write("wedged.toml", R"toml(duration_s = 0.2
[[coordinate]]
name = "x"
start = 0
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2 + 0.8*x'*y'"
potential = "9.81*y"
[[contact]]
name = "wedge"
gap = "y"
sliding = ["x'"]
law = { kind = "coulomb", friction = 3.0 }
)toml");
    const auto run = run_of(scene);
    CHECK(finding(run, "frictional_catastrophe").is_null());
    CHECK(finding(run, "painleve").is_null());
}

TEST_CASE("a rod that cannot slide on from its start stops there, certified, whatever its step and its twin")
{
    // mu = 2.5 at 0.6 rad: W_NN < mu |W_NT|, and gravity presses (FR-6). The tip stops at once; a velocity of
    // the size of a rounding is no slip that has turned round
    const std::string numbers = R"toml(duration_s = 0.1
[parameters]
mu = 2.5
th0 = 0.6
)toml";
    const std::string coordinates = numbers + R"toml(
[[coordinate]]
name = "x"
start = 0
start_velocity = 5
[[coordinate]]
name = "y"
start = "sin(th0)"
[[coordinate]]
name = "th"
start = "th0"
unit = "rad"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2 + th'^2/6"
potential = "9.81*y"
[[contact]]
name = "tip"
position = ["x + cos(th)", "y - sin(th)"]
surface = "y"
law = { kind = "coulomb", friction = "mu" }
)toml";
    const std::string body = numbers + R"toml(
[[material]]
name = "m"
friction = "mu"
[[body]]
name = "floor"
shape = "plane"
material = "m"
normal = [0, 1]
motion = "fixed"
[[body]]
name = "rod"
shape = "polygon"
vertices_m = [[-1, -0.005], [1, -0.005], [1, 0.005], [-1, 0.005]]
position_m = [0, "sin(th0) + 0.005*cos(th0)"]
rotation_rad = ["-th0"]
velocity_m_s = [5, 0]
material = "m"
)toml";
    const Folder folder;
    for (const std::string& text : {coordinates, body}) {
        const auto scene = folder.write("rod.toml", text);
        for (const std::string step : {"1e-3", "5e-4", "2e-4", "1e-4"}) {
            const auto run = run_of(scene, {"--set", "integrator.time_step_s=" + step});
            CAPTURE(step);
            CHECK(run["status"] == "certified");
            CHECK(!finding(run, "no_continuation").is_null());
            CHECK(finding(run, "start_not_resolved").is_null());
        }
    }
}
