#include "support.hpp"

#include <fmt/format.h>

#include <cmath>

using namespace carom::test;

namespace {

/// A mass of 1 kg that starts 1 m from the rest length of a spring; a constant may be added to its energy.
std::string spring(double stiffness, double constant_J = 0)
{
    return fmt::format(R"(duration_s = 0.05
[[coordinate]]
name = "x"
start = 1
[lagrangian]
kinetic = "x'^2/2"
potential = "{}/2*x^2 + {}"
)",
                       stiffness, constant_J);
}

nlohmann::json certificate_run(const std::string& text, std::vector<std::string> settings = {})
{
    const Folder folder;
    std::vector<std::string> arguments;
    for (const std::string& setting : settings) {
        arguments.insert(arguments.end(), {"--set", setting});
    }
    return run_of(folder.write("scene.toml", text), arguments);
}

}  // namespace

TEST_CASE("an oscillation that a step cannot follow is not certified, and the step is named")
{
    const auto run = run_of(defect("stiff_spring"));
    CHECK(run["status"] == "uncertified");
    const auto found = finding(run, "step_too_long");
    REQUIRE_FALSE(found.is_null());
    CHECK(found["uncertifies"] == true);
    CHECK(found["time_s"] == doctest::Approx(1e-3).epsilon(1e-9));  // the very first step
    CHECK(contains(found["message"].get<std::string>(), "in step 1 the scheme created"));
    CHECK(contains(found["message"].get<std::string>(), "moreau_jean"));
}

TEST_CASE(
    "the judgement of a step depends on (h w)^2 alone: not on units, and not on the zero of the potential")
{
    // (h w)^2 / 4 is 0.0025, 1, 25: 60 steps a period, the limit of stability, beyond it
    for (const double constant : {0.0, -1e6, 1e9}) {
        CAPTURE(constant);
        CHECK(certificate_run(spring(1e4, constant))["status"] == "certified");
        CHECK(certificate_run(spring(4.4e6, constant))["status"] == "uncertified");
        CHECK(certificate_run(spring(1e8, constant))["status"] == "uncertified");
    }
    CHECK(certificate_run(spring(1e8), {"integrator.time_step_s=1e-5"})["status"] == "certified");
    CHECK(certificate_run(spring(1e8), {"integrator.kind=moreau_jean",
                                        "integrator.time_step_s=2e-5"})["status"] == "certified");
}

TEST_CASE("a spring written as a force is judged like one written as a potential")
{
    const std::string force = R"(duration_s = 0.05
[[coordinate]]
name = "x"
start = 1
[lagrangian]
kinetic = "x'^2/2"
forces = { x = "-k*x" }
[parameters]
k = 1e4
)";
    CHECK(certificate_run(force)["status"] == "certified");
    const auto run = certificate_run(force, {"parameters.k=1e8"});
    CHECK(run["status"] == "uncertified");
    CHECK_FALSE(finding(run, "step_too_long").is_null());
}

TEST_CASE("two bodies on a spring of 1e9 N/m: the step is too long, and a shorter one is not")
{
    const std::string bodies = R"(duration_s = 0.02
[[body]]
name = "a"
shape = "none"
inertia_kg_m2 = [0.004, 0.004, 0.004]
mass_kg = 1
position_m = [0, 0, 0]
[[body]]
name = "b"
shape = "none"
inertia_kg_m2 = [0.004, 0.004, 0.004]
mass_kg = 1
position_m = [1.1, 0, 0]
[[spring]]
first = "a"
second = "b"
stiffness_N_m = 1e9
rest_length_m = 1
)";
    const auto run = certificate_run(bodies);
    CHECK(run["status"] == "uncertified");
    CHECK_FALSE(finding(run, "step_too_long").is_null());
    // w = sqrt(2 k / m) = 4.5e4 1/s
    CHECK(certificate_run(bodies, {"integrator.time_step_s=1e-5"})["status"] == "certified");
}

TEST_CASE("a damper that is too strong for the step creates energy and is named")
{
    const std::string damper = R"(duration_s = 0.05
[[coordinate]]
name = "x"
start = 0
start_velocity = 1
[lagrangian]
kinetic = "x'^2/2"
forces = { x = "-c*x'" }
[parameters]
c = 1e4
)";
    const auto run = certificate_run(damper);
    CHECK(run["status"] == "uncertified");
    CHECK_FALSE(finding(run, "step_too_long").is_null());
    CHECK(certificate_run(damper, {"parameters.c=10"})["status"] == "certified");
}

TEST_CASE("a pendulum in steps of a second, or of a million, is not certified")
{
    for (const auto* step : {"1", "1e6"}) {
        CAPTURE(step);
        const auto run = run_of(shipped_scene("pendulum_wall"),
                                {"--set", std::string("integrator.time_step_s=") + step, "--set",
                                 std::string("duration_s=") + (step[1] == 'e' ? "1e7" : "10")});
        CHECK(run["status"] != "certified");
        CHECK_FALSE(run["diagnosis"].empty());
    }
}

