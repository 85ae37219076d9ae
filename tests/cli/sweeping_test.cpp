#include "support.hpp"

#include "support/near.hpp"

#include <cmath>

using namespace carom;
using namespace carom::test;

namespace {

/// A disc that drags a point along a tractrix.
const std::string disc = R"toml(duration_s = 2.0
[[coordinate]]
name = "x"
start = 0.0
[[coordinate]]
name = "y"
start = 1.0
[[set]]
name = "disc"
kind = "ball"
centre = ["t", 0]
radius = 1
[sweeping]
set = "disc"
time_step_s = 1e-3
)toml";

}  // namespace

TEST_CASE("a sweeping scene runs, is recorded, shown and inspected; studied and resumed")
{
    const Folder folder;
    const std::string scene = folder.write("disc.toml", disc), file = folder.path("disc.h5");
    const Outcome run = carom_program({"run", scene, "-o", file, "--json", "--at", "1"});
    CHECK(run.status == 0);
    const auto result = run.json();
    CHECK(result["status"] == "certified");
    CHECK(result["steps"] == 2000);

    // first order: about a tenth of the step
    CHECK(result["state"]["x"]["q"].get<double>() == near(2 - std::tanh(2), 1e-3));
    CHECK(result["probes"][0]["state"]["y"]["q"].get<double>() == near(1 / std::cosh(1), 1e-3));
    CHECK(result["certificate"]["max_penetration_m"].get<double>() < 1e-12);
    CHECK(std::filesystem::exists(folder.path("disc.svg")));

    CHECK(contains(carom_program({"inspect", scene}).out, "one solution"));
    CHECK(carom_program({"inspect", scene, "--json"}).json()["kind"] == "sweeping");
    CHECK(contains(carom_program({"inspect", file}).out, "every nearest point was found"));
    CHECK(carom_program({"report", file, "-o", folder.path("page.html")}).status == 0);
    CHECK(contains(carom_program({"run", scene}).out, "outside"));

    // studied: the order of catching-up is one; what is complete is judged again, and not made longer
    const Outcome study = carom_program({"study", scene, "--converge", "--levels", "4", "--json"});
    CHECK(study.status == 0);
    const Outcome again = carom_program({"resume", file, "--json"});
    CHECK(again.status == 0);
    CHECK(again.json()["state"] == result["state"]);
    CHECK(again.json()["events"] == result["events"]);
    const Outcome longer = carom_program({"resume", file, "--set", "duration_s=3"});
    CHECK(longer.status == 2);
    CHECK(contains(longer.err, "a sweep fits the lengths of its steps to its duration"));
    const Outcome lost = carom_program(
        {"run", folder.write("lost.toml", with(disc, "radius = 1", "radius = \"1 - t\"")), "--json"});
    CHECK(lost.status == 3);
    CHECK(lost.json()["diagnosis"][0]["code"] == "no_set");
}
