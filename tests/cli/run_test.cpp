#include "support.hpp"

#include "carom/trace/recording.hpp"
#include "support/near.hpp"

#include <cmath>
#include <set>

using namespace carom;
using namespace carom::test;

TEST_CASE("carom says its version and helps with examples")
{
    const Outcome version = carom_program({"--version"});
    CHECK(version.status == 0);
    CHECK(version.out.starts_with("carom 0."));
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"--help"}, {"run", "--help"}, {"new", "--help"}}) {
        const Outcome help = carom_program(arguments);
        CHECK(help.status == 0);
        CHECK(contains(help.out, "Example"));
        CHECK(contains(help.out, "carom run"));
        CHECK(help.err.empty());
    }
}

TEST_CASE("arguments that make no sense are bad input")
{
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{}, {"fly"}, {"run"}, {"run", "a.toml", "--fast"}, {"new"}}) {
        const Outcome outcome = carom_program(arguments);
        CHECK(outcome.status == 2);
        CHECK(outcome.out.empty());
        CHECK_FALSE(outcome.err.empty());
    }
}

TEST_CASE("a certified run exits with 0 and tells people what happened")
{
    const Folder folder;
    const Outcome outcome = carom_program({"run", folder.write("ball.toml", ball)});
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out.starts_with("ball\ncertified"));
    for (const char* piece :
         {"state", "z ", "1 impact,", "floor", "residual", "energy", "change of kinetic", "unexplained"}) {
        CAPTURE(piece);
        CHECK(contains(outcome.out, piece));
    }
    CHECK_FALSE(contains(outcome.out, "\033"));
    CHECK(carom_program({"run", folder.path("ball.toml"), "--quiet"}).out.empty());
}

TEST_CASE("a run by series is recorded with its friction, and makes a page")
{
    const Folder folder;
    const std::string scene = std::string(CAROM_SOURCE_DIR) + "/scenes/status_cascade.toml";
    const std::string file = folder.path("run.h5");
    CHECK(carom_program({"run", scene, "-o", file, "--at", "1.0", "--no-svg"}).status == 0);
    CHECK(carom_program({"report", file, "-o", folder.path("page.html")}).status == 0);
}

TEST_CASE("a run by series tells its events to rounding, with the statuses before and after")
{
    // dropped from 1 m it strikes after sqrt(2 / 9.81) s; bounces, comes to rest, and a probe at the impact
    // has the velocity after it
    const Folder folder;
    const std::string file = folder.write("ball.toml", ball);
    const std::vector<std::string> by_series{"run", file, "--set", "integrator.kind=series"};
    const Outcome shown = carom_program(by_series);
    CHECK(shown.status == 0);
    CHECK(contains(shown.out, "0.451523640985731 s  impact"));
    std::vector<std::string> as_json = by_series;
    as_json.insert(as_json.end(), {"--json", "--at", "0.4515236409857309"});
    const auto json = carom_program(as_json).json();
    std::string status = "open";
    for (const auto& event : json["events"]) {
        CHECK(event["status_before"] == status);
        status = event["status_after"];
    }
    CHECK(status == "closed");
    CHECK(json["probes"][0]["state"]["z"]["u"].get<double>() == near(0, 1e-14));
}

TEST_CASE("--json prints one object with all that design asks for")
{
    const Folder folder;
    const Outcome outcome =
        carom_program({"run", folder.write("ball.toml", ball), "--json", "--at", "0.25,0,0.8"});
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out.find('\n') == outcome.out.size() - 1);
    const auto json = outcome.json();
    for (const char* key :
         {"status", "time_s", "steps", "state", "probes", "events", "certificate", "diagnosis", "timing"}) {
        CAPTURE(key);
        CHECK(json.contains(key));
    }
    CHECK(json["status"] == "certified");
    CHECK(json["steps"] == 1000);
    CHECK(json["time_s"] == 1.0);
    CHECK(json["diagnosis"].empty());
    for (const char* key : {"max_residual", "max_penetration_m", "max_cone_violation", "energy_balance_J",
                            "energy", "unsolved_steps"}) {
        CAPTURE(key);
        CHECK(json["certificate"].contains(key));
    }
    CHECK(json["certificate"]["energy"].size() == 10);
    CHECK(json["events"][0]["contact"] == "floor");
    CHECK(json["events"][0]["kind"] == "impact");

    // the snapshots come in the order asked for; free fall is exact at the steps, and straight within them
    // the error is below g h^2 / 8
    const auto& probes = json["probes"];
    REQUIRE(probes.size() == 3);
    CHECK(probes[0]["time_s"] == 0.25);
    CHECK(probes[0]["state"]["z"]["q"].get<double>() == near(1 - 9.81 * 0.25 * 0.25 / 2, 2e-6));
    CHECK(probes[0]["state"]["z"]["u"].get<double>() == near(-9.81 * 0.25, 1e-12));
    CHECK(probes[0]["values"]["energy"].get<double>() == near(9.81, 3e-5));
    CHECK(probes[1]["state"]["z"] == nlohmann::json{{"q", 1.0}, {"u", 0.0}});
    // soft floor: at rest, within the activation gap and one step's fall of it
    CHECK(probes[2]["state"]["z"]["u"] == 0.0);
}

