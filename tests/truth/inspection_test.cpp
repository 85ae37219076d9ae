#include "support.hpp"

#include <fstream>

using namespace carom::test;

namespace {

/// What `carom inspect` says of a scene, with these further arguments.
nlohmann::json inspection_of(const std::string& scene, std::vector<std::string> arguments = {})
{
    arguments.insert(arguments.begin(), {"inspect", scene, "--json"});
    return carom_program(arguments).json();
}

/// The hypothesis of that code in the JSON object of an inspection; null if it is not there.
nlohmann::json hypothesis_in(const nlohmann::json& inspection, const std::string& code)
{
    for (const auto& item : inspection["hypotheses"]) {
        if (item["code"] == code) return item;
    }
    return nullptr;
}

}  // namespace

TEST_CASE(
    "two contacts with a constraint between their coordinates can be inspected, as a scene and as a run")
{
    const Outcome scene = carom_program({"inspect", defect("inspect_crash"), "--json"});
    CHECK((scene.status == 0 || scene.status == 1));
    CHECK(scene.json()["contacts"] == 2);
    const Folder folder;
    const std::string run = folder.path("run.h5");
    REQUIRE(carom_program({"run", defect("inspect_crash"), "-o", run, "--quiet", "--no-svg"}).status == 0);
    CHECK(carom_program({"inspect", run, "--json"}).json()["status"] == "certified");
}

TEST_CASE(
    "one motion of limited reactions is said where limits have a Lipschitz bound, as the theorem says it")
{
    // this one has none, so that the sentence must not stand beside it without its condition (B02 theorem 26)
    const auto holds = hypothesis_in(inspection_of(defect("limit_not_lipschitz")), "non_firm_constraints");
    REQUIRE_FALSE(holds.is_null());
    CHECK(contains(holds["message"].get<std::string>(), "where limits have a Lipschitz bound"));
}

TEST_CASE("what costs the promise is named, and nothing else is promised instead")
{
    const auto costs = [](const std::string& scene, const std::string& code, const std::string& promise,
                          std::vector<std::string> set = {}) {
        CAPTURE(scene);
        CAPTURE(code);
        const auto json = inspection_of(defect(scene), std::move(set));
        CHECK(json["promise"] == promise);
        const auto hypothesis = hypothesis_in(json, code);
        REQUIRE_FALSE(hypothesis.is_null());
        CHECK(contains(hypothesis["bearing"].get<std::string>(), "costs_"));
    };
    costs("contradictory_drives", "constraints_contradict", "none_promised");
    costs("limit_not_lipschitz", "limit_not_lipschitz", "possibly_several");
    costs("kink_constraint", "constraint_has_corner", "none_promised");
    costs("equal_lengths", "gradient_vanishes", "none_promised");
    costs("equal_lengths", "gradient_vanishes", "none_promised",
          {"--set", "parameters.l1=2", "--set", "parameters.l2=2"});
    costs("parallelogram", "singular_configuration", "none_promised");
    costs("freewheel_start", "start_outside_law", "none_promised");
    costs("damper_mixed", "velocity_coupling", "possibly_several");
    costs("bump_in_time", "not_analytic_in_time", "possibly_several");
    costs("pinch", "no_interior", "none_promised");
    costs("pole", "pole_in_time", "none_promised");
}

TEST_CASE("theorem 2.1 of Charles and Ballard is a promise: Klarbring's particle, a chain, a bowl")
{
    CHECK(inspection_of(defect("klarbring"))["promise"] == "one_solution");
    CHECK(inspection_of(shipped_scene("status_cascade"))["promise"] == "one_solution");
    CHECK(inspection_of(shipped_scene("bowl"))["promise"] == "one_solution");
}

