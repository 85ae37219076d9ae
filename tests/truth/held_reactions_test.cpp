// Friction that sticks, and limited reactions that hold, do no work in theory (LE-26). Moreau's scheme holds them to
// U+ = 0 at the midpoint of the step, which takes a little energy in every step of a rotation.

#include "support.hpp"

#include <fmt/format.h>

#include <string>

using namespace carom::test;
namespace {

using nlohmann::json;

json run_scene(const std::string& scene)
{
    const Folder folder;
    return run_of(folder.write("scene.toml", scene));
}

/// A box rides on a turntable at half a metre, 5 rad/s; a coefficient of 1.5 holds it up to 5.4 rad/s.
std::string box_on_turntable(double h_s, double duration_s, double friction = 1.5)
{
    return fmt::format(R"toml(duration_s = {}
[[material]]
name = "stuff"
friction = {}
[[body]]
name = "table"
shape = "cylinder"
motion = "prescribed"
radius_m = 3
length_m = 0.2
position_m = [0, 0, -0.1]
rotation_rad = [0, 0, "5*t"]
[[body]]
name = "box"
shape = "box"
size_m = [0.1, 0.1, 0.05]
mass_kg = 3
position_m = [0.5, 0, 0.025]
velocity_m_s = [0, 2.5, 0]
angular_velocity_rad_s = [0, 0, 5]
[integrator]
time_step_s = {}
)toml",
                       duration_s, friction, h_s);
}

/// A skate: its edge holds it sideways, by a reaction with a limit that is never reached.
std::string skate(double h_s, const std::string& law)
{
    return fmt::format(R"toml(duration_s = 4
[[coordinate]]
name = "x"
start = 0
start_velocity = 2
[[coordinate]]
name = "y"
start = 0
[[coordinate]]
name = "a"
start = 0
start_velocity = 10
unit = "rad"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2 + 0.05*a'^2"
[[constraint]]
name = "edge"
velocity = ["x'*sin(a) - y'*cos(a)"]
{}
[integrator]
time_step_s = {}
)toml",
                       law, h_s);
}

/// A bead on an arm that turns freely, held by the motor of its slide.
std::string held_bead(double h_s)
{
    return fmt::format(R"toml(duration_s = 4
gravity_m_s2 = [0, 0, 0]
[[body]]
name = "arm"
shape = "none"
mass_kg = 1
inertia_kg_m2 = [0.1, 0.1, 0.1]
angular_velocity_rad_s = [0, 0, 10]
[[body]]
name = "bead"
shape = "none"
mass_kg = 1
inertia_kg_m2 = [0.01, 0.01, 0.01]
position_m = [0.5, 0, 0]
velocity_m_s = [0, 5, 0]
angular_velocity_rad_s = [0, 0, 10]
[[joint]]
name = "pin"
first = "arm"
[[joint]]
name = "slide"
kind = "prismatic"
first = "bead"
second = "arm"
axis = [1, 0, 0]
slide = {{ motor_m_s = "0" }}
[integrator]
time_step_s = {}
)toml",
                       h_s);
}

double kinetic_change_J(const json& run)
{
    return run["certificate"]["energy"]["kinetic_J"].get<double>();
}

}  // namespace

TEST_CASE("friction that sticks does no work: what the scheme takes is in the line of corrections")
{
    const json run = run_scene(box_on_turntable(1e-3, 2));
    // three kilograms at 2.5 m/s; the box creeps outwards, where the table is faster
    const double taken_J = run["certificate"]["energy"]["correction_J"].get<double>();
    CHECK(std::abs(run["certificate"]["energy"]["friction_J"].get<double>()) < 1e-9);
    CHECK(taken_J < -0.1);
    CHECK(run["status"] == "certified");
    // the error is of first order in the step
    const double half_J =
        run_scene(box_on_turntable(5e-4, 2))["certificate"]["energy"]["correction_J"].get<double>();
    CHECK(half_J / taken_J == doctest::Approx(0.5).epsilon(0.1));
}

TEST_CASE("a step too long for what turns and is held by friction or limited reactions costs the certificate")
{
    CHECK(run_scene(box_on_turntable(1e-2, 10, 3))["status"] == "uncertified");
    CHECK(finding(run_scene(box_on_turntable(1e-2, 10, 3)), "step_too_long") != nullptr);
    CHECK(finding(run_scene(held_bead(1e-2)), "step_too_long") != nullptr);
    const std::string limited = "law = { kind = \"limited\", limit = 1e3 }";
    CHECK(finding(run_scene(skate(1e-2, limited)), "step_too_long") != nullptr);
    // a firm edge keeps its mean velocity, and loses nothing (CO-3)
    const json firm = run_scene(skate(1e-2, ""));
    CHECK(firm["status"] == "certified");
    CHECK(std::abs(kinetic_change_J(firm)) < 1e-6);
    // and what slides rubs: its work stays friction
    const json sliding = run_scene(box_on_turntable(1e-3, 2, 0.3));
    CHECK(sliding["certificate"]["energy"]["friction_J"].get<double>() < -0.1);
}
