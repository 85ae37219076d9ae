#include "support.hpp"
#include "support/near.hpp"

#include <cmath>
#include <numbers>

using namespace carom::test;

namespace {

constexpr double gravity = 9.81;

/// A floor and what is on it.
std::string on_floor(const std::string& law, const std::string& bodies, const std::string& duration_s = "1",
                     const std::string& step_s = "1e-3")
{
    return "duration_s = " + duration_s + "\n[[material]]\nname = \"stuff\"\n" + law +
           "\n[[body]]\nname = \"floor\"\nshape = \"plane\"\n" + bodies +
           "[integrator]\nkind = \"moreau\"\ntime_step_s = " + step_s + "\n";
}

std::string sphere_body(const std::string& name, const std::string& position, const std::string& more = {})
{
    return "[[body]]\nname = \"" + name +
           "\"\nshape = \"sphere\"\nradius_m = 0.1\nmass_kg = 1\nposition_m = " + position + "\n" + more;
}

std::string box_body(const std::string& name, const std::string& size, const std::string& position,
                     const std::string& more = {})
{
    return "[[body]]\nname = \"" + name + "\"\nshape = \"box\"\nmass_kg = 1\nsize_m = " + size +
           "\nposition_m = " + position + "\n" + more;
}

std::vector<nlohmann::json> events_of_kind(const nlohmann::json& run, const std::string& kind)
{
    std::vector<nlohmann::json> found;
    for (const auto& event : run["events"]) {
        if (event["kind"] == kind) found.push_back(event);
    }
    return found;
}

}  // namespace

TEST_CASE("a ball that bounces has the impacts of a particle in coordinates, one by one")
{
    const Folder folder;
    const auto as_body = run_of(
        folder.write("body.toml", on_floor("restitution = 0.5", sphere_body("ball", "[0, 0, 1.1]"), "1")));
    const auto as_particle = run_of(folder.write(
        "particle.toml",
        "duration_s = 1\n[[coordinate]]\nname = \"z\"\nstart = 1\n[lagrangian]\nkinetic = \"z'^2/2\"\n"
        "potential = \"9.81*z\"\n[[contact]]\nname = \"floor\"\ngap = \"z\"\nlaw = { restitution = 0.5 }\n"
        "[integrator]\ntime_step_s = 1e-3\n"));
    const auto bodies = events_of_kind(as_body, "impact"), particles = events_of_kind(as_particle, "impact");
    // falls of 0.4515 s, then 0.4515 s in the air
    REQUIRE(particles.size() == 2);
    REQUIRE(bodies.size() == particles.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        CHECK(bodies[i]["contact"] == "floor-ball");
        CHECK(bodies[i]["time_s"].get<double>() == near(particles[i]["time_s"].get<double>(), 1e-9));
        for (const char* number :
             {"percussion_Ns", "velocity_before_m_s", "velocity_after_m_s", "energy_J"}) {
            CAPTURE(number);
            CHECK(bodies[i][number].get<double>() == near(particles[i][number].get<double>(), 1e-9));
        }
    }
}

TEST_CASE("a ball that does not bounce strikes once and stays, whatever the step")
{
    const Folder folder;
    const double speed = std::sqrt(2 * gravity * 1.0);
    for (const std::string step : {"5e-3", "1e-3", "3.7e-4"}) {
        CAPTURE(step);
        const auto run = run_of(folder.write(
            "soft.toml", on_floor("restitution = 0", sphere_body("ball", "[0, 0, 1.1]"), "1", step)));
        const auto impacts = events_of_kind(run, "impact");
        REQUIRE(impacts.size() == 1);
        CHECK(events_of_kind(run, "contact_made").size() == 1);
        CHECK(run["events"].size() == 2);
        const double h = std::stod(step);
        CHECK(impacts[0]["time_s"].get<double>() == near(speed / gravity, 2 * h));
        CHECK(impacts[0]["velocity_before_m_s"].get<double>() == near(-speed, 2 * gravity * h));
        CHECK(impacts[0]["percussion_Ns"].get<double>() == near(speed, 3 * gravity * h));
        CHECK(impacts[0]["energy_J"].get<double>() == near(-speed * speed / 2, 3 * gravity * h * speed));
    }
}

