// Parts of a system that nothing couples: what a run tells of one does not depend on what the others do.
#include "support.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

using namespace carom::test;
using json = nlohmann::json;

namespace {

/// Something that flies by elsewhere, with a million times the energy.
constexpr const char* flyer = "[[coordinate]]\nname = \"flyer\"\nstart_velocity = 1e3\nstart = 0\n";
constexpr const char* flyer_J = " + 1e2*flyer'^2/2";

struct Oscillator {
    double w_1_s, h_s;
    int steps;
    std::string scheme = "kind = \"moreau\"";  ///< lines of [integrator]
    std::string more = {};                     ///< lines of [lagrangian]
    std::string below = {};                    ///< whole sections
};

/// 1 kg on a spring, 1 m from its rest length; alone or not.
std::string oscillator(const Oscillator& it, bool alone)
{
    return fmt::format(R"toml(duration_s = {}
[[coordinate]]
name = "x"
start = 1
{}[lagrangian]
kinetic = "x'^2/2{}"
potential = "{}*x^2/2"
{}
{}
[integrator]
{}
time_step_s = {}
)toml",
                       it.h_s * it.steps, alone ? "" : flyer, alone ? "" : flyer_J, it.w_1_s * it.w_1_s,
                       it.more, it.below, it.scheme, it.h_s);
}

json told(const std::string& text, const std::vector<std::string>& arguments = {})
{
    const Folder folder;
    return run_of(folder.write("scene.toml", text), arguments);
}

}  // namespace

TEST_CASE("an oscillator that steps do not resolve is named, whatever flies by elsewhere")
{
    // Moreau's scheme with 4 steps a period; the same by a force, by the theta scheme that keeps its energy,
    // by the one that takes it, with a damper that is too strong
    const std::string damped = "kind = \"moreau_jean\"\ntheta = 1.0";
    const Oscillator cases[] = {
        {.w_1_s = 1500, .h_s = 1e-3, .steps = 200},
        {.w_1_s = 0, .h_s = 1e-3, .steps = 200, .more = "forces = { x = \"-2.25e6*x\" }"},
        {.w_1_s = 3000, .h_s = 1e-3, .steps = 200, .scheme = "kind = \"moreau_jean\""},
        {.w_1_s = 300, .h_s = 1e-3, .steps = 200, .scheme = damped},
        {.w_1_s = 10, .h_s = 0.1, .steps = 200, .more = "forces = { x = \"-15*x'\" }"},
    };
    for (const Oscillator& it : cases) {
        CAPTURE(it.scheme);
        CAPTURE(it.more);
        for (const bool alone : {true, false}) {
            const json run = told(oscillator(it, alone));
            CHECK(run["status"] == "uncertified");
            CHECK(!finding(run, "step_too_long").is_null());
        }
    }
    // and one that they resolve is certified beside it
    CHECK(told(oscillator({.w_1_s = 50, .h_s = 1e-3, .steps = 500}, false))["status"] == "certified");
}

TEST_CASE("a phase that is lost is named, whatever flies by elsewhere")
{
    // the gate closes for 0.1 s after 150 periods; by then the scheme is half a period late (LE-25)
    const Oscillator it{
        .w_1_s = 10,
        .h_s = 0.02,
        .steps = 4750,
        .below = "[[contact]]\nname = \"gate\"\ngap = \"1.2 - 0.4*exp(-((t - 94.2478)*10)^2) - x\""};
    for (const bool alone : {true, false}) {
        const json run = told(oscillator(it, alone));
        CHECK(run["status"] == "uncertified");
        CHECK(!finding(run, "impact_instants").is_null());
    }
}

TEST_CASE("a run that is taken up again tells the same of its parts as one that is not")
{
    const Folder folder;
    const auto scene = folder.write(
        "scene.toml",
        oscillator(
            {.w_1_s = 300, .h_s = 1e-3, .steps = 200, .scheme = "kind = \"moreau_jean\"\ntheta = 0.51"},
            false));
    const auto half = folder.path("half.h5");
    run_of(scene, {"--set", "duration_s=0.1", "-o", half});
    const json resumed = carom_program({"resume", half, "--set", "duration_s=0.2", "--json"}).json(),
               whole = run_of(scene);
    CHECK(resumed["diagnosis"] == whole["diagnosis"]);
    CHECK(!finding(whole, "step_too_long").is_null());
}

