#include "support.hpp"

#include <algorithm>
#include <cmath>

using namespace carom::test;

namespace {

std::string scene(const std::string& name)
{
    return std::string(CAROM_SOURCE_DIR) + "/scenes/" + name + ".toml";
}

/// The hypothesis of that code in the JSON object of an inspected scene; null if it is not there.
nlohmann::json hypothesis(const nlohmann::json& inspection, const std::string& code)
{
    for (const auto& item : inspection["hypotheses"]) {
        if (item["code"] == code) return item;
    }
    return nullptr;
}

/// Particle of 1 kg in a plane with these contacts.
std::string in_a_plane(const std::string& contacts)
{
    return "duration_s = 1.0\n[[coordinate]]\nname = \"x\"\nstart = 0.0\n[[coordinate]]\nname = \"y\"\nstart "
           "= 0.0\n"
           "[lagrangian]\nkinetic = \"x'^2/2 + y'^2/2\"\n" +
           contacts;
}

std::string wall(const std::string& name, const std::string& gap)
{
    return "[[contact]]\nname = \"" + name + "\"\ngap = \"" + gap + "\"\nlaw = { kind = \"unilateral\" }\n";
}

}  // namespace

TEST_CASE("the pendulum against a wall is promised one solution for all time")
{
    const Outcome outcome = carom_program({"inspect", scene("pendulum_wall"), "--json"});
    CHECK(outcome.status == 0);
    const auto json = outcome.json();
    CHECK(json["status"] == "well_posed");
    CHECK(json["promise"] == "one_solution");
    CHECK(json["degrees_of_freedom"] == 1);
    CHECK(json["contacts"] == 1);
    CHECK(json["singularities"].empty());
    CHECK(hypothesis(json, "analytic")["bearing"] == "holds");

    const Outcome words = carom_program({"inspect", scene("pendulum_wall")});
    CHECK(words.status == 0);
    CHECK(contains(words.out, "one solution, for all time"));
    CHECK(contains(words.out, "corollary 16"));
}

TEST_CASE("B-CE1: the cube root is named, with counter-example 1")
{
    const Outcome outcome = carom_program({"inspect", scene("two_motions"), "--json"});
    CHECK(outcome.status == 1);
    const auto json = outcome.json();
    CHECK(json["promise"] == "possibly_several");
    CHECK(
        contains(hypothesis(json, "force_not_lipschitz")["theory"].get<std::string>(), "counter-example 1"));
    CHECK(json["singularities"][0]["reach"] == "at_start");
    CHECK(contains(carom_program({"inspect", scene("two_motions")}).out, "possibly several solutions"));
}

TEST_CASE("B-CE1: the scene has both motions, and carom's own start follows the one at rest")
{
    // q(1) from q0 = 0 is 0; from q0 = 1e-6 it is 1.01807998899 (reference case B-CE1). The scheme has an
    // error of order h^2 / 24 of the third derivative times the growth of errors away from the unstable rest
    const auto at_end = [](const std::string& start) {
        return carom_program({"run", scene("two_motions"), "--set", "coordinate.q.start=" + start, "--set",
                              "integrator.time_step_s=1e-4", "--json"})
            .json()["state"]["q"]["q"]
            .get<double>();
    };
    CHECK(at_end("0.0") == 0.0);
    CHECK(std::abs(at_end("1e-6") - 1.01807998899) < 1e-4);
}

TEST_CASE("B-CE2: the blow-up is named, with the formula that grows")
{
    const Outcome outcome = carom_program({"inspect", scene("blow_up"), "--json"});
    CHECK(outcome.status == 1);
    const auto json = outcome.json();
    CHECK(json["promise"] == "one_solution");
    CHECK(json["for_all_time"] == false);
    CHECK(json["growth"]["fastest"] == "lagrangian.forces.q");
    const auto growth = hypothesis(json, "superlinear_force");
    CHECK(growth["bearing"] == "costs_eternity");
    CHECK(contains(growth["message"].get<std::string>(), "blow-up"));
    CHECK(contains(growth["theory"].get<std::string>(), "counter-example 2"));
}

