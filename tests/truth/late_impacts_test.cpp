#include "support.hpp"

#include "support/near.hpp"

#include <fmt/format.h>

#include <cmath>

using namespace carom::test;
namespace {

using nlohmann::json;

json late_run(const std::string& scene)
{
    const Folder folder;
    return run_of(folder.write("scene.toml", scene));
}

/// A mass falls on a table that shakes, pulled back by a spring.
std::string shaken(double h_s)
{
    return fmt::format(R"toml(duration_s = 2.801344
[[coordinate]]
name = "x"
start = 0.1492
start_velocity = -2.971
[lagrangian]
kinetic = "0.3207/2*x'^2"
potential = "6.082/2*x^2"
[[contact]]
name = "plate"
gap = "x - 0.008578*sin(21.19*t)"
law = {{ restitution = 0.3456 }}
[integrator]
time_step_s = {}
)toml",
                       h_s);
}

/// A ball falls from 0.1 m on a table that shakes with 0.4 m/s^2, which never throws it.
constexpr const char* gently_shaken = R"toml(duration_s = 3
[[coordinate]]
name = "z"
start = 0.1
[lagrangian]
kinetic = "z'^2/2"
potential = "9.81*z"
[[contact]]
name = "plate"
gap = "z - 0.001*sin(20*t)"
law = { restitution = 0.5 }
[integrator]
time_step_s = 1e-3
)toml";

/// A mass on a floor that a force of 12 sin(10 t) N lifts from t = asin(9.81/12)/10 = 0.0957 s on.
std::string lifted(double duration_s, double h_s)
{
    return fmt::format(R"toml(duration_s = {}
[[coordinate]]
name = "z"
start = 0
[[coordinate]]
name = "x"
start = 0
start_velocity = 1
[lagrangian]
kinetic = "(x'^2 + z'^2)/2"
potential = "9.81*z"
forces = {{ z = "12*sin(10*t)" }}
[[contact]]
name = "floor"
gap = "z"
[integrator]
time_step_s = {}
)toml",
                       duration_s, h_s);
}

/// A mass of 1 kg on a spring of 1e6 N/m, 1000 rad/s, swings on a rough floor.
std::string rubbed(double duration_s, double h_s)
{
    return fmt::format(R"toml(duration_s = {}
[[coordinate]]
name = "x"
start = 0.1
[[coordinate]]
name = "z"
start = 0
[lagrangian]
kinetic = "(x'^2 + z'^2)/2"
potential = "1e6/2*x^2 + 9.81*z"
[[contact]]
name = "floor"
gap = "z"
sliding = ["x'"]
law = {{ kind = "coulomb", friction = 0.5, restitution = 0 }}
[integrator]
kind = "moreau_jean"
time_step_s = {}
)toml",
                       duration_s, h_s);
}

/// A mass on a spring, 10 rad/s, is at 0.9 m after acos(0.9)/10 = 0.0451 s.
std::string swings(double h_s)
{
    return fmt::format(R"toml(duration_s = 1
until = "0.9 - x"
[[coordinate]]
name = "x"
start = 1
[lagrangian]
kinetic = "x'^2/2"
potential = "100/2*x^2"
[integrator]
time_step_s = {}
)toml",
                       h_s);
}

/// The middle one of three masses bounces off the right one, slowly, and is struck from the left before it
/// is away from it: it strikes the right one once more, 33 us later.
std::string row(double h_s)
{
    return fmt::format(R"toml(duration_s = 0.2414
[[coordinate]]
name = "x"
start = 0.2152
start_velocity = 3.084
[[coordinate]]
name = "y"
start = 0.4841
start_velocity = 1.717
[[coordinate]]
name = "z"
start = 0.7122
start_velocity = 2.491
[lagrangian]
kinetic = "2.93/2*x'^2 + 0.2484/2*y'^2 + 1.656/2*z'^2"
potential = "0.1098/2*(y - 0.5)^2"
[[contact]]
name = "left"
gap = "y - x"
law = {{ restitution = 0 }}
[[contact]]
name = "right"
gap = "z - y"
law = {{ restitution = 0.02745 }}
[[contact]]
name = "wall"
gap = "1 - z"
law = {{ restitution = 1 }}
[integrator]
time_step_s = {}
)toml",
                       h_s);
}