TEST_CASE("what has come to rest is at rest, whatever moves elsewhere")
{
    // twelve bounces whose instants are known to half a step each: none of them matters once the ball lies still
    const std::string ball = R"toml(duration_s = 10
[[coordinate]]
name = "z"
start = 1
{}[lagrangian]
kinetic = "z'^2/2{}"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "z"
law = {{ restitution = 0.7 }}
[integrator]
time_step_s = 0.03
)toml";
    CHECK(told(fmt::format(fmt::runtime(ball), "", ""))["status"] == "certified");
    CHECK(told(fmt::format(fmt::runtime(ball), flyer, flyer_J))["status"] == "certified");
}

TEST_CASE("what a run tells of impacts does not depend on where the origin is")
{
    // a ball on a planet, by its height and by its distance from the centre; with 0.2 s it falls 0.4 m through
    // the ground (LE-11), with 1 ms it does not
    const auto ball = [](bool from_centre, double h_s) {
        return told(fmt::format(R"toml(duration_s = 2
[[coordinate]]
name = "r"
start = {}
[lagrangian]
kinetic = "r'^2/2"
potential = "9.81*r"
[[contact]]
name = "ground"
gap = "r - {}"
law = {{ restitution = 0.8 }}
[integrator]
time_step_s = {}
)toml",
                                from_centre ? 6.4e6 + 1 : 1, from_centre ? 6.4e6 : 0, h_s));
    };
    for (const bool from_centre : {false, true}) {
        CAPTURE(from_centre);
        CHECK(!finding(ball(from_centre, 0.2), "overlap").is_null());
        CHECK(ball(from_centre, 1e-3)["status"] == "certified");
    }
}

namespace {

/// A ball that only flies by, with ten million joules.
constexpr const char* heavy_ball = R"toml([[body]]
name = "bystander"
shape = "sphere"
radius_m = 0.1
mass_kg = 1e3
position_m = [50, 0, 200]
velocity_m_s = [140, 0, 0]
)toml";

std::string two_balls(double theta, double rate_1_s, double h_s, const std::string& more)
{
    return fmt::format(R"toml(duration_s = {}
gravity_m_s2 = [0, 0, 0]
[[body]]
name = "one"
shape = "sphere"
radius_m = 0.01
mass_kg = 1
position_m = [0, 0, 0]
[[body]]
name = "other"
shape = "sphere"
radius_m = 0.01
mass_kg = 1
position_m = [0.5, 0, 0]
[[spring]]
first = "one"
second = "other"
stiffness_N_m = {}
rest_length_m = 0.4
{}[integrator]
kind = "moreau_jean"
theta = {}
time_step_s = {}
)toml",
                       400 * h_s, rate_1_s * rate_1_s / 2, more, theta, h_s);
}

}  // namespace

TEST_CASE("what a step does to a body is small beside its own energies, whatever flies by elsewhere")
{
    // at 1e-4 s the coin loses a quarter of its energy in the run (LE-7)
    std::ifstream file(shipped_scene("coin"));
    const std::string coin{std::istreambuf_iterator<char>(file), {}};
    for (const std::string& beside : {std::string(), std::string(heavy_ball)}) {
        CAPTURE(beside);
        const Folder folder;
        const std::string text = coin.substr(0, coin.find("[integrator]")) + beside + "[integrator]\n";
        const json fine =
            run_of(folder.write("fine.toml", text + "time_step_s = 2.5e-5\n"), {"--set", "duration_s=0.1"});
        CHECK(fine["status"] == "certified");
        const json coarse = run_of(folder.write("coarse.toml", text + "time_step_s = 1e-4\n"));
        CHECK(coarse["status"] == "uncertified");
        CHECK(!finding(coarse, "step_too_long").is_null());
    }
    // two balls on a spring whose oscillation the scheme damps, or passes over with theta = 1/2 (LE-24)
    for (const std::string& beside : {std::string(), std::string(heavy_ball)}) {
        CAPTURE(beside);
        CHECK(!finding(told(two_balls(1.0, 300, 1e-3, beside)), "step_too_long").is_null());
        CHECK(!finding(told(two_balls(0.5, 3000, 1e-3, beside)), "step_too_long").is_null());
        CHECK(told(two_balls(0.5, 50, 1e-3, beside))["status"] == "certified");
    }
}

TEST_CASE("a body that was struck once has its own energies again")
{
    // a ball with 500 J grazes one of the two and flies on; what theta = 1 takes of their 2 J afterwards is
    // theirs alone
    const std::string striker = R"toml([[body]]
name = "striker"
shape = "sphere"
radius_m = 0.02
mass_kg = 10
position_m = [0, -0.03, 0.0298]
velocity_m_s = [0, 10, 0]
)toml";
    const json run = told(two_balls(1.0, 50, 1e-3, striker));
    const auto& events = run["events"];
    CHECK(std::any_of(events.begin(), events.end(), [](const json& one) { return one["kind"] == "impact"; }));
    CHECK(!finding(run, "step_too_long").is_null());
}