TEST_CASE("asking for values never changes the motion")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", with(ball, "e = 0.0", "e = 0.7"));
    const auto plain = carom_program({"run", scene, "--json"}).json();
    const auto asked =
        carom_program({"run", scene, "--json", "--at", "0.1,0.12345,0.5", "--at", "0.9999"}).json();
    CHECK(asked["probes"].size() == 4);
    CHECK(plain["state"] == asked["state"]);
    CHECK(plain["events"] == asked["events"]);
    CHECK(plain["certificate"] == asked["certificate"]);
}

TEST_CASE("numbers of threads that make no sense are refused by name; the others change nothing")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball);
    for (const char* threads : {"0", "-1", "1000000", "two", "1.5"}) {
        CAPTURE(threads);
        const Outcome outcome = carom_program({"run", scene, "--threads", threads});
        CHECK(outcome.status == 2);
        CHECK(outcome.out.empty());
        CHECK(contains(outcome.err, "--threads"));
    }
    const auto alone = carom_program({"run", scene, "--json", "--threads", "1"}).json();
    const auto together = carom_program({"run", scene, "--json", "--threads", "3"}).json();
    CHECK(alone["state"] == together["state"]);
    CHECK(alone["certificate"] == together["certificate"]);
}

TEST_CASE("times outside the run, and words, are refused; times after an early end are not reached")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball);
    for (const char* times : {"1.5", "0.5,2", "nan", "0.5,soon", "1e999"}) {
        const Outcome outcome = carom_program({"run", scene, "--at", times});
        CAPTURE(times);
        CHECK(outcome.status == 2);
        CHECK(contains(outcome.err, "--at"));
    }
    CHECK(carom_program({"run", scene, "--at=-1"}).status == 2);
    const auto early =
        carom_program({"run", scene, "--json", "--at", "0.4,1", "--set", "until=0.5 - z"}).json();
    CHECK(early["end"] == "formula");
    // falling through 0.5 m, and no more than one step late
    const double fall_s = std::sqrt(2 * 0.5 / 9.81);
    CHECK(early["time_s"].get<double>() == near(fall_s + 5e-4, 6e-4));
    CHECK(early["probes"][0]["reached"] == false);
    const auto whole = carom_program({"run", scene, "--json", "--at", "1"}).json();
    CHECK(whole["probes"][0]["reached"] == true);
    CHECK(whole["probes"][0]["state"] == whole["state"]);
}

TEST_CASE("--set changes the run as if the file had said so")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball);
    const std::string other =
        folder.write("other.toml", with(with(ball, "e = 0.0", "e = 0.5"), "1e-3", "5e-4"));
    const auto set = carom_program({"run", scene, "--json", "--set", "parameters.e=0.5", "--set",
                                    "integrator.time_step_s=5e-4"})
                         .json();
    const auto written = carom_program({"run", other, "--json"}).json();
    CHECK(set["state"] == written["state"]);
    CHECK(set["events"] == written["events"]);
    const Outcome wrong = carom_program(
        {"run", scene, "--set", "parameters.ee=1", "--set", "duration_s", "--set", "duration_s=-1"});
    CHECK(wrong.status == 2);
    CHECK(contains(wrong.err, "did you mean `e`"));
    CHECK(contains(wrong.err, "path=value"));
    CHECK(contains(wrong.err, "--set duration_s"));
}

