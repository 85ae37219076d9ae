#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <set>
#include <sstream>

using namespace carom::test;

namespace {

const std::string oscillator = std::string(CAROM_SOURCE_DIR) + "/scenes/impact_oscillator.toml";
const std::string belt = std::string(CAROM_SOURCE_DIR) + "/scenes/stick_slip_belt.toml";
const std::string pour = std::string(CAROM_SOURCE_DIR) + "/scenes/pour.toml";
const std::string period = "2*pi/w";

bool begins_with(const std::string& path, const std::string& text)
{
    std::ifstream file(path, std::ios::binary);
    std::string begin(text.size(), '\0');
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return begin == text;
}

}  // namespace

TEST_CASE("an orbit that sticks and slips is written: what it is near to has a name")
{
    const Folder folder;
    const auto found = carom_program(
        {"orbit", belt, "--section", "-s'", "--settle", "1", "-o", folder.path("belt.html"), "--json"});
    REQUIRE(found.status == 0);
    // the block stops on the belt once in every period: by how much is told under a name of its own
    const auto orbit = found.json();
    std::set<std::string> kinds;
    for (const auto& near : orbit["near"])
        kinds.insert(near["kind"].get<std::string>());
    CHECK(kinds.contains("stop"));
    CHECK(begins_with(folder.path("belt.html"), "<!doctype html>"));
}

TEST_CASE("carom orbit writes a recording, a page and the orbit itself, from which it is found again at once")
{
    const Folder folder;
    const auto found = carom_program({"orbit", oscillator, "--period", period, "--settle", "50", "-o",
                                      folder.path("orbit.json"), "--json"});
    REQUIRE(found.status == 0);
    const auto orbit = found.json();
    CHECK(orbit["stable"] == true);
    CHECK(orbit["stability"] == "stable");
    CHECK(orbit["rests"] == false);

    for (const char* option : {"--guess"}) {
        const auto again = carom_program(
            {"orbit", oscillator, "--period", period, option, folder.path("orbit.json"), "--json"});
        REQUIRE(again.status == 0);
        CHECK(again.json()["start"]["x"]["q"].get<double>() ==
              doctest::Approx(orbit["start"]["x"]["q"].get<double>()).epsilon(1e-11));
    }

    // the recording of one period ends where it begins
    REQUIRE(carom_program({"orbit", oscillator, "--period", period, "--guess", folder.path("orbit.json"),
                           "-o", folder.path("orbit.h5")})
                .status == 0);
    const auto first = carom_program(
        {"orbit", oscillator, "--period", period, "--guess", folder.path("orbit.h5") + "@0", "--json"});
    const auto last = carom_program(
        {"orbit", oscillator, "--period", period, "--guess", folder.path("orbit.h5"), "--json"});
    REQUIRE(first.status == 0);
    REQUIRE(last.status == 0);
    CHECK(first.json()["start"]["x"]["u"].get<double>() ==
          doctest::Approx(last.json()["start"]["x"]["u"].get<double>()).epsilon(1e-9));

    REQUIRE(
        carom_program({"orbit", oscillator, "--period", period, "-o", folder.path("orbit.html")}).status ==
        0);
    CHECK(begins_with(folder.path("orbit.html"), "<!doctype html>"));
}

TEST_CASE("carom branch begins from an orbit and writes tables, diagrams and a page")
{
    const Folder folder;
    REQUIRE(carom_program(
                {"orbit", oscillator, "--period", period, "--settle", "50", "-o", folder.path("orbit.json")})
                .status == 0);
    const auto follow = [&](const std::string& output) {
        return carom_program({"branch", oscillator, "--period", period, "--over", "parameters.w=2.5:2.75",
                              "--from", folder.path("orbit.json"), "--set", "parameters.w=2.6", "--max-step",
                              "0.1", "-o", folder.path(output), "--json"});
    };
    for (const auto& [name, begin] : {std::pair{"d.svg", "<svg"},
                                      {"d.pdf", "%PDF"},
                                      {"d.html", "<!doctype"},
                                      {"d.json", "{"},
                                      {"d.csv", "branch,w,period_s,stable"},
                                      {"d.h5", "\x89HDF"}}) {
        CAPTURE(name);
        const auto branch = follow(name);
        REQUIRE(branch.status == 0);
        CHECK(branch.json()["points"].size() > 5);
        CHECK(begins_with(folder.path(name), begin));
    }
    const auto wrong = follow("d.png");
    CHECK(wrong.status == 2);
    CHECK(contains(wrong.err, ".svg"));
}