TEST_CASE("a block that slides to rest slips from the start and sticks at v / (mu g)")
{
    const Folder folder;
    const auto run = run_of(folder.write(
        "slide.toml", on_floor("friction = 0.5", box_body("block", "[0.2, 0.2, 0.1]", "[0, 0, 0.05]",
                                                          "velocity_m_s = [2, 0, 0]\n"))));
    CHECK(run["status"] == "certified");
    CHECK(events_of_kind(run, "impact").empty());
    CHECK(events_of_kind(run, "contact_lost").empty());
    CHECK(events_of_kind(run, "contact_made").size() == 4);  // its corners
    CHECK(events_of_kind(run, "slip").size() == 4);
    const auto sticks = events_of_kind(run, "stick");
    REQUIRE(sticks.size() == 4);
    for (const auto& stick : sticks) {
        CHECK(stick["time_s"].get<double>() == near(2 / (0.5 * gravity), 2e-3));
    }
}

TEST_CASE("bodies that rest have no events after the first step")
{
    const Folder folder;
    std::string bodies;
    for (int i = 0; i < 4; ++i) {
        bodies += box_body("box_" + std::to_string(i), "[0.2, 0.2, 0.1]",
                           "[0, 0, " + std::to_string(0.05 + 0.1 * i) + "]");
    }
    const auto run = run_of(folder.write("stack.toml", on_floor("friction = 0.5", bodies, "0.5")));
    CHECK(run["status"] == "certified");
    for (const auto& event : run["events"]) {
        CAPTURE(event.dump());
        CHECK(event["step"] == 1);
    }
    CHECK(events_of_kind(run, "contact_made").size() == 16);
    CHECK(events_of_kind(run, "impact").empty());
}

TEST_CASE("a heap at rest that is struck elsewhere has no impact")
{
    const Folder folder;
    const auto run = run_of(
        folder.write("two.toml", on_floor("restitution = 0", sphere_body("still", "[0, 0, 0.1]") +
                                                                 sphere_body("falls", "[3, 0, 0.5]"))));
    const auto impacts = events_of_kind(run, "impact");
    REQUIRE(impacts.size() == 1);
    CHECK(impacts[0]["contact"] == "floor-falls");
}

TEST_CASE("a run of bodies that was interrupted has the events of one that was not")
{
    const Folder folder;
    const std::string scene = folder.write(
        "drop.toml", on_floor("friction = 0.4\nrestitution = 0.3",
                              box_body("block", "[0.2, 0.2, 0.1]", "[0, 0, 0.25]",
                                       "velocity_m_s = [0.7, 0.2, 0]\nangular_velocity_rad_s = [1, 2, 0]\n") +
                                  sphere_body("ball", "[0.02, 0, 0.6]")));
    const std::string whole = folder.path("whole.h5"), parts = folder.path("parts.h5");
    const auto at_once = run_of(scene, {"-o", whole, "--no-svg"});
    REQUIRE(at_once["events"].size() > 10);
    for (const char* ends : {"0.183", "0.304", "0.631"}) {
        CAPTURE(ends);
        run_of(scene, {"-o", parts, "--no-svg", "--set", std::string("duration_s=") + ends});
        const auto resumed = carom_program({"resume", parts, "--set", "duration_s=1", "--json"}).json();
        CHECK(resumed["events"] == at_once["events"]);
        CHECK(resumed["state"] == at_once["state"]);
    }
}