/// A light mass between a wall and a mass on a spring, which swings past it by millimetres or does not.
constexpr const char* passed = R"toml(duration_s = 3.763
[[coordinate]]
name = "x"
start = 0.1027
start_velocity = -0.5921
[[coordinate]]
name = "y"
start = 0.4402
start_velocity = -3.54
[[coordinate]]
name = "z"
start = 0.92
start_velocity = -3.197
[lagrangian]
kinetic = "0.7857/2*x'^2 + 1.778/2*y'^2 + 2.185/2*z'^2"
potential = "133.8/2*(y - 0.5)^2"
[[contact]]
name = "wall"
gap = "x"
law = { restitution = 0.4572 }
[[contact]]
name = "left"
gap = "y - x"
law = { restitution = 0.4958 }
[[contact]]
name = "right"
gap = "z - y"
[[contact]]
name = "stop"
gap = "1 - z"
[integrator]
time_step_s = 0.01622
)toml";

/// A mass thrown on a rough floor reaches it at sqrt(2/9.81) = 0.451524 s, and stops there: friction takes up
/// to 0.9 * 4.4 m/s. The step of the impact, 10 ms, begins at 0.45 s.
std::string stopped(double line_m)
{
    return fmt::format(R"toml(duration_s = 2
until = "x - {}"
[[coordinate]]
name = "x"
start = 0
start_velocity = 1
[[coordinate]]
name = "z"
start = 1
[lagrangian]
kinetic = "(x'^2 + z'^2)/2"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "z"
sliding = ["x'"]
law = {{ kind = "coulomb", friction = 0.9, restitution = 0 }}
[integrator]
time_step_s = 0.01
)toml",
                       line_m);
}

}  // namespace

TEST_CASE(
    "a mass that bounces on a shaking table later than it should meets another phase, and is not certified")
{
    const json late = late_run(shaken(0.006734));
    CHECK(late["status"] == "uncertified");
    CHECK(contains(late["diagnosis"].dump(), "while the drive of"));

    // the lag is of first order in the step: a seventieth of it is small beside the period
    CHECK(late_run(shaken(1e-4))["status"] == "certified");
}

TEST_CASE("a ball that comes to rest on a table that does not throw it is certified whatever phase it met")
{
    const json run = late_run(gently_shaken);
    CHECK(run["status"] == "certified");
    CHECK(run["diagnosis"].empty());
}

TEST_CASE("a contact that leaves within the last step, unseen, costs the certificate")
{
    const json left = late_run(lifted(0.1, 0.01));
    CHECK(left["status"] == "uncertified");
    const auto found = finding(left, "unseen_loss");
    REQUIRE_FALSE(found.is_null());
    CHECK(contains(found["message"].get<std::string>(), "floor"));

    // before it leaves, and where steps have seen it leave
    CHECK(late_run(lifted(0.09, 0.01))["status"] == "certified");
    CHECK(late_run(lifted(0.1, 1e-3))["status"] == "certified");
}

TEST_CASE("friction on an oscillation that steps do not resolve has no certified energy")
{
    const json coarse = late_run(rubbed(1, 0.01));
    CHECK(coarse["status"] == "uncertified");
    const auto found = finding(coarse, "step_too_long");
    REQUIRE_FALSE(found.is_null());
    CHECK(contains(found["message"].get<std::string>(), "velocities reverse within steps"));

    // sixty steps a period: friction takes mu m g times the way, 4 times the amplitude in a period
    const double duration_s = 0.05, way_m = 4 * 0.1 * duration_s * 1000 / (2 * M_PI);
    const json fine = late_run(rubbed(duration_s, 1e-4));
    CHECK(fine["status"] == "certified");
    CHECK(fine["certificate"]["energy"]["friction_J"].get<double>() ==
          doctest::Approx(-0.5 * 9.81 * way_m).epsilon(0.02));
}

TEST_CASE("a run that ends within its first step is certified only if the step is exact")
{
    const json one = late_run(swings(0.1));
    CHECK(one["status"] == "uncertified");
    CHECK_FALSE(finding(one, "step_too_long").is_null());
    const json several = late_run(swings(0.004));
    CHECK(several["status"] == "certified");
    CHECK(several["time_s"].get<double>() == doctest::Approx(std::acos(0.9) / 10).epsilon(1e-3));
}