TEST_CASE("a promise and what costs it are not said of one thing")
{
    // steps pass by the place of an impact: a map that turns velocities as the wheel of spokes does where it lands exactly
    // meets others
    const Folder folder;
    const std::string with_map = folder.path("wheel.toml");
    std::ofstream(with_map) << std::ifstream(shipped_scene("rimless_wheel")).rdbuf() << R"toml(
[impact]
kind = "formulas"
velocities = { x = "cos(2*al)*(cos(2*al)*x' - sin(2*al)*y')", y = "cos(2*al)*(sin(2*al)*x' + cos(2*al)*y')" }
)toml";
    const auto wheel = inspection_of(with_map);
    CHECK_FALSE(hypothesis_in(wheel, "impact_not_admissible").is_null());
    CHECK(hypothesis_in(wheel, "impact_law").is_null());
    // the table moves: what its impacts do is seen from the table
    const auto table = inspection_of(shipped_scene("vibrating_table"));
    CHECK(hypothesis_in(table, "impact_not_admissible").is_null());
    CHECK_FALSE(hypothesis_in(table, "impact_law").is_null());
}

TEST_CASE("pieces in time and whole powers cost nothing, an obstacle that jumps does")
{
    CHECK(inspection_of(shipped_scene("ratchet"))["promise"] == "one_solution");
    CHECK(inspection_of(defect("threshold_order"))["promise"] == "one_solution");
    const auto jump = inspection_of(defect("jumping_wall"));
    CHECK(jump["promise"] == "none_promised");
    CHECK_FALSE(hypothesis_in(jump, "obstacle_jumps").is_null());
}

TEST_CASE("bars whose forces are bounded do not blow up, however long they are")
{
    for (const char* length : {"0.7", "1", "2", "5"}) {
        const auto json = inspection_of(shipped_scene("follower_pendulum"),
                                        {"--set", std::string("parameters.l1=") + length});
        CAPTURE(length);
        CHECK(json["promise"] == "one_solution");
        CHECK(json["for_all_time_shown"] == true);
    }
}

TEST_CASE("a bump in time that has already begun, or comes after the run, costs nothing")
{
    const auto at = [](const char* start_s, const char* duration_s) {
        return inspection_of(defect("bump_in_time"), {"--set", std::string("start_s=") + start_s, "--set",
                                                      std::string("duration_s=") + duration_s});
    };
    CHECK(at("0.5", "1")["promise"] == "one_solution");
    CHECK(at("-2", "1")["promise"] == "one_solution");
    CHECK(at("-0.5", "1")["promise"] == "possibly_several");
    CHECK(at("0", "1")["promise"] == "possibly_several");
}

TEST_CASE("a run tells where theory has left it")
{
    CHECK_FALSE(finding(run_of(defect("freewheel_start")), "start_outside_law").is_null());
    CHECK_FALSE(finding(run_of(defect("bump_in_time")), "not_analytic_in_time").is_null());
    CHECK(finding(run_of(shipped_scene("freewheel")), "start_outside_law").is_null());

    // a singular configuration is passed, a corner turned, drives contradict each other: no certificate
    const auto passed = run_of(defect("parallelogram"));
    CHECK_FALSE(finding(passed, "singular_configuration").is_null());
    CHECK(passed["status"] == "uncertified");
    const auto corner = run_of(defect("kink_constraint"));
    CHECK_FALSE(finding(corner, "constraint_turns").is_null());
    CHECK(corner["status"] == "uncertified");
    const auto drives = run_of(defect("contradictory_drives"));
    CHECK_FALSE(finding(drives, "constraints_contradict").is_null());
    CHECK(drives["status"] == "uncertified");

    // percussions grow like 1/h where V(q) has no interior
    for (const char* step : {"1e-2", "1e-3", "1e-4"}) {
        const auto pinched =
            run_of(defect("pinch"), {"--set", std::string("integrator.time_step_s=") + step});
        CAPTURE(step);
        CHECK_FALSE(finding(pinched, "no_interior").is_null());
        CHECK(pinched["status"] == "uncertified");
    }
}