TEST_CASE("orbits that cannot be are refused with a hint")
{
    const Folder folder;
    const auto refused = [](const std::vector<std::string>& arguments, std::string_view words) {
        const auto outcome = carom_program(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.status == 2);
        CHECK(contains(outcome.err, words));
        CHECK(contains(outcome.err, "hint"));
        // programs are told too
        std::vector<std::string> with_json = arguments;
        with_json.emplace_back("--json");
        const auto told = nlohmann::json::parse(carom_program(with_json).out, nullptr, false);
        REQUIRE(told.is_object());
        CHECK(told["status"] == "bad_input");
        CHECK(contains(told.dump(), words));
    };
    refused({"orbit", oscillator, "--period", "2"}, "not a multiple of the period of the forcing");

    // over a small part of its period a force has not changed yet: nothing moves, and nothing repeats
    for (const char* part : {"1e-12", "1e-300", "2*pi/w*1e-9"}) {
        refused({"orbit", oscillator, "--period", part}, "not a multiple of the period of the forcing");
    }
    refused(
        {"orbit", oscillator, "--period", "2*pi/2.2", "--set", "parameters.w=2.2", "--by", "parameters.w"},
        "does not follow it");
    refused({"orbit", oscillator}, "neither a period nor a section");
    refused({"orbit", oscillator, "--period", period, "--section", "x"}, "a period is given as well");
    refused({"orbit", oscillator, "--section", "x'"}, "depends on the time");
    refused({"orbit", belt, "--section", "s - 100"}, "crosses the section 0 times");
    refused({"orbit", oscillator, "--period", "2*pi/omega"}, "omega");
    refused({"orbit", oscillator, "--period", period, "--by", "parameters.omega"}, "omega");
    refused({"orbit", oscillator, "--period", period, "--by", "w"}, "w is not a parameter");
    refused({"orbit", oscillator, "--period", period, "--shift", "x"}, "NAME=VALUE");
    refused({"orbit", oscillator, "--period", period, "--free", "y"}, "no coordinate");
    refused({"orbit", pour, "--period", "1"}, "coordinates");
    refused({"orbit", oscillator, "--period", period, "--guess", folder.path("none.h5")}, "none.h5");
    refused({"orbit", oscillator, "--period", period, "--guess", folder.write("bad.json", "{\"a\": 1}")},
            "holds no orbit");
    refused({"orbit", oscillator, "--period", period, "--guess", folder.path("none.h5@x")}, "FILE@TIME");
    refused({"branch", oscillator, "--period", period, "--over", "parameters.omega=1:2"}, "omega");
    refused({"branch", oscillator, "--period", period, "--over", "parameters.w=2:1"}, "not the range");
    refused({"branch", oscillator, "--period", period, "--over", "w=1:2"}, "not the range");
    refused({"branch", oscillator, "--period", period, "--over", "parameters.w=3:4"}, "outside 3 to 4");
    // before the branch is followed, which need not have points that a curve could begin at
    refused({"branch", oscillator, "--period", period, "--over", "parameters.w=2.2:2.3", "--curve",
             "parameters.omega=1:2"},
            "omega");
    refused({"branch", oscillator, "--period", period, "--over", "parameters.w=2.2:2.3", "--curve",
             "parameters.w=2.2:2.3"},
            "the parameter of the branch as well");
    refused({"branch", oscillator, "--equilibrium", "--over", "parameters.w=2:3"}, "depend on the time");
    refused({"branch", belt, "--equilibrium", "--over", "parameters.load=1:100"}, "moves");
    refused({"run", oscillator, "--sensitivity", "parameters.e", "--of-steps"}, "moreau");
    refused({"run", oscillator, "--sensitivity", "parameters.omega"}, "omega");
    refused({"run", oscillator, "--sensitivity", "parameters.e,parameters.e"}, "named twice");
    refused({"run", oscillator, "--sensitivity", "parameters.e", "-o", folder.path("a.h5")}, "no recording");
    refused({"run", oscillator, "--sensitivity", "parameters.e", "--at", "1e9"}, "instant");
    refused({"run", pour, "--sensitivity", "parameters.e"}, "coordinates");
    refused({"study", oscillator, "--lyapunov", "100"}, "--strobe");
    refused({"study", oscillator, "--strobe", "1", "--lyapunov", "100", "--vary", "parameters.e=0.1,0.2"},
            "one motion");
}