TEST_CASE("a block that has stopped on a rough floor has no more events, in coordinates and as a body")
{
    const Folder folder;
    std::string corners;
    for (const std::string side : {"-0.2", "0.2"}) {
        const std::string name = side == "0.2" ? "right" : "left";
        corners += "[[contact]]\nname = \"" + name + "\"\ngap = \"y + (" + side +
                   ")*sin(a) - 0.1*cos(a)\"\nsliding = [\"x' - ((" + side +
                   ")*sin(a) - 0.1*cos(a))*a'\"]\nlaw = { kind = \"coulomb\", friction = 0.3 }\n";
    }
    const auto in_coordinates = run_of(folder.write(
        "coordinates.toml",
        "duration_s = 1\n[[coordinate]]\nname = \"x\"\nstart = 0\nstart_velocity = 2\n[[coordinate]]\nname = "
        "\"y\"\nstart = 0.1\n[[coordinate]]\nname = \"a\"\nstart = 0\nunit = \"rad\"\n[lagrangian]\nkinetic "
        "= "
        "\"x'^2 + y'^2 + (0.16 + 0.04)/12*a'^2\"\npotential = \"2*9.81*y\"\n" +
            corners + "[integrator]\ntime_step_s = 1e-3\n"));
    const auto as_body = run_of(folder.write(
        "body.toml", on_floor("friction = 0.3",
                              "[[body]]\nname = \"block\"\nshape = \"polygon\"\nmass_kg = 2\nvertices_m = "
                              "[[-0.2, -0.1], [0.2, -0.1], [0.2, 0.1], [-0.2, 0.1]]\nposition_m = [0, 0.1]\n"
                              "velocity_m_s = [2, 0]\n")));
    for (const auto& run : {in_coordinates, as_body}) {
        CHECK(events_of_kind(run, "contact_made").size() == 2);
        CHECK(events_of_kind(run, "slip").size() == 2);
        const auto sticks = events_of_kind(run, "stick");
        REQUIRE(sticks.size() == 2);
        CHECK(sticks[0]["time_s"].get<double>() == near(2 / (0.3 * gravity), 2e-3));
        CHECK(run["events"].size() == 6);
    }
}

TEST_CASE("a card that slips down a smooth wall leaves it once")
{
    const Folder folder;
    const auto run = run_of(folder.write(
        "card.toml",
        "duration_s = 0.17\n[parameters]\nl = 0.1\nd = 0.001\nb = 0.5\n[[material]]\nname = "
        "\"card\"\nfriction "
        "= 0.15\n[[material]]\nname = \"glass\"\n[[material_pair]]\nfirst = \"card\"\nsecond = "
        "\"glass\"\nfriction = 0\n[[body]]\nname = \"floor\"\nshape = \"plane\"\n[[body]]\nname = "
        "\"wall\"\nshape = \"plane\"\nnormal = [-1, 0]\nmaterial = \"glass\"\n[[body]]\nname = "
        "\"card\"\nshape = \"polygon\"\nvertices_m = [[\"-d/2\", \"-l/2\"], [\"d/2\", \"-l/2\"], [\"d/2\", "
        "\"l/2\"], [\"-d/2\", \"l/2\"]]\nmass_kg = 0.01\nposition_m = [\"-l/2*sin(b) - d/2*cos(b)\", "
        "\"l/2*cos(b) + d/2*sin(b)\"]\nrotation_rad = [\"-b\"]\n[integrator]\ntime_step_s = 1e-4\n[solver]\n"
        "tolerance = 1e-10\n"));
    CHECK(run["status"] == "certified");
    const auto lost = events_of_kind(run, "contact_lost");
    REQUIRE(lost.size() == 1);
    CHECK(lost[0]["contact"] == "wall-card");
    // the same in coordinates, with the wall as a gap: 0.14725 s
    CHECK(lost[0]["time_s"].get<double>() == near(0.14725, 2e-3));
    CHECK(events_of_kind(run, "impact").empty());
}