TEST_CASE("a mass struck again while its bounce still overlaps strikes its neighbour once more")
{
    const json together = late_run(row(1.3e-3));
    CHECK(together["status"] == "uncertified");
    CHECK_FALSE(finding(together, "impact_order").is_null());

    // by power series 1.18665 m/s; first order in the step where it sees the 33 us
    const json fine = late_run(row(2e-6));
    CHECK(fine["status"] == "certified");
    CHECK(fine["state"]["z"]["u"].get<double>() == doctest::Approx(1.18665).epsilon(1e-3));
}

TEST_CASE("a contact that turns back nearer than its place is known may have touched, and is not certified")
{
    const json run = late_run(passed);
    CHECK(run["status"] == "uncertified");
    const auto found = finding(run, "impact_instants");
    REQUIRE_FALSE(found.is_null());
    CHECK(contains(found["message"].get<std::string>(), "it may have touched"));
    CHECK(contains(found["message"].get<std::string>(), "left comes within"));
}

TEST_CASE("until that only the delay of an impact fulfils costs the certificate")
{
    // the motion stops at 0.451524 m; the scheme goes on to the middle of its step, 0.455 m
    const json behind = late_run(stopped(0.4535));
    CHECK(behind["end"] == "formula");
    CHECK(behind["status"] == "uncertified");
    CHECK(contains(finding(behind, "impact_instants")["message"].get<std::string>(), "until is satisfied"));

    // a line that is passed before the floor, and one that is not reached
    CHECK(late_run(stopped(0.44))["status"] == "certified");
    CHECK(late_run(stopped(0.46))["end"] != "formula");
}

TEST_CASE("a damper on an oscillation that steps do not resolve has no certified energy")
{
    // 1000 rad/s; after 1 s the energy is exp(-0.2) of 5000 J, of which steps of 10 ms see next to nothing
    const auto damped = [](double h_s) {
        return fmt::format(R"toml(duration_s = 1
[[coordinate]]
name = "x"
start = 0.1
[lagrangian]
kinetic = "x'^2/2"
potential = "1e6/2*x^2"
forces = {{ x = "-0.2*x'" }}
[[probe]]
name = "energy"
value = "x'^2/2 + 1e6/2*x^2"
[integrator]
kind = "moreau_jean"
time_step_s = {}
)toml",
                           h_s);
    };
    const json coarse = late_run(damped(0.01));
    CHECK(coarse["status"] == "uncertified");
    CHECK_FALSE(finding(coarse, "step_too_long").is_null());
    const json fine = late_run(damped(1e-4));
    CHECK(fine["status"] == "certified");
    CHECK(fine["values"]["energy"].get<double>() == doctest::Approx(5000 * std::exp(-0.2)).epsilon(5e-3));
}

TEST_CASE("an oscillation that an implicit step passes over is not certified, whatever its energy is")
{
    // 1000 rad/s: after 1 s the velocity is -100 sin(1000) = -82.7 m/s
    const auto swinging = [](double stretched_m, double h_s) {
        return fmt::format(R"toml(duration_s = 1
[[coordinate]]
name = "x"
start = 0
start_velocity = 5
[[coordinate]]
name = "y"
start = {}
start_velocity = 5
[lagrangian]
kinetic = "x'^2/2 + y'^2/2"
potential = "5e5/2*(y - x - 1)^2"
[integrator]
kind = "moreau_jean"
time_step_s = {}
)toml",
                           1 + stretched_m, h_s);
    };
    const json coarse = late_run(swinging(0.1, 0.01));
    CHECK(coarse["status"] == "uncertified");
    CHECK(contains(finding(coarse, "step_too_long")["message"].get<std::string>(), "back and forth"));

    // the same masses with the spring at rest: nothing swings, and the long step is exact
    const json together = late_run(swinging(0, 0.01));
    CHECK(together["status"] == "certified");
    CHECK(together["state"]["x"]["q"].get<double>() == doctest::Approx(5).epsilon(1e-12));

    // sixty steps a period: the phase is late by (h w)^3/12 a step
    const json fine = late_run(swinging(0.1, 1e-4));
    CHECK(fine["status"] == "certified");
}