TEST_CASE("a long conservative run stays certified: its errors swing and do not add up")
{
    const auto run = certificate_run(spring(1e4), {"duration_s=200", "record.every_s=1"});
    CHECK(run["status"] == "certified");
    CHECK(run["steps"] == 200000);
    // (h w)^2 / 4 = 0.0025 of the energy, at most
    CHECK(run["certificate"]["energy_error"] < 0.0026);
}

TEST_CASE("damping by the scheme itself adds up")
{
    const auto run = certificate_run(spring(1e4), {"duration_s=2", "integrator.kind=moreau_jean",
                                                   "integrator.theta=1", "integrator.time_step_s=1e-4"});
    CHECK(run["status"] == "uncertified");
    CHECK(contains(finding(run, "step_too_long")["message"].get<std::string>(), "destroyed"));
}

TEST_CASE("a motion that starts from rest by a force that grows from zero is certified")
{
    const std::string push = R"(duration_s = 1
[[coordinate]]
name = "x"
start = 0
[lagrangian]
kinetic = "x'^2/2"
forces = { x = "t" }
)";
    CHECK(certificate_run(push)["status"] == "certified");
    CHECK(certificate_run(with(push, "\"t\"", "\"10*t^3 - x\""))["status"] == "certified");
    CHECK(certificate_run(with(push, "\"t\"", "\"if(t < 0.5, 0, 10)\""))["status"] == "certified");
}

TEST_CASE("the energy tolerance is a setting")
{
    CHECK(certificate_run(spring(1e4), {"integrator.energy_tolerance=1e-3"})["status"] == "uncertified");
    CHECK(certificate_run(spring(1e6), {"integrator.energy_tolerance=0.5"})["status"] == "certified");
}

TEST_CASE("a wall that jumps over a body is named, with its depth")
{
    const auto run = run_of(defect("jumping_wall"));
    CHECK(run["status"] == "uncertified");
    const auto found = finding(run, "inside_obstacle");
    REQUIRE_FALSE(found.is_null());
    CHECK(found["time_s"] == doctest::Approx(0.5).epsilon(1e-2));
    CHECK(contains(found["message"].get<std::string>(), "wall is 5.000e-01 m inside"));
}

TEST_CASE("a bullet that crosses a peg between two instants is named, with the step that would see it")
{
    const auto run = run_of(defect("bullet"));
    CHECK(run["status"] == "uncertified");
    const auto found = finding(run, "tunnelling");
    REQUIRE_FALSE(found.is_null());
    CHECK(contains(found["message"].get<std::string>(), "peg was crossed in step 11"));

    // 0.02 m at 100 m/s: what helps is said, and helps
    const auto seen = run_of(defect("bullet"), {"--set", "integrator.time_step_s=5e-5"});
    CHECK(seen["status"] == "certified");
    CHECK(seen["events"].size() > 0);
}

TEST_CASE("a crossing is seen from any start, at any speed, with both schemes")
{
    const std::string wall = R"(duration_s = 0.02
[[coordinate]]
name = "x"
start = "s"
start_velocity = "v"
[lagrangian]
kinetic = "x'^2/2"
[[contact]]
name = "wall"
gap = "(x - 0.05)^2 - 0.0001"
law = { restitution = 0.5 }
[parameters]
s = 0
v = 50
)";
    for (const auto* kind : {"moreau", "moreau_jean"}) {
        for (const double v : {10.0, 20.0, 30.0, 50.0, 120.0, 1000.0}) {
            for (const double s : {-0.5, -0.503, -0.51, -0.517, -0.53}) {
                CAPTURE(kind);
                CAPTURE(v);
                CAPTURE(s);
                const auto run = certificate_run(
                    wall, {fmt::format("integrator.kind={}", kind), fmt::format("parameters.v={}", v),
                           fmt::format("parameters.s={}", s), fmt::format("duration_s={}", 2 / v)});
                const double x = run["state"]["x"]["q"];
                // either it was thrown back, or the run says that it was not
                CHECK((x < 0.05) == (run["status"] == "certified"));
                if (x > 0.05) CHECK_FALSE(finding(run, "tunnelling").is_null());
            }
        }
    }
}

TEST_CASE("an obstacle that goes along with a particle and jumps over it between two instants is seen")
{
    // the gap of 2 mm is less than both move in a step, 10 mm, so that only its rate, which is zero but for
    // the jump of 2e-5 s, shows that it stays open; the jump is not at any of the instants that the scheme
    // looks at
    const std::string lift = R"toml(duration_s = 0.03
[[coordinate]]
name = "z"
start = 0
start_velocity = 10
[lagrangian]
kinetic = "z'^2/2"
[[contact]]
name = "lift"
gap = "z - 10*t + 0.002 - a*exp(-((t - t0)/2e-5)^2)"
[parameters]
t0 = 0.01025
a = 0.05
[integrator]
time_step_s = 1e-3
)toml";
    for (const double t0 : {0.00325, 0.01025, 0.0207, 0.0213, 0.02725}) {
        CAPTURE(t0);
        const auto run = certificate_run(lift, {fmt::format("parameters.t0={}", t0)});
        CHECK(run["status"] == "uncertified");
        // it is entered where 0.05 exp(-(s/2e-5)^2) is 0.002: 3.6e-5 s before
        CHECK(std::abs(finding(run, "tunnelling").value("time_s", 0.0) - (t0 - 3.588e-5)) < 1e-8);
    }
    CHECK(certificate_run(lift, {"parameters.a=0.0019"})["status"] == "certified");
}

