// Parts of a system that nothing couples: what a run tells of one does not depend on what the others do.
#include "support.hpp"

#include <fmt/format.h>

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