namespace {

/// An oscillation of 10 rad/s, and a gate that closes in front of it for a tenth of a second when its 150th
/// period ends, where x = 1: it strikes the gate at 0.8 or so. Or a gate that stays open.
std::string gate(const std::string& kind, double h_s, bool closes)
{
    return fmt::format(R"toml(duration_s = 95
[[coordinate]]
name = "x"
start = 1
[lagrangian]
kinetic = "x'^2/2"
potential = "100/2*x^2"
[[contact]]
name = "gate"
gap = "{} - x"
law = {{ restitution = 0 }}
[integrator]
kind = "{}"
time_step_s = {}
)toml",
                       closes ? "1.2 - 0.4*exp(-((t - 94.2478)*10)^2)" : "1.2", kind, h_s);
}

}  // namespace

TEST_CASE("a scheme that is half a period late passes a gate that the motion strikes, and is not certified")
{
    // the phase after 150 periods is off by 942 (h w)^2/12, with 0.02 s and the theta scheme 3.1 rad; by half
    // as much, the other way, with Moreau's
    for (const std::string kind : {"moreau", "moreau_jean"}) {
        CAPTURE(kind);
        const json coarse = late_run(gate(kind, 0.02, true));
        CHECK(coarse["status"] == "uncertified");
        const json missed = finding(coarse, "impact_instants");
        REQUIRE(!missed.is_null());
        CHECK(contains(missed["message"].get<std::string>(), "gate strikes at 94.2 s"));

        // by 0.05 and 0.02 rad: it strikes, and the instant is that of series, within a step or two
        const json fine = late_run(gate(kind, 0.0025, true));
        CHECK(fine["status"] == "certified");
        const json series = late_run(gate("series", 0.5, true));
        REQUIRE(!fine["events"].empty());
        CHECK(fine["events"][0]["time_s"].get<double>() ==
              near(series["events"][0]["time_s"].get<double>(), 2 * 0.0025 + 0.05 / 10));

        // the phase alone costs nothing: the energy is right, and the phase is what the step gives
        CHECK(late_run(gate(kind, 0.02, false))["status"] == "certified");
    }
}

TEST_CASE("a missed impact is named by a run that is taken up again as by one that is not")
{
    const Folder folder;
    const auto scene = folder.write("gate.toml", gate("moreau_jean", 0.02, true));
    const auto half = folder.path("half.h5");
    run_of(scene, {"--set", "duration_s=47.6", "-o", half});
    const auto whole = carom_program({"resume", half, "--set", "duration_s=95", "--json"});
    CHECK(whole.json()["diagnosis"] == run_of(scene)["diagnosis"]);
}

TEST_CASE(
    "a mass that flies away, and shares nothing with others, hides nothing of what delays have done to them")
{
    // a mass between elastic walls is 1.5 m late after 40 impacts; (LE-17), (LE-18), (LE-23) measure that beside
    // its own 1 m, not beside the 6 km of another mass
    const auto walls = [](double duration_s, bool beside) {
        return fmt::format(
            R"toml(duration_s = {}
[[coordinate]]
name = "x"
start = 0.2
start_velocity = 2.0736
{}
[lagrangian]
kinetic = "x'^2/2{}"
[[contact]]
name = "left"
gap = "x"
law = {{ restitution = 1 }}
[[contact]]
name = "right"
gap = "1 - x"
law = {{ restitution = 1 }}
{}
[integrator]
time_step_s = 1e-2
)toml",
            duration_s, beside ? "[[coordinate]]\nname = \"y\"\nstart = 1\nstart_velocity = 300" : "",
            beside ? " + y'^2/2" : "", beside ? "[[contact]]\nname = \"ground\"\ngap = \"y\"" : "");
    };
    const json alone = late_run(walls(20, false)), among_others = late_run(walls(20, true));
    CHECK(alone["status"] == "uncertified");
    REQUIRE_FALSE(finding(alone, "impact_instants").is_null());
    CHECK(among_others["diagnosis"] == alone["diagnosis"]);
    CHECK(late_run(walls(1, true))["status"] == "certified");
}