TEST_CASE("no orbit: exit status 1, with the residual and what to try")
{
    const Folder folder;
    const std::string away = folder.write("away.toml", R"toml(
title = "away"
duration_s = 3
[[coordinate]]
name = "x"
start = 0
[lagrangian]
kinetic = "x'^2/2"
forces = { x = "1 + 0.1*cos(t)" }
)toml");
    const auto outcome = carom_program({"orbit", away, "--period", "2*pi"});
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.out, "the closure error is"));
    CHECK(contains(outcome.out, "segments"));
}

TEST_CASE("basins of two wells: each start comes to rest in its own")
{
    // damped, with wells at -1 and 1: starts at rest fall into the well of their side
    const Folder folder;
    const std::string wells = folder.write("wells.toml", R"toml(
title = "two wells"
duration_s = 60
[[coordinate]]
name = "x"
start = 0.5
[lagrangian]
kinetic = "x'^2/2"
potential = "x^4/4 - x^2/2"
forces = { x = "-0.5*x'" }
[integrator]
kind = "series"
time_step_s = 0.5
)toml");
    const auto study = [&](const std::string& basin) {
        return carom_program({"study", wells, "--vary", "coordinate.x.start=-0.9:0.9:0.6", "--vary",
                              "coordinate.x.start_velocity=-0.02:0.02:0.02", "--strobe", "1", "--skip", "50",
                              "--basin", folder.path(basin)});
    };
    const auto outcome = study("basin.json");
    CAPTURE(outcome.err);
    REQUIRE(outcome.status <= 1);
    CHECK(contains(outcome.out, "12 starts, 2 attractors"));
    std::ifstream file(folder.path("basin.json"));
    const auto basins = nlohmann::json::parse(file);
    REQUIRE(basins["attractors"].size() == 2);
    const auto& of = basins["of"];
    REQUIRE(of.size() == 12);
    for (std::size_t i = 0; i < 12; ++i) {
        const int well = of[i];
        const double x = basins["attractors"][static_cast<std::size_t>(well)]["points"][0][0];
        CHECK(x == doctest::Approx(i < 6 ? -1 : 1).epsilon(1e-4));
    }
    CHECK(study("basin.svg").status <= 1);
    CHECK(begins_with(folder.path("basin.svg"), "<svg"));
    CHECK(study("basin.png").status == 2);
}

namespace {

/// A mass on a spring, pushed by F and pulled back by its damper.
const std::string pushed = R"toml(
title = "pushed"
duration_s = 5
[parameters]
k = 4
F = 2
[[coordinate]]
name = "x"
start = 0.3
[lagrangian]
kinetic = "x'^2/2"
potential = "k*x^2/2 - F*x"
forces = { x = "-6*x'" }
)toml";

std::vector<std::vector<std::string>> cells_of(const std::string& path)
{
    std::vector<std::vector<std::string>> rows;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        auto& row = rows.emplace_back();
        std::istringstream words(line);
        for (std::string word; std::getline(words, word, ',');)
            row.push_back(word);
    }
    return rows;
}

std::size_t column(const std::vector<std::vector<std::string>>& rows, const std::string& name)
{
    const auto found = std::ranges::find(rows.front(), name);
    REQUIRE_MESSAGE(found != rows.front().end(), name);
    return static_cast<std::size_t>(found - rows.front().begin());
}

}  // namespace

