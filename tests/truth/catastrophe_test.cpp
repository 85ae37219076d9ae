#include "support.hpp"

using namespace carom::test;

TEST_CASE("a rod whose sliding ends smoothly has no frictional catastrophe")
{
    for (const std::string step : {"1e-4", "5e-5"}) {
        const auto run = run_of(defect("rod_coordinates"), {"--set", "integrator.time_step_s=" + step});
        CHECK(run["status"] == "certified");
        CHECK(finding(run, "frictional_catastrophe").is_null());
        for (const auto& event : run["events"]) {
            // the power series stops at 0.01810504 s
            if (event["kind"] != "stick") continue;
            CHECK(std::abs(event["time_s"].get<double>() - 0.01810504) < 2 * std::stod(step));
        }
    }
}

TEST_CASE("the frictional catastrophe of Moreau's figure 15 is named, once")
{
    for (const std::string step : {"4e-4", "4.6e-4", "2e-4"}) {
        const auto run =
            run_of(shipped_scene("frictional_catastrophe"), {"--set", "integrator.time_step_s=" + step});
        CAPTURE(step);
        const auto found = finding(run, "frictional_catastrophe");
        REQUIRE(!found.is_null());
        CHECK(found["count"] == 1);
    }
}

TEST_CASE("a wedged contact that never moves has no frictional catastrophe")
{
    // pressed into a corner of friction: W_NN < mu |W_NT|, but nothing slides
    const Folder folder;
    const auto scene = folder.write("wedged.toml", R"toml(duration_s = 0.2
[[coordinate]]
name = "x"
start = 0
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2 + 0.8*x'*y'"
potential = "9.81*y"
[[contact]]
name = "wedge"
gap = "y"
sliding = ["x'"]
law = { kind = "coulomb", friction = 3.0 }
)toml");
    const auto run = run_of(scene);
    CHECK(finding(run, "frictional_catastrophe").is_null());
    CHECK(finding(run, "painleve").is_null());
}
