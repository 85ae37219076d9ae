#include "support.hpp"

#include <fstream>
#include <sstream>

using namespace carom;
using namespace carom::test;

namespace {

std::string read(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

const std::string scenes = std::string(CAROM_SOURCE_DIR) + "/scenes/";

/// The order table of a quantity in the --json of a study.
nlohmann::json order_in(const nlohmann::json& json, const std::string& quantity)
{
    for (const auto& table : json["orders"]) {
        if (table["quantity"] == quantity) return table;
    }
    FAIL("no order of " << quantity);
    return {};
}

/// Arguments that must be refused, with a message that holds this piece.
void study_refused(std::vector<std::string> arguments, const char* piece)
{
    const Folder folder;
    arguments.insert(arguments.begin(), {"study", folder.write("ball.toml", ball)});
    const Outcome outcome = carom_program(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(contains(outcome.err, piece));
}

}  // namespace

TEST_CASE("a study varies a parameter and writes one row per run")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball);
    const Outcome outcome = carom_program(
        {"study", scene, "--vary", "parameters.e=0:1:0.5", "-o", folder.path("t.csv"), "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    const auto json = outcome.json();
    CHECK(json["runs"] == 3);
    CHECK(json["done"] == 3);
    CHECK(json["rows"].size() == 3);
    CHECK(json["statuses"]["certified"] == 3);
    const std::string table = read(folder.path("t.csv"));
    CHECK(
        table.starts_with("run,study,parameters.e,time_step_s,status,end,end_s,steps,z,z',energy,energy_J,"));

    // again: nothing is left to do, and the table stays as it is
    const Outcome again =
        carom_program({"study", scene, "--vary", "parameters.e=0:1:0.5", "-o", folder.path("t.csv")});
    CHECK(again.status == 0);
    CHECK(contains(again.out, "3 runs were already in the table"));
    CHECK(read(folder.path("t.csv")) == table);
}

TEST_CASE("parts put together are the whole, on any number of threads")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball);
    const auto study = [&](const std::string& name, const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"study",          scene, "--repeat",        "6",
                                           "--perturb-step", "-o",  folder.path(name), "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = carom_program(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.status == 0);
        CHECK(outcome.out.empty());
    };
    study("whole.csv", {"--threads", "1"});
    study("one.csv", {"--shard", "1/2", "--threads", "2"});
    study("two.h5", {"--shard", "2/2"});
    const Outcome merged = carom_program(
        {"study", "--merge", folder.path("one.csv"), folder.path("two.h5"), "-o", folder.path("all.csv")});
    CAPTURE(merged.err);
    CHECK(merged.status == 0);
    CHECK(contains(merged.out, "6 of 6 runs"));
    CHECK(read(folder.path("all.csv")) == read(folder.path("whole.csv")));
}

TEST_CASE("Ctrl-C keeps the runs that are done, and the same command goes on")
{
    const Folder folder;
    const std::string scene = folder.write("ball.toml", ball), table = folder.path("t.csv");
    const std::vector<std::string> arguments{"study", scene, "--repeat", "100000", "--perturb-step=1e-4",
                                             "-o",    table, "--json"};
    const Outcome stopped = carom_program(arguments, table);
    CAPTURE(stopped.err);
    REQUIRE(stopped.status == 130);
    const auto json = stopped.json();
    CHECK(json["interrupted"] == true);
    CHECK(json["done"] < 100000);
    REQUIRE(json["done"] > 0);  // a run takes some milliseconds
    const std::string begun = read(table);
    CHECK(begun.ends_with("\n"));

    const Outcome other = carom_program({"study", scene, "--repeat", "2", "-o", table});
    CHECK(other.status == 2);
    CHECK(contains(other.err, "another study"));
    CHECK(read(table) == begun);
}