TEST_CASE("a run that misses its tolerance exits with 1 and says so")
{
    // ten blocks that fall together: one sweep cannot carry the shock through the stack
    std::string stack = "duration_s = 0.02\n[lagrangian]\nkinetic = \"";
    std::string potential, things;
    for (int i = 1; i <= 10; ++i) {
        const std::string z = "z" + std::to_string(i), below = i == 1 ? "0" : "z" + std::to_string(i - 1);
        stack += (i == 1 ? "" : "+") + z + "'^2/2";
        potential += (i == 1 ? "" : "+") + z;
        things += "[[coordinate]]\nname = \"" + z + "\"\nstart = 0\n[[contact]]\nname = \"c" +
                  std::to_string(i) + "\"\ngap = \"" + z + " - " + below + "\"\n";
    }
    stack += "\"\npotential = \"9.81*(" + potential + ")\"\n" + things;
    const Folder folder;
    const std::string scene = folder.write("stack.toml", stack);
    CHECK(carom_program({"run", scene}).status == 0);
    const std::vector<std::string> coarse{
        "run", scene, "--set", "solver.kind=gauss_seidel", "--set", "solver.max_sweeps=1"};
    const Outcome outcome = carom_program(coarse);
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.out, "uncertified"));
    auto stop = coarse;
    stop.insert(stop.end(), {"--set", "integrator.on_unsolved=stop", "--json"});
    const Outcome stopped = carom_program(stop);
    CHECK(stopped.status == 1);
    CHECK(stopped.json()["end"] == "unsolved_step");
    CHECK(stopped.json()["certificate"]["unsolved_steps"] == 1);
}

TEST_CASE("a run that becomes NaN fails with 3 and keeps what it had")
{
    // the root in the force exists until z = 0.5, which the ball passes in its fall
    const Folder folder;
    const std::string scene =
        folder.write("ball.toml", with(ball, "\"g*z\"", "\"g*z\"\nforces = { z = \"1e-3*sqrt(z - 0.5)\" }"));
    const Outcome outcome = carom_program({"run", scene, "--json", "-o", folder.path("run.h5")});
    CHECK(outcome.status == 3);
    const auto json = outcome.json();
    CHECK(json["status"] == "failed");
    REQUIRE(json["diagnosis"].size() == 1);
    CHECK(json["diagnosis"][0]["code"] == "not_finite");
    CHECK(json["steps"].get<long>() > 100);
    CHECK(json["state"]["z"]["q"].get<double>() > 0.49);
    CHECK_FALSE(contains(outcome.out, "nan"));
    CHECK(read_recording(folder.path("run.h5"))->frames() > 100);
}

TEST_CASE("Ctrl-C ends a run with 130 and keeps the recording and the result so far")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball), run = folder.path("run.h5");
    const Outcome outcome = carom_program(
        {"run", scene, "--json", "-o", run, "--set", "duration_s=100000", "--set", "record.every_s=0.1"},
        run);
    CHECK(outcome.status == 130);
    const auto json = outcome.json();
    CHECK(json["end"] == "interrupted");
    CHECK(json["time_s"].get<double>() < 100000);
    const auto recording = read_recording(run);
    REQUIRE(recording.has_value());
    // a frame that is due in the last step has the time it was due at, the state the sum of its steps:
    // rounding of some 10^5 of them
    CHECK(recording->time_s[recording->frames() - 1] == near(json["time_s"].get<double>(), 1e-7));
    CHECK(std::filesystem::exists(folder.path("run.svg")));
}

TEST_CASE("-o writes a recording and a picture beside it")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball), run = folder.path("run.h5");
    const Outcome outcome = carom_program({"run", scene, "-o", run, "--set", "parameters.e=0.5"});
    CHECK(outcome.status == 0);
    CHECK(contains(outcome.out, run));
    CHECK(contains(outcome.out, folder.path("run.svg")));
    const auto recording = read_recording(run);
    REQUIRE(recording.has_value());
    CHECK(recording->frames() > 900);
    CHECK(contains(recording->scene_text, "e = 0.5"));
    CHECK(std::filesystem::file_size(folder.path("run.svg")) > 1000);

    // again over the same files, without a picture
    std::filesystem::remove(folder.path("run.svg"));
    CHECK(carom_program({"run", scene, "-o", run, "--no-svg"}).status == 0);
    CHECK_FALSE(std::filesystem::exists(folder.path("run.svg")));
}

TEST_CASE("carom new writes a scene that runs, and never over a file")
{
    const Folder folder;
    for (const char* kind : {"bounce", "pendulum", "shaker"}) {
        const std::string name = folder.path(kind);
        CAPTURE(kind);
        const Outcome made = carom_program({"new", name, "--template", kind});
        CHECK(made.status == 0);
        CHECK(contains(made.out, name + ".toml"));
        CHECK(carom_program({"run", name + ".toml"}).status == 0);
        const Outcome again = carom_program({"new", name});
        CHECK(again.status == 2);
        CHECK(contains(again.err, "already exists"));
    }
    const Outcome unknown = carom_program({"new", folder.path("x"), "--template", "bonuce"});
    CHECK(unknown.status == 2);
    CHECK(contains(unknown.err, "did you mean bounce?"));
    CHECK(carom_program({"new", folder.path("none/x")}).status == 2);
}