TEST_CASE("a ball of rubber that never leaves its plate makes one contact and has no impact")
{
    // A w^2 = 0.8 g: the plate never falls faster than the ball
    const Folder folder;
    for (const std::string step : {"1e-3", "3e-4"}) {
        CAPTURE(step);
        const auto run = run_of(folder.write(
            "plate.toml",
            "duration_s = 1\n[parameters]\nA = 0.002\nw = \"20*pi\"\n[[material]]\nname = \"rubber\"\n"
            "restitution = 0.8\n[[body]]\nname = \"plate\"\nshape = \"box\"\nsize_m = [1, 1, 0.1]\nmotion = "
            "\"prescribed\"\nposition_m = [0, 0, \"-0.05 + A*sin(w*t)\"]\n" +
                sphere_body("ball", "[0, 0, 0.1]", "velocity_m_s = [0, 0, \"A*w\"]\n") +
                "[integrator]\ntime_step_s = " + step + "\n"));
        CHECK(run["status"] == "certified");
        CHECK(events_of_kind(run, "contact_made").size() == 1);
        CHECK(run["events"].size() == 1);
        // nothing is lost in impacts. While the plate accelerates upwards by a, the ball is a step behind, by
        // h a: P (U^- + U^+)/2 = -h^2 a m (g + a)/2 of the scheme, half of the time; the mean of a^2 is A^2
        // w^4/2
        const double h = std::stod(step), A = 0.002, w = 20 * std::numbers::pi;
        CHECK(run["certificate"]["energy"]["impact_J"] == 0);
        const double lost_J = -run["certificate"]["energy"]["correction_J"].get<double>();
        CHECK(lost_J > 0);
        CHECK(lost_J < h * (A * A * std::pow(w, 4) / 2 + gravity * A * w * w));
    }
}

TEST_CASE("a coin that rolls on its edge loses nothing in theory: what the step takes costs the certificate")
{
    const auto coin = [](const std::string& step) {
        return run_of(shipped_scene("coin"), {"--set", "integrator.time_step_s=" + step});
    };
    const auto lost = [](const nlohmann::json& run) {
        const auto& lines = run["certificate"]["energy"];
        CHECK(std::abs(lines["impact_J"].get<double>()) < 1e-6);  // it never leaves the table
        return -lines["kinetic_J"].get<double>() - lines["potential_J"].get<double>();
    };
    // 0.0054 J of the 0.026 J that the motion has, and half as much with half the step
    const auto coarse = coin("1e-4"), middle = coin("5e-5"), fine = coin("2.5e-5");
    CHECK(lost(coarse) == near(2 * lost(middle), 0.1 * lost(coarse)));
    CHECK(coarse["status"] == "uncertified");
    CHECK_FALSE(finding(coarse, "step_too_long").is_null());
    CHECK(fine["status"] == "certified");
}

TEST_CASE("a ball on a plate that shakes is lost when the plate falls away, and comes to rest where bounces "
          "accumulate")
{
    const Folder folder;
    const auto shaken = [&](const std::string& amplitude, double speed, const std::string& law,
                            double duration_s, double h) {
        return run_of(folder.write(
            "plate.toml",
            "duration_s = " + std::to_string(duration_s) + "\n[[material]]\nname = \"m\"\n" + law +
                "\n[[body]]\nname = \"plate\"\nshape = \"box\"\nmotion = \"prescribed\"\nsize_m = [3, 3, "
                "0.2]\nposition_m = [0, 0, \"-0.1 + " +
                amplitude + "*sin(30*t)\"]\n" +
                sphere_body("ball", "[0, 0, 0.1]", "velocity_m_s = [0, 0, " + std::to_string(speed) + "]\n") +
                "[integrator]\ntime_step_s = " + std::to_string(h) + "\n"));
    };
    // it leaves where 0.02 * 30^2 sin(30 t) = g
    const double leaves_s = std::asin(gravity / 18) / 30;
    for (const double h : {1e-3, 1e-4}) {
        CAPTURE(h);
        const auto run = shaken("0.02", 0.6, "restitution = 0", 0.06, h);
        const auto lost = events_of_kind(run, "contact_lost");
        REQUIRE(lost.size() == 1);
        CHECK(lost[0]["time_s"].get<double>() == near(leaves_s, 3 * h));
        CHECK(run["status"] == "certified");

        // thrown 26 times a second by little more than g: after each flight its bounces accumulate, e^n of a
        // speed of 0.1 m/s is below what a step makes of it after log(100/h)/log(1/e) of them
        const auto hops = shaken("0.0115", 0.345, "restitution = 0.8", 0.8, h);
        const auto impacts = events_of_kind(hops, "impact");
        CHECK(impacts.size() > 5);
        CHECK(impacts.size() < 4 * std::log(1 / h) / std::log(1 / 0.8));
    }
}