TEST_CASE("equilibria of a spring, x = F/k, as JSON, tables, pictures and a page")
{
    const Folder folder;
    const std::string scene = folder.write("pushed.toml", pushed);
    const auto follow = [&](const std::string& output) {
        return carom_program({"branch", scene, "--equilibrium", "--over", "parameters.F=-1:5", "-o",
                              folder.path(output), "--json"});
    };
    for (const auto& [name, begin] : {std::pair{"e.svg", "<svg"},
                                      {"e.pdf", "%PDF"},
                                      {"e.html", "<!doctype"},
                                      {"e.json", "{"},
                                      {"e.csv", "branch,F,x,stable"},
                                      {"e.h5", "\x89HDF"}}) {
        CAPTURE(name);
        const auto found = follow(name);
        REQUIRE(found.status == 0);
        CHECK(begins_with(folder.path(name), begin));
        const auto points = found.json()["branches"][0]["points"];
        REQUIRE(points.size() > 5);
        for (const auto& point : points) {
            CHECK(point["q"][0].get<double>() == doctest::Approx(point["value"].get<double>() / 4));
            CHECK(point["stable"] == true);
            // x'' + 6 x' + 4 x = 0
            CHECK(point["eigenvalues_1_s"][0][0].get<double>() == doctest::Approx(-3 + std::sqrt(5.0)));
        }
    }
    const auto rows = cells_of(folder.path("e.csv"));
    REQUIRE(rows.size() > 6);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        CHECK(std::stod(rows[i][2]) == doctest::Approx(std::stod(rows[i][1]) / 4));
    }
    CHECK(follow("e.png").status == 2);
}

TEST_CASE("a mass that comes to rest is no orbit, whatever period is asked for")
{
    const Folder folder;
    const std::string scene = folder.write("pushed.toml", pushed);
    const auto found = carom_program({"orbit", scene, "--period", "1", "--settle", "20", "--json"});
    CHECK(found.status == 1);
    CHECK(found.json()["converged"] == false);
    CHECK(found.json()["stable"] == false);
    CHECK(contains(found.json()["trouble"].get<std::string>(), "equilibrium"));
    // where the spring would be in balance
    CHECK(found.json()["start"]["x"]["q"].get<double>() == doctest::Approx(0.5).epsilon(1e-9));
}

TEST_CASE("a point of a branch gives its orbit again: tables and JSON have the time at which it begins")
{
    const Folder folder;
    const std::string table = std::string(CAROM_SOURCE_DIR) + "/scenes/ball_on_table.toml";
    for (const char* name : {"b.csv", "b.json"}) {
        REQUIRE(carom_program({"branch", table, "--period", period, "--over", "parameters.A=1.2:1.4",
                               "--max-step", "0.1", "-o", folder.path(name)})
                    .status == 0);
    }
    const auto rows = cells_of(folder.path("b.csv"));
    std::ifstream file(folder.path("b.json"));
    const auto points = nlohmann::json::parse(file)["points"];
    REQUIRE(rows.size() == points.size() + 1);
    const std::size_t start_s = column(rows, "start_s");
    for (const std::size_t i : {std::size_t{1}, rows.size() - 1}) {
        const auto& row = rows[i];
        const auto& point = points[i - 1];
        CHECK(point["start_s"].get<double>() == std::stod(row[start_s]));
        CHECK(point["start"][0].get<double>() == std::stod(row[column(rows, "z_start")]));
        CHECK(point["start_velocity"][0].get<double>() == std::stod(row[column(rows, "z_start_velocity")]));
        // the motion from there closes after a period, which it does from no other instant
        const auto run =
            carom_program({"run", table, "--json", "--sensitivity", "parameters.A", "--set",
                           "parameters.A=" + row[column(rows, "A")], "--set", "start_s=" + row[start_s],
                           "--set", "coordinate.z.start=" + row[column(rows, "z_start")], "--set",
                           "coordinate.z.start_velocity=" + row[column(rows, "z_start_velocity")], "--set",
                           "duration_s=" + row[column(rows, "period_s")]});
        REQUIRE(run.status == 0);
        const auto end = run.json()["states"][0]["coordinates"]["z"];
        CHECK(end["q"].get<double>() == doctest::Approx(point["start"][0].get<double>()).epsilon(1e-9));
        CHECK(end["u"].get<double>() ==
              doctest::Approx(point["start_velocity"][0].get<double>()).epsilon(1e-9));
    }
}