TEST_CASE("mechanisms that fold into a line are told, those that only turn are not")
{
    const auto linkage = [](const std::string& start, const std::string& duration) {
        return "duration_s = " + duration +
               "\n[[coordinate]]\nname = \"a\"\nstart = 1\nstart_velocity = -1\nunit = \"rad\"\n"
               "[[coordinate]]\nname = \"b\"\nstart = 0\nunit = \"rad\"\n"
               "[[coordinate]]\nname = \"c\"\nstart = 1\nstart_velocity = -1\nunit = \"rad\"\n"
               "[lagrangian]\nkinetic = \"(a'^2 + b'^2 + c'^2)/2\"\n[[constraint]]\nname = \"loop\"\n"
               "zero = [\"7*(" +
               start + "*cos(a) + cos(b) - " + start + "*cos(c) - 1)\", \"" + start + "*sin(a) + sin(b) - " +
               start + "*sin(c)\"]\n";
    };
    const Folder folder;
    for (const std::string length : {"0.5", "0.8"}) {
        // a = 1 - t comes to the line at t = 1
        const auto before = run_of(folder.write("before.toml", linkage(length, "0.9")));
        CHECK(before["status"] == "certified");
        CHECK(before["diagnosis"].empty());
        const auto through = run_of(folder.write("through.toml", linkage(length, "1.2")));
        CHECK(through["status"] == "uncertified");
        CHECK_FALSE(finding(through, "singular_configuration").is_null());
    }
}

TEST_CASE("more firm rows than a run watches are said once, and cost no certificate")
{
    // carriages on one line, each pinned to the next: n rows on n + 1 coordinates
    const auto train = [](int rows) {
        std::string text = "duration_s = 0.02\n", kinetic, zero;
        for (int i = 0; i <= rows; ++i) {
            const std::string x = "x" + std::to_string(i);
            text += "[[coordinate]]\nname = \"" + x + "\"\nstart = " + std::to_string(i) +
                    "\nstart_velocity = 1\n";
            kinetic += (i == 0 ? "" : " + ") + x + "'^2/2";
            if (i == 0) continue;
            zero += std::string(i == 1 ? "" : ", ") + "\"" + x + " - x" + std::to_string(i - 1) + " - 1\"";
        }
        return text + "[lagrangian]\nkinetic = \"" + kinetic +
               "\"\n[[constraint]]\nname = \"couplings\"\nzero = [" + zero +
               "]\n[integrator]\ntime_step_s = 1e-3\n";
    };
    const Folder folder;
    const auto watched = run_of(folder.write("watched.toml", train(40)));
    CHECK(watched["status"] == "certified");
    CHECK(finding(watched, "rank_not_watched").is_null());
    const auto longer = run_of(folder.write("longer.toml", train(41)));
    CHECK(longer["status"] == "certified");
    CHECK(finding(longer, "rank_not_watched")["count"] == 1);
}

TEST_CASE("an edge in time that comes and goes too fast to be searched for is said not to be searched for")
{
    // the root's argument touches zero where the run does not look, or not at all: nobody can tell in bounded
    // time
    const auto shaken = [](const std::string& frequency, const std::string& lowest) {
        return "duration_s = 1\n[[coordinate]]\nname = \"z\"\nstart = 1\n[lagrangian]\nkinetic = \"z'^2/2\"\n"
               "potential = \"z\"\nforces = { z = \"1e-3*sqrt(" +
               lowest + " + t + sin(" + frequency +
               "*t))\" }\n[[contact]]\nname = \"floor\"\ngap = \"z\"\n[integrator]\ntime_step_s = 1e-3\n";
    };
    const Folder folder;
    const auto fast = folder.write("fast.toml", shaken("1e7", "1.00001"));
    CHECK(finding(run_of(fast), "instants_not_searched")["count"] == 1);
    const auto inspected = inspection_of(fast);
    CHECK(inspected["promise"] != "one_solution");
    CHECK_FALSE(hypothesis_in(inspected, "instants_not_searched").is_null());

    // ten oscillations are searched, and the one that touches zero is found
    const auto slow = run_of(folder.write("slow.toml", shaken("60", "1.00001")));
    CHECK(finding(slow, "instants_not_searched").is_null());
    CHECK(finding(slow, "not_analytic_in_time").is_null());
    const auto touches = run_of(folder.write("touches.toml", shaken("60", "0.5")));
    CHECK_FALSE(finding(touches, "not_analytic_in_time").is_null());
}