TEST_CASE("a joint leaves its stop in the first step that pulls it away, however far its other stop is")
{
    // it reaches the stop at 0.45 s and is held there until the torque turns round at 1.5 s
    const Folder folder;
    const std::string scene = folder.write("door.toml", R"toml(duration_s = 1.6
gravity_m_s2 = [0, 0, 0]
[parameters]
far = 0.5
[[body]]
name = "door"
shape = "none"
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
angular_velocity_rad_s = [0, 0, 1]
[[joint]]
name = "hinge"
first = "door"
turn = { low_rad = "-far", high_rad = 0.5 }
[[load]]
body = "door"
torque_Nm = [0, 0, "if(t > 1.5, -2, 0.5)"]
)toml");
    for (const std::string step : {"1e-3", "1e-4"}) {
        for (const std::string far : {"0.001", "0.5", "1000"}) {
            CAPTURE(step);
            CAPTURE(far);
            const auto run =
                run_of(scene, {"--set", "integrator.time_step_s=" + step, "--set", "parameters.far=" + far});
            CHECK(run["status"] == "certified");
            std::vector<double> left_s;
            for (const auto& event : run["events"]) {
                if (event["kind"] == "contact_lost") left_s.push_back(event["time_s"].get<double>());
            }
            REQUIRE(left_s.size() == 1);
            CHECK(std::abs(left_s[0] - 1.5) < 2 * std::stod(step));
        }
    }
}

TEST_CASE(
    "slip on a belt that swings turns round in space as it does in the plane, in coordinates and as a body")
{
    // in every step the sliding velocity changes by mu g h and the belt's by more, between two steps
    const std::string head = "duration_s = 1.1\n";
    const std::string coordinates = R"toml(
[[coordinate]]
name = "x"
start = 0
[[coordinate]]
name = "z"
start = 0
SIDE
[lagrangian]
kinetic = "(x'^2 + z'^2MORE)/2"
potential = "9.81*z"
[[contact]]
name = "belt"
gap = "z"
sliding = SLIDING
law = { kind = "coulomb", friction = 0.05 }
)toml";
    const std::string plane =
        with(with(with(coordinates, "SIDE", ""), "MORE", ""), "SLIDING", "[\"x' - 2*cos(12*t)\"]");
    const std::string space =
        with(with(with(coordinates, "SIDE", "[[coordinate]]\nname = \"y\"\nstart = 0"), "MORE", " + y'^2"),
             "SLIDING", "[\"x' - 2*cos(12*t)\", \"y'\"]");
    const std::string body = R"toml(
[[material]]
name = "m"
friction = 0.05
[[body]]
name = "belt"
shape = "plane"
motion = "prescribed"
position_m = ["sin(12*t)/6", 0, 0]
[[body]]
name = "puck"
shape = "sphere"
radius_m = 0.1
mass_kg = 1
inertia_kg_m2 = [1e9, 1e9, 1e9]
position_m = [0, 0, 0.1]
)toml";
    const Folder folder;
    const auto turns_of = [&](const std::string& text, const std::string& step) {
        const auto run =
            run_of(folder.write("belt.toml", head + text), {"--set", "integrator.time_step_s=" + step});
        CHECK(run["status"] == "certified");
        std::vector<std::pair<double, double>> turns;  // when, and where to: 0 or pi
        for (const auto& event : run["events"]) {
            if (event["kind"] == "slip") {
                turns.emplace_back(event["time_s"].get<double>(), std::abs(event["slip_rad"].get<double>()));
            }
        }
        return turns;
    };
    for (const std::string step : {"3e-4", "1e-4"}) {
        CAPTURE(step);
        const auto wanted = turns_of(plane, step);
        REQUIRE(wanted.size() == 5);  // from the start on, and at the zeros of the sliding velocity
        for (const std::string& text : {space, body}) {
            const auto found = turns_of(text, step);
            REQUIRE(found.size() == wanted.size());
            for (std::size_t k = 0; k < found.size(); ++k) {
                CHECK(std::abs(found[k].first - wanted[k].first) < 2 * std::stod(step));

                // the first tangent of a body may look the other way
                const double turned = std::abs(found[k].second - found[0].second);
                CHECK(turned == near(k % 2 == 0 ? 0 : std::numbers::pi, 1e-6));
            }
        }
    }
}