TEST_CASE("a mass that is set in motion does not oscillate, and a platform that falls away is not crossed")
{
    const auto pushed = [](const std::string& force, double h) {
        return fmt::format(
            "duration_s = 1\n[[coordinate]]\nname = \"x\"\nstart = 0\n[lagrangian]\nkinetic = "
            "\"x'^2/2\"\nforces = {{ x = \"{}\" }}\n[integrator]\nkind = \"moreau_jean\"\ntime_step_s "
            "= {}\n",
            force, h);
    };
    const auto run_text = [](const std::string& text) {
        const Folder folder;
        return run_of(folder.write("scene.toml", text));
    };
    for (const double h : {1e-2, 1e-3, 1e-4}) {
        CAPTURE(h);
        const auto jumps = run_text(pushed("if(t < 0.5, 0, 1)", h));
        CHECK(jumps["status"] == "certified");
        CHECK(std::abs(jumps["state"]["x"]["q"].get<double>() - 0.125) <= h / 2);
        CHECK(run_text(pushed("min(1, max(0, (t - 0.5)/0.2))", h))["status"] == "certified");
        CHECK(run_text(with(pushed("0", h), "[integrator]",
                            "[[constraint]]\nname = \"motor\"\nvelocity = [\"x' - 1\"]\nlaw = { kind = "
                            "\"limited\", limit = 100 }\n[integrator]"))["status"] == "certified");
        // gap (6 - g/2) t^2, which the chord of a step does not know
        const auto falls = run_text(
            fmt::format("duration_s = 0.1\n[[coordinate]]\nname = \"z\"\nstart = 0\n[lagrangian]\nkinetic = "
                        "\"z'^2\"\npotential = "
                        "\"2*9.81*z\"\n[[contact]]\nname = \"c\"\ngap = \"z + 6*t^2\"\n[integrator]\nkind = "
                        "\"moreau_jean\"\ntime_step_s = {}\n",
                        h));
        CHECK(finding(falls, "tunnelling").is_null());
        CHECK(falls["status"] == "certified");
    }
    // an oscillation of five steps a period is still one
    const auto spring =
        run_text(with(pushed("0", 1e-2), "forces = { x = \"0\" }", "potential = \"(125*(x-1))^2/2\""));
    CHECK(spring["status"] == "uncertified");
    CHECK(contains(finding(spring, "step_too_long")["message"].get<std::string>(), "back and forth"));
}

TEST_CASE("energies without digits close their ledger")
{
    // on its way to a blow the hammer does 1e-320 J in a step
    const Folder folder;
    const json run = run_of(folder.write("scene.toml", R"toml(duration_s = 0.007
[[coordinate]]
name = "x"
start = 0
[lagrangian]
kinetic = "x'^2/2"
forces = { x = "1000*exp(10000*(cos(2*pi*10*(t-0.007))-1))" }
[integrator]
time_step_s = 5e-6
)toml"));
    CHECK(run["status"] == "certified");
}

TEST_CASE("a stiff rod that steps do not resolve says nothing false of the impacts of its pendulum")
{
    // LE-25: 4400 rad/s and 0.5 ms, theta = 1/2: a copy of higher order is not stable, and no measure of impacts
    for (const double h_s : {5.546e-4, 5e-4, 1e-4}) {
        const json run = late_run(fmt::format(R"toml(duration_s = 1.1092
[[coordinate]]
name = "x"
start = "0.4128*sin(1)"
[[coordinate]]
name = "y"
start = "-0.4128*cos(1)"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y + 1.948e7/2*(hypot(x, y) - 0.4128)^2"
[[contact]]
name = "wall"
gap = "x"
law = {{ restitution = 0.0383 }}
[integrator]
kind = "moreau_jean"
time_step_s = {}
)toml",
                                              h_s));
        CHECK(run["status"] == "certified");
        // a rigid pendulum comes down with v^2 = 2 g l (1 - cos 1)
        const double before_m_s = run["events"][0]["velocity_before_m_s"];
        CHECK(before_m_s == near(-std::sqrt(2 * 9.81 * 0.4128 * (1 - std::cos(1.0))), 1e-3));
    }
}
