#include "support.hpp"

#include <cmath>

using namespace carom::test;

namespace {

long events_of(const nlohmann::json& run, const std::string& kind)
{
    long count = 0;
    for (const auto& event : run["events"]) {
        count += event["kind"] == kind ? 1 : 0;
    }
    return count;
}

double energy_line(const nlohmann::json& run, const std::string& line)
{
    return run["certificate"]["energy"][line].get<double>();
}

/// Largest difference of coordinates at the end.
double distance_at_end(const nlohmann::json& one, const nlohmann::json& other)
{
    double largest = 0;
    for (const auto& [name, state] : one["state"].items()) {
        const double there = other["state"][name]["q"].get<double>();
        largest = std::max(largest, std::abs(state["q"].get<double>() - there));
    }
    return largest;
}

/// A particle of mass 1 under gravity on one obstacle.
std::string particle_on(const std::string& obstacle, const std::string& law, const std::string& start)
{
    return "duration_s = 1\n" + start +
           "[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"9.81*y\"\n"
           "[[contact]]\nname = \"obstacle\"\n" +
           obstacle + "\nlaw = " + law + "\n";
}

std::string particle_start(const std::string& x, const std::string& u, const std::string& y,
                           const std::string& v)
{
    return "[[coordinate]]\nname = \"x\"\nstart = \"" + x + "\"\nstart_velocity = \"" + u +
           "\"\n[[coordinate]]\nname = \"y\"\nstart = \"" + y + "\"\nstart_velocity = \"" + v + "\"\n";
}

}  // namespace

TEST_CASE("a ball that never leaves its plate has no impact and loses nothing, whatever e, step and scheme")
{
    for (const std::string step : {"1e-3", "4e-4"}) {
        for (const std::string e : {"0", "0.8"}) {
            for (const std::string kind : {"moreau", "moreau_jean"}) {
                CAPTURE(step);
                CAPTURE(e);
                CAPTURE(kind);
                const auto run =
                    run_of(defect("resting_on_plate"),
                           {"--set", "integrator.time_step_s=" + step, "--set",
                            "contact.plate.law.restitution=" + e, "--set", "integrator.kind=" + kind});
                CHECK(run["status"] == "certified");
                CHECK(run["diagnosis"].empty());
                CHECK(events_of(run, "impact") == 0);
                CHECK(events_of(run, "contact_made") == 1);
                CHECK(events_of(run, "contact_lost") == 0);
                CHECK(energy_line(run, "impact_J") == 0);
                // 11 h^2 were measured: P times what the third derivative of the plate leaves of the velocity
                const double h = std::stod(step);
                CHECK(std::abs(energy_line(run, "correction_J")) < 40 * h * h);
            }
        }
    }
}

TEST_CASE("a particle slides off a cylinder: made once, lost once, at the instant of the power series")
{
    const Folder folder;
    const auto scene = folder.write(
        "cylinder.toml", particle_on("gap = \"sqrt(x^2 + y^2) - 1\"", "{ restitution = 0.5 }",
                                     particle_start("sin(0.2)", "cos(0.2)", "cos(0.2)", "-sin(0.2)")));
    const auto series = run_of(scene, {"--set", "integrator.kind=series"});
    const double exact_s = series["events"].back()["time_s"].get<double>();
    for (const std::string step : {"2e-3", "1e-3", "5e-4"}) {
        const auto run = run_of(scene, {"--set", "integrator.time_step_s=" + step});
        CAPTURE(step);
        CHECK(events_of(run, "impact") == 0);
        REQUIRE(events_of(run, "contact_made") == 1);
        REQUIRE(events_of(run, "contact_lost") == 1);
        CHECK(std::abs(run["events"].back()["time_s"].get<double>() - exact_s) < 2 * std::stod(step));
        CHECK(energy_line(run, "impact_J") == 0);
        CHECK(distance_at_end(run, series) < 1e-2 * std::stod(step));
    }
}

TEST_CASE("a particle that slides over smooth hills never leaves them")
{
    const Folder folder;
    const auto scene =
        folder.write("hills.toml", particle_on("position = [\"x\", \"y\"]\nsurface = \"y - 0.1*cos(3*x)\"",
                                               "{ kind = \"coulomb\", friction = 0.05, restitution = 0.6 }",
                                               particle_start("0", "1", "0.1", "0")));
    const auto series = run_of(scene, {"--set", "integrator.kind=series"});
    double last = 0;
    for (const std::string step : {"1e-3", "5e-4"}) {
        const auto run = run_of(scene, {"--set", "integrator.time_step_s=" + step});
        CHECK(events_of(run, "impact") == 0);
        CHECK(events_of(run, "contact_made") == 1);
        CHECK(events_of(run, "contact_lost") == 0);
        const double off = std::abs(energy_line(run, "friction_J") - energy_line(series, "friction_J"));
        CHECK(off < std::stod(step));
        CHECK(energy_line(run, "impact_J") == 0);
        last = distance_at_end(run, series);
        CHECK(last < std::stod(step));
    }
}