TEST_CASE("a narrow bump that no sample of the gap or its slope shows is seen")
{
    const auto run = certificate_run(R"toml(duration_s = 0.02
[[coordinate]]
name = "x"
start = -1.03
start_velocity = 100
[[coordinate]]
name = "y"
start = 0.05
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[[contact]]
name = "bump"
gap = "y - 0.1*exp(-(x/0.005)^2)"
)toml");
    CHECK(run["status"] == "uncertified");
    CHECK_FALSE(finding(run, "tunnelling").is_null());
}

TEST_CASE("a motion that passes near a peg, or along it, is certified")
{
    const std::string peg = R"(duration_s = 0.02
[[coordinate]]
name = "x"
start = -1.03
start_velocity = 100
[[coordinate]]
name = "y"
start = "y0"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[[contact]]
name = "peg"
gap = "hypot(x, y) - 0.01"
[parameters]
y0 = 0.0101
)";
    for (const auto* y : {"0.0101", "0.011", "0.02", "1"}) {
        CAPTURE(y);
        const auto run = certificate_run(peg, {std::string("parameters.y0=") + y});
        CHECK(run["status"] == "certified");
        CHECK(run["diagnosis"].empty());
    }
}

TEST_CASE("a blade that sweeps through a body at rest is seen")
{
    const auto run = certificate_run(R"(duration_s = 0.1
[[coordinate]]
name = "x"
start = 0.53
[lagrangian]
kinetic = "x'^2/2"
[[contact]]
name = "blade"
gap = "(x - 100*t)^2 - 0.0001"
[integrator]
time_step_s = 2e-3
)");
    CHECK(run["status"] == "uncertified");
    CHECK_FALSE(finding(run, "tunnelling").is_null());
}

TEST_CASE("a force with a pole in time is named where the run passes it")
{
    const auto run = run_of(defect("pole"));
    CHECK(run["status"] != "certified");
    const auto found = finding(run, "pole_crossed");
    REQUIRE_FALSE(found.is_null());
    CHECK(found["time_s"] == doctest::Approx(1).epsilon(1e-6));
    CHECK(contains(found["message"].get<std::string>(), "lagrangian.forces.q"));
    CHECK(run_of(defect("pole"), {"--set", "duration_s=0.5"})["status"] == "certified");
}

TEST_CASE("poles count wherever they are written, zeros that cancel do not")
{
    const std::string force = R"(duration_s = 2
[[coordinate]]
name = "x"
start = 0.1
start_velocity = 1
[lagrangian]
kinetic = "x'^2/2"
potential = "0*x"
forces = { x = "F" }
)";
    for (const auto* pole :
         {"1/(1.00037 - t)", "0.01*tan(pi/2*t/1.2345)", "1e-3*(t - 1.1)^(-3)", "1e-3/(x - 0.5)"}) {
        CAPTURE(pole);
        const auto run = certificate_run(with(force, "F\"", std::string(pole) + "\""));
        CHECK(run["status"] != "certified");
        CHECK_FALSE(finding(run, "pole_crossed").is_null());
    }
    for (const auto* harmless : {"sin(t - 1)/(t - 1)", "exp(-1/(t - 1)^2)", "if(t < 1, 0, exp(-1/(t - 1)^2))",
                                 "x/(1 + x^2)", "-x'/hypot(x', 1e-3)", "1/(3 - t)"}) {
        CAPTURE(harmless);
        const auto run = certificate_run(with(force, "F\"", std::string(harmless) + "\""));
        CHECK(run["status"] == "certified");
        CHECK(run["diagnosis"].empty());
    }
}

TEST_CASE("what stands against a certificate is in the recording, and a resumed run tells the same")
{
    const Folder folder;
    const auto file = folder.path("run.h5");
    const auto run = run_of(defect("jumping_wall"), {"-o", file});
    const auto inspected = carom_program({"inspect", file, "--json"}).json();
    CHECK(inspected["status"] == "uncertified");
    CHECK(inspected["diagnosis"] == run["diagnosis"]);
    const auto resumed = carom_program({"resume", file, "--json"}).json();
    CHECK(resumed["status"] == "uncertified");
    CHECK(resumed["diagnosis"] == run["diagnosis"]);
    CHECK(resumed["certificate"] == run["certificate"]);
    CHECK(contains(carom_program({"run", defect("jumping_wall")}).out, "uncertified: inside obstacle at"));
}
