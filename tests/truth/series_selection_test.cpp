#include "support.hpp"

#include "support/near.hpp"

#include <algorithm>

using namespace carom::test;

namespace {

double velocity_of(const nlohmann::json& run, const std::string& name)
{
    return run["state"][name]["u"].get<double>();
}

}  // namespace

TEST_CASE(
    "series: a disc pulled out of a self-locking groove leaves, and the run says that it may as well stay")
{
    for (const std::string order : {"8", "24", "40"}) {
        CAPTURE(order);
        const auto run = run_of(defect("groove"),
                                {"--set", "integrator.kind=series", "--set", "integrator.order=" + order});
        CHECK(velocity_of(run, "y") == near(20 * 0.2, 1e-12));
        CHECK(run["status"] == "uncertified");
        const auto several = finding(run, "several_solutions");
        REQUIRE(!several.is_null());
        CHECK(contains(several["message"].get<std::string>(), "left, right"));
        CHECK(contains(several["message"].get<std::string>(), "wedged"));
    }

    // whatever the friction is beyond tan(a): the second motion was once missed between 0.47 and 0.7
    for (const std::string mu : {"0.11", "0.5", "0.6", "0.8"}) {
        CAPTURE(mu);
        for (const std::string kind : {"series", "moreau"}) {
            const auto run = run_of(defect("groove"),
                                    {"--set", "integrator.kind=" + kind, "--set", "parameters.mu=" + mu});
            CHECK(!finding(run, "several_solutions").is_null());
        }
    }

    // above the angle of friction, atan(0.3) = 0.29146, there is one motion
    const auto above =
        run_of(defect("groove"), {"--set", "integrator.kind=series", "--set", "parameters.a=0.298"});
    CHECK(above["status"] == "certified");
    CHECK(finding(above, "several_solutions").is_null());
}

TEST_CASE("series: four equal feet carry the loads of an equal, vanishing compliance, as in small steps")
{
    const auto series = [](const std::string& order) {
        return run_of(defect("four_feet"),
                      {"--set", "integrator.kind=series", "--set", "integrator.order=" + order});
    };
    const auto run = series("24"), other = series("16");
    CHECK(run["status"] == "certified");
    CHECK(run["diagnosis"].empty());
    CHECK(run["certificate"]["selected_steps"].get<int>() > 0);
    const auto coarse = run_of(defect("four_feet"), {"--set", "integrator.time_step_s=1e-3"});
    const auto fine = run_of(defect("four_feet"), {"--set", "integrator.time_step_s=5e-4"});
    for (const char* name : {"x", "y", "th"}) {
        CAPTURE(name);
        CHECK(velocity_of(other, name) == near(velocity_of(run, name), 1e-12));
        // the error of a step of 5e-4 s is about the difference of both runs
        const double error = std::abs(velocity_of(coarse, name) - velocity_of(fine, name));
        CHECK(velocity_of(run, name) == near(velocity_of(fine, name), 3 * error + 1e-9));
    }
}

TEST_CASE("of two floors in one place the one that rises faster carries")
{
    // z and z - t^2: both touch at the start, and only the second can be followed
    const Folder folder;
    const auto scene = folder.write("floors.toml", R"toml(duration_s = 0.5
[[coordinate]]
name = "z"
start = 0
[lagrangian]
kinetic = "z'^2/2"
potential = "9.81*z"
[[contact]]
name = "resting"
gap = "z"
[[contact]]
name = "rising"
gap = "z - t^2"
[integrator]
kind = "series"
time_step_s = 0.1
)toml");
    const auto run = run_of(scene);
    CHECK(run["status"] == "certified");
    CHECK(run["state"]["z"]["q"].get<double>() == near(0.25, 1e-14));
    CHECK(velocity_of(run, "z") == near(1, 1e-14));
}

TEST_CASE("series: a contact whose friction can press it is not followed, and not called a paradox (M88 17)")
{
    // a wedge that holds a pull of up to 0.816 and slides from 0.707 on: between them there are two motions
    const auto run = run_of(shipped_scene("projected_cone"), {"--set", "integrator.kind=series"});
    CHECK(run["status"] != "certified");
    CHECK(finding(run, "no_continuation").is_null());
    const auto undecided = finding(run, "undecided");
    REQUIRE(!undecided.is_null());
    CHECK(contains(undecided["message"].get<std::string>(), "the loads of floor"));

    // upright nothing can press it: it sticks up to mu, as time stepping says
    const auto upright = [](const std::string& kind) {
        return run_of(shipped_scene("projected_cone"),
                      {"--set", "integrator.kind=" + kind, "--set", "parameters.beta=0"});
    };
    const auto exact = upright("series");
    CHECK(exact["status"] == "certified");
    // s'' = t - mu from t = mu on
    CHECK(exact["state"]["s"]["q"].get<double>() == near(std::pow(1.2 - 0.5, 3) / 6, 1e-9));
}