TEST_CASE("a plate whose velocity jumps strikes what rests on it")
{
    const Folder folder;
    const auto scene = folder.write("jump.toml", R"toml(duration_s = 0.53
[[coordinate]]
name = "z"
start = 0
[lagrangian]
kinetic = "z'^2/2"
potential = "9.81*z"
[[contact]]
name = "plate"
gap = "z - 0.3*max(0, t - 0.5)"
law = { restitution = 0.5 }
)toml");
    // in a step of 20 ms gravity makes more than half of 0.3 m/s, but not between two steps
    for (const std::string step : {"2e-2", "1e-3", "3e-4"}) {
        const auto run = run_of(scene, {"--set", "integrator.time_step_s=" + step});
        REQUIRE(events_of(run, "impact") >= 1);
        for (const auto& event : run["events"]) {
            if (event["kind"] != "impact") continue;
            // the plate comes with 0.3 m/s, and e = 0.5
            CHECK(std::abs(event["time_s"].get<double>() - 0.5) < 2 * std::stod(step));
            CHECK(std::abs(event["velocity_before_m_s"].get<double>() + 0.3) < 1e-9);
            CHECK(std::abs(event["velocity_after_m_s"].get<double>() - 0.15) < 1e-9);
            // the percussion of its step holds the weight too: h g times the mean velocity of 0.075 m/s
            const double weight_J = std::stod(step) * 9.81 * 0.075;
            CHECK(std::abs(event["energy_J"].get<double>() + 0.3 * 0.3 * 0.75 / 2 + weight_J) < 1e-9);
            break;
        }
    }
}

TEST_CASE("what slides into a kink of its floor strikes it")
{
    // along y = 0 with 2 m/s into the slope y = x: U_N = -2 on the formula y - max(0, x)
    const Folder folder;
    const auto scene = folder.write("vee.toml", particle_on("gap = \"y - max(0, x)\"", "{ restitution = 0 }",
                                                            particle_start("-0.2", "2", "0", "0")));
    const auto run = run_of(scene, {"--set", "duration_s=0.11"});
    CHECK(events_of(run, "impact") == 1);
    // half of 2 J, the normal part at 45 degrees; the percussion holds the weight of a step too, 1e-2 N s
    CHECK(std::abs(energy_line(run, "impact_J") + 1) < 1e-2);
}

TEST_CASE("a rocking block loses in its impacts what the power series says")
{
    const Folder folder;
    const auto scene = folder.write("rocking.toml", R"toml(duration_s = 1
[parameters]
b = 0.1
c = 0.3
J = "(b^2 + c^2)/3"
a = 0.15
[[coordinate]]
name = "x"
start = "-b*cos(a) + c*sin(a)"
[[coordinate]]
name = "y"
start = "b*sin(a) + c*cos(a)"
[[coordinate]]
name = "th"
start = "-a"
[lagrangian]
kinetic = "(x'^2 + y'^2)/2 + J*th'^2/2"
potential = "9.81*y"
[[contact]]
name = "left"
position = ["x - b*cos(th) + c*sin(th)", "y - b*sin(th) - c*cos(th)"]
surface = "y"
law = { kind = "coulomb", friction = 1.0 }
[[contact]]
name = "right"
position = ["x + b*cos(th) + c*sin(th)", "y + b*sin(th) - c*cos(th)"]
surface = "y"
law = { kind = "coulomb", friction = 1.0 }
)toml");
    const auto series = run_of(scene, {"--set", "integrator.kind=series"});
    for (const std::string step : {"1e-3", "5e-4"}) {
        const auto run = run_of(scene, {"--set", "integrator.time_step_s=" + step});
        for (const char* kind : {"impact", "contact_made", "contact_lost"}) {
            CHECK(events_of(run, kind) == events_of(series, kind));
        }
        // impacts at q_M are up to h/2 late; measured 5 h of 0.1 J in two seconds
        const double loss = energy_line(run, "impact_J"), exact = energy_line(series, "impact_J");
        CHECK(std::abs(loss - exact) < 10 * std::stod(step));
    }
}

TEST_CASE("Moreau's vibrating table has one impact a turn, not two thousand a second")
{
    const auto run = run_of(shipped_scene("vibrating_table"));
    CHECK(run["status"] == "certified");
    CHECK(events_of(run, "impact") <= 41);  // 40 turns
    CHECK(events_of(run, "contact_made") == events_of(run, "contact_lost") + 1);
}

TEST_CASE("a particle that bounces into a bowl ends its bounces and slides, whatever the step")
{
    // it meets the slope with at most 1.1 m/s, and each bounce leaves 0.3 of that: after eight it is below
    // the 1.6 h x'^2 that a step of 0.25 ms bends by
    const Folder folder;
    const auto scene = folder.write("bowl.toml", particle_on("gap = \"y - 0.8*x^2\"", "{ restitution = 0.3 }",
                                                             particle_start("0.5", "0", "0.3", "0")));
    const auto series = run_of(scene, {"--set", "integrator.kind=series"});
    for (const std::string step : {"1e-3", "7e-4", "5e-4", "2.5e-4"}) {
        CAPTURE(step);
        const auto run = run_of(scene, {"--set", "integrator.time_step_s=" + step});
        CHECK(run["status"] == "certified");
        CHECK(events_of(run, "impact") <= 8);
        CHECK(events_of(run, "contact_lost") <= 1);
        // impacts are up to a step late, which changes their speed of 1.1 m/s by up to g h
        CHECK(std::abs(energy_line(run, "impact_J") - energy_line(series, "impact_J")) <
              1.1 * 9.81 * std::stod(step));
    }
}