TEST_CASE("orders towards the blow-up of B-CE2 and the double pendulum of B-EX4-1 are two")
{
    // both motions are smooth and the scheme is of second order; with the steps used here terms of the next
    // order are below 10 % of the leading one, which moves a ratio by less than 0.15
    const auto blow_up =
        carom_program({"study", scenes + "blow_up.toml", "--converge", "--at", "0.5,0.9", "--exact",
                       "q@0.5=0.6931471805599453", "--exact", "q@0.9=2.302585092994046", "--json"});
    CAPTURE(blow_up.err);
    REQUIRE(blow_up.status == 0);
    for (const char* quantity : {"q@0.5", "q@0.9"}) {
        const auto order = order_in(blow_up.json(), quantity);
        CHECK(order["verdict"] == "seen");
        CHECK(order["fitted_order"].get<double>() == doctest::Approx(2).epsilon(0.075));
    }
    const auto pendulum =
        carom_program({"study", scenes + "follower_pendulum.toml", "--converge", "--levels", "4", "--set",
                       "integrator.time_step_s=0.01", "--set", "duration_s=2", "--exact",
                       "q1=0.35125742931313153", "--exact", "q2'=-0.20341958913977942", "--json"});
    CAPTURE(pendulum.err);
    REQUIRE(pendulum.status == 0);
    for (const char* quantity : {"q1", "q2'"}) {
        const auto order = order_in(pendulum.json(), quantity);
        CHECK(order["verdict"] == "seen");
        CHECK(order["fitted_order"].get<double>() == doctest::Approx(2).epsilon(0.075));
    }
}

TEST_CASE("the instant of the first bounce of C-PARAB-1 is found to first order")
{
    const auto outcome =
        carom_program({"study", scenes + "parabola_billiard.toml", "--converge", "--levels", "8", "--set",
                       "duration_s=2", "--impacts", "1", "--exact", "impact1_s=1.50781578794022", "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    const auto order = order_in(outcome.json(), "impact1_s");
    // the impact is noticed in one of the two steps around it
    for (std::size_t k = 0; k < order["error"].size(); ++k)
        CHECK(order["error"][k].get<double>() <= order["h_s"][k].get<double>());
    CHECK(order["fitted_order"].get<double>() > 0.5);
}

TEST_CASE("bad studies get their message and exit status 2")
{
    study_refused({"--vary", "parameters.f=1,2"}, "carom does not know `f`");
    study_refused({"--vary", "parameters.e=0:2:1"}, "with --vary parameters.e = 2");
    study_refused({"--vary", "parameters.e=0:1:0"}, "is empty");
    study_refused({"--vary", "parameters.g=0:1:1e-12"}, "at most");
    study_refused({"--repeat", "100000000"}, "at most");
    study_refused({"--repeat", "0"}, "--repeat");
    study_refused({"--shard", "3/2"}, "there is no part 3 of 2");
    study_refused({"--shard", "x"}, "i/n");
    study_refused({"--perturb-step=1"}, "--perturb-step");
    study_refused({"--perturb-step=much"}, "not a number");
    study_refused({"--perturb", "y=1"}, "`y`");
    study_refused({"--strobe", "0.1", "--skip", "100"}, "--strobe");
    study_refused({"--converge", "--repeat", "3"}, "--converge");
    study_refused({"--converge", "--exact", "y=1"}, "no column `y`");
    study_refused({"--exact", "z=1"}, "--converge");
    study_refused({"--at", "5"}, "outside the run");
    study_refused({"--threads", "-1"}, "--threads");
    study_refused({"-o", "table.txt"}, ".csv or .h5");
    study_refused({"-o", "no/such/folder/t.csv"}, "cannot be written");
    CHECK(carom_program({"study"}).status == 2);
    CHECK(carom_program({"study", "no_scene.toml"}).status == 2);
    CHECK(carom_program({"study", "--merge", "no.csv", "-o", "x.csv"}).status == 2);

    // all mistakes at once
    const Folder folder;
    const Outcome both = carom_program({"study", folder.write("ball.toml", ball), "--shard", "0/2", "--vary",
                                        "parameters.f=1", "--at", "never"});
    CHECK(contains(both.err, "--shard"));
    CHECK(contains(both.err, "--at"));
    CHECK(contains(both.err, "--vary parameters.f"));
}