TEST_CASE("coordinates beside bodies are judged by their own energies too")
{
    const auto scene = [](double w_1_s, const std::string& scheme) {
        return fmt::format(
            "duration_s = 0.2\n{}[[coordinate]]\nname = \"x\"\nstart = 1\n[lagrangian]\n"
            "kinetic = \"x'^2/2\"\npotential = \"{}*x^2/2\"\n[integrator]\n{}time_step_s = 1e-3\n",
            heavy_ball, w_1_s * w_1_s, scheme);
    };
    CHECK(!finding(told(scene(1500, "")), "step_too_long").is_null());
    CHECK(!finding(told(scene(3000, "kind = \"moreau_jean\"\n")), "step_too_long").is_null());
    CHECK(told(scene(50, ""))["status"] == "certified");
}

TEST_CASE("bodies that move by themselves are judged alike whether a run is taken up again or not")
{
    // what the first half has lost is over the limit only together with the second
    const Folder folder;
    const auto scene = folder.write("scene.toml", two_balls(0.6, 60, 1e-3, heavy_ball));
    const json whole = run_of(scene);
    CHECK(!finding(whole, "step_too_long").is_null());
    const auto half = folder.path("half.h5");
    const json first = run_of(scene, {"--set", "duration_s=0.2", "-o", half});
    const json resumed = carom_program({"resume", half, "--set", "duration_s=0.4", "--json"}).json();
    CHECK(resumed["diagnosis"] == whole["diagnosis"]);
    CHECK(resumed["state"] == whole["state"]);
}

TEST_CASE("events of one part do not hide that another alternates")
{
    // a ball that bounces in every third step; the oscillator turns round in each (LE-24)
    const json run = told(R"toml(duration_s = 0.2
[[coordinate]]
name = "x"
start = 1
[[coordinate]]
name = "y"
start = 0.5
start_velocity = 300
[lagrangian]
kinetic = "x'^2/2 + y'^2/2"
potential = "9e6*x^2/2"
[[contact]]
name = "left"
gap = "y"
law = { restitution = 1 }
[[contact]]
name = "right"
gap = "1 - y"
law = { restitution = 1 }
[integrator]
kind = "moreau_jean"
time_step_s = 1e-3
)toml");
    const json found = finding(run, "step_too_long");
    REQUIRE(!found.is_null());
    CHECK(found["message"].get<std::string>().find("of x") != std::string::npos);
}

TEST_CASE("a contact that acts too far from its obstacle is named")
{
    // a ball dropped from 1 cm on a planet, by its distance from the centre: the default of activation_gap_m
    // there is 6.4 mm; with a smaller one it falls as it should
    const std::string ball = R"toml(duration_s = 0.2
[[coordinate]]
name = "r"
start = 6400000.01
[lagrangian]
kinetic = "r'^2/2"
potential = "9.81*r"
[[contact]]
name = "ground"
gap = "r - 6.4e6"
law = { restitution = 0.8 }
[integrator]
time_step_s = 1e-4
)toml";
    CHECK(!finding(told(ball), "overlap").is_null());
    CHECK(told(ball, {"--set", "integrator.activation_gap_m=1e-7"})["status"] == "certified");
}

TEST_CASE("an obstacle in coordinates that jumps is named, however short it jumps")
{
    // a mass at rest on a plate that jumps by d: with 2 h^2 a = 2e-5 m and less it persists (MS-8)
    const auto plate = [](const std::string& height) {
        return told(fmt::format(R"toml(duration_s = 0.5
[[coordinate]]
name = "z"
start = 0
[lagrangian]
kinetic = "z'^2/2"
potential = "9.81*z"
[[contact]]
name = "plate"
gap = "z - ({})"
[integrator]
time_step_s = 1e-3
)toml",
                                height));
    };
    for (const char* jump : {"1e-2", "1e-4", "1e-5", "1e-6"}) {
        CAPTURE(jump);
        const json run = plate(fmt::format("if(t > 0.25, {}, 0)", jump));
        CHECK(run["status"] == "uncertified");
        CHECK(!finding(run, "path_jumps").is_null());
    }
    // the same way within one step, smoothly, and one that jumps down
    CHECK(finding(plate("1e-5*min(max((t - 0.2502)/6e-4, 0), 1)"), "path_jumps").is_null());
    CHECK(finding(plate("if(t > 0.25, -1e-5, 0)"), "path_jumps").is_null());
    CHECK(plate("0.001*(1 - cos(10*t))")["status"] == "certified");
}