TEST_CASE("dependent walls and a closing gap are named with their contacts")
{
    const Folder folder;
    const auto corner = folder.write(
        "corner.toml", in_a_plane(wall("left", "x") + wall("floor", "y") + wall("slope", "x + y")));
    const auto dependent = carom_program({"inspect", corner, "--json"});
    CHECK(dependent.status == 1);
    CHECK(dependent.json()["start"]["rank"] == 2);
    CHECK(dependent.json()["start"]["interior"] == true);
    CHECK(
        contains(hypothesis(dependent.json(), "dependent_gradients")["message"].get<std::string>(), "slope"));

    const auto vice = folder.write("vice.toml", in_a_plane(wall("jaw", "x") + wall("other_jaw", "-x")));
    const auto pinched = carom_program({"inspect", vice, "--json"});
    CHECK(pinched.status == 1);
    CHECK(pinched.json()["start"]["interior"] == false);
    CHECK(contains(hypothesis(pinched.json(), "no_interior")["theory"].get<std::string>(), "(2.10)"));
    CHECK(contains(hypothesis(pinched.json(), "no_interior")["message"].get<std::string>(),
                   "0.5 jaw + 0.5 other_jaw = 0"));
}

TEST_CASE("a start that runs into a closed contact is not admissible")
{
    const Outcome outcome =
        carom_program({"inspect", scene("pendulum_wall"), "--json", "--set", "coordinate.theta.start=0",
                       "--set", "coordinate.theta.start_velocity=-1"});
    CHECK(outcome.status == 1);
    CHECK(hypothesis(outcome.json(), "start_velocity_outside")["bearing"] == "costs_existence");
}

TEST_CASE("a recording tells what was proved, the worst step and every line of the ledger")
{
    const Folder folder;
    const std::string run = folder.path("pendulum.h5");
    REQUIRE(carom_program({"run", scene("pendulum_wall"), "-o", run, "--quiet", "--no-svg"}).status == 0);
    const Outcome outcome = carom_program({"inspect", run, "--json"});
    CHECK(outcome.status == 0);
    const auto json = outcome.json();
    CHECK(json["status"] == "certified");
    CHECK(json["complete"] == true);
    CHECK(json["end"] == "duration");
    CHECK(json["steps"] == 5000);
    CHECK(json["tolerance"] == 1e-8);
    CHECK(json["promise"] == "one_solution");
    CHECK(json["certificate"]["unsolved_steps"] == 0);
    CHECK(json["events"]["impact"].get<int>() > 0);
    // the lines add up: kinetic + potential = all the others + what is unexplained
    double sum = 0;
    for (const auto& [name, value] : json["certificate"]["energy"].items())
        sum += (name == "kinetic_J" || name == "potential_J" ? 1 : -1) * value.get<double>();
    CHECK(std::abs(sum) < 1e-9);
    // steps end at n h
    const auto& certificate = json["certificate"];
    if (certificate["max_residual"].get<double>() > 0)
        CHECK(std::abs(certificate["worst_step"].get<double>() * 1e-3 -
                       certificate["max_residual_time_s"].get<double>()) < 1e-9);
    CHECK(contains(carom_program({"inspect", run}).out, "change of kinetic"));
}

TEST_CASE("runs that failed or were interrupted are told apart")
{
    const Folder folder;
    const std::string failed = folder.path("failed.h5");
    CHECK(carom_program(
              {"run", scene("blow_up"), "--set", "duration_s=2.0", "-o", failed, "--quiet", "--no-svg"})
              .status == 3);
    const Outcome outcome = carom_program({"inspect", failed, "--json"});
    CHECK(outcome.status == 1);
    CHECK(outcome.json()["status"] == "failed");
    CHECK(outcome.json()["end"] == "not_finite");
    CHECK_FALSE(outcome.json()["diagnosis"].empty());

    // half a million seconds of pendulum: the interrupt comes first
    const std::string stopped = folder.path("stopped.h5");
    CHECK(carom_program({"run", scene("pendulum_wall"), "--set", "duration_s=5e5", "--set",
                         "record.every_s=1.0", "-o", stopped, "--quiet", "--no-svg"},
                        stopped)
              .status == 130);
    const auto interrupted = carom_program({"inspect", stopped, "--json"});
    CHECK(interrupted.status == 1);
    CHECK(interrupted.json()["status"] == "interrupted");
    CHECK(interrupted.json()["complete"] == false);
}

TEST_CASE("what cannot be inspected is bad input")
{
    const Folder folder;
    CHECK(carom_program({"inspect"}).status == 2);
    for (const auto& file :
         {folder.path("missing.toml"), folder.path("missing.h5"),
          folder.write("no.h5", "nothing of the kind"), folder.write("cut.h5", "\x89HDF\r\n\x1a\n")}) {
        const Outcome outcome = carom_program({"inspect", file, "--json"});
        CAPTURE(file);
        CHECK(outcome.status == 2);
        CHECK(outcome.json()["status"] == "bad_input");
        CHECK_FALSE(outcome.err.empty());
    }
    CHECK(carom_program({"inspect", scene("pendulum_wall"), "--set", "nonsense"}).status == 2);
}
