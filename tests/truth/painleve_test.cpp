#include "support.hpp"

#include "support/near.hpp"

#include <cmath>

using namespace carom::test;

namespace {

const double rod_gravity = 9.81;

/// Painleve's rod of half-length 1 m, pushed along a floor with its tip ahead, mu = 1.6.
nlohmann::json pushed_rod(double mu, std::vector<std::string> arguments = {})
{
    arguments.insert(arguments.end(),
                     {"--set", "parameters.mu=" + std::to_string(mu), "--set", "integrator.kind=series"});
    return run_of(defect("rod_coordinates"), std::move(arguments));
}

/// tan of the angle at which W_NN = mu W_NT: T^2 - 3 mu T + 4 = 0.
double singular_slope(double mu)
{
    return (3 * mu - std::sqrt(9 * mu * mu - 16)) / 2;
}

/// alpha of r_N ~ (T - t)^-alpha (PS-16).
double reaction_growth(double mu)
{
    const double T = singular_slope(mu);
    return 1 - 2 * T * (mu * T - 1) / (2 * T + mu * (1 - T * T));
}

/// The power that a finding frictional_catastrophe names.
double named_growth(const nlohmann::json& found)
{
    const auto text = found["message"].get<std::string>();
    const std::string before = "(T - t)^-";
    return std::stod(text.substr(text.find(before) + before.size()));
}

/// A mass that slides with 5 m/s while its friction grows like 2 t: W_NN - mu W_NT vanishes like 1 - t, and
/// the reaction is load / (1 - t).
nlohmann::json growing_friction(const std::string& load, const std::string& step)
{
    const Folder folder;
    return run_of(folder.write("mass.toml", R"toml(duration_s = 2
[[coordinate]]
name = "x"
start = 0
start_velocity = 5
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2 - x'*y'/2"
forces = { y = "-()toml" + load + R"toml()" }
[[contact]]
name = "floor"
gap = "y"
sliding = ["x'"]
law = { kind = "coulomb", friction = "2*t" }
[integrator]
kind = "series"
)toml" + "time_step_s = " + step + "\n"));
}

}  // namespace

TEST_CASE("Painleve's rod runs into its singular point with a reaction that grows as theory says")
{
    for (const double mu : {1.57, 1.6, 1.65}) {
        CAPTURE(mu);
        const auto run = pushed_rod(
            mu, {"--set", "integrator.time_step_s=1e-5", "--set", "coordinate.x.start_velocity=20"});
        CHECK(run["end"] == "undetermined");
        const auto found = finding(run, "frictional_catastrophe");
        REQUIRE(!found.is_null());
        CHECK(finding(run, "painleve_singular_point").is_null());

        // the last report is up to 1e-5 s before it, at 4 rad/s
        const double angle = std::atan(singular_slope(mu));
        CHECK(run["state"]["th"]["q"].get<double>() == near(angle, 5e-5));

        // told with three digits; increments of r_N are not quite a power yet
        CHECK(named_growth(found) == near(reaction_growth(mu), 0.01));
    }
}

TEST_CASE("below mu = 8 / (3 sqrt 3) Painleve's rod lifts off before its singular point")
{
    for (const double mu : {1.38, 1.45, 1.53}) {
        CAPTURE(mu);
        const auto run = pushed_rod(
            mu, {"--set", "integrator.time_step_s=0.01", "--set", "coordinate.x.start_velocity=20"});
        CHECK(reaction_growth(mu) < 0);
        CHECK(run["status"] == "certified");
        CHECK(run["diagnosis"].empty());
        bool lost = false;
        for (const auto& event : run["events"]) {
            lost = lost || event["kind"] == "contact_lost";
        }
        CHECK(lost);

        // it leaves where l sin(th) w^2 > g, before the angle of the point: faster than there
        const double T = singular_slope(mu);
        const double singular_rad_s = std::sqrt(rod_gravity / std::sin(std::atan(T)));
        CHECK(run["state"]["th"]["u"].get<double>() > singular_rad_s);
    }
}

TEST_CASE("a reaction like (1 - t)^-alpha ends at Painleve's point after 1 s, as a catastrophe or bounded")
{
    for (const std::string step : {"0.07", "0.5"}) {
        CAPTURE(step);
        for (const auto& [load, alpha] :
             std::vector<std::pair<std::string, double>>{{"(1 - t)^0.5", 0.5}, {"(1 - t)^0.7", 0.3}}) {
            CAPTURE(load);
            const auto run = growing_friction(load, step);
            CHECK(run["end"] == "undetermined");
            const auto found = finding(run, "frictional_catastrophe");
            REQUIRE(!found.is_null());
            CHECK(found["time_s"].get<double>() == near(1, 1e-9));
            CHECK(named_growth(found) == near(alpha, 2e-3));
        }
        for (const std::string load : {"1 - t", "(1 - t)*(2 - t)", "sin(1 - t)"}) {
            CAPTURE(load);
            const auto run = growing_friction(load, step);
            CHECK(run["end"] == "undetermined");
            const auto found = finding(run, "painleve_singular_point");
            REQUIRE(!found.is_null());
            CHECK(found["time_s"].get<double>() == near(1, 1e-9));
            CHECK(finding(run, "frictional_catastrophe").is_null());
        }
    }
}

TEST_CASE(
    "Painleve's rod where it begins: no continuation while gravity presses, two while its turning lifts it")
{
    for (const std::string kind : {"moreau", "moreau_jean", "series"}) {
        CAPTURE(kind);
        const std::vector<std::string> arguments{"--set", "parameters.mu=1.8",
                                                 "--set", "integrator.kind=" + kind,
                                                 "--set", "duration_s=0.01",
                                                 "--set", "integrator.time_step_s=1e-4",
                                                 "--set", "coordinate.x.start_velocity=20"};
        const auto with = [&](const std::string& rate) {
            auto all = arguments;
            all.insert(all.end(), {"--set", "coordinate.th.start_velocity=" + rate, "--set",
                                   "coordinate.y.start_velocity=" + rate + "*cos(pi/4)"});
            return run_of(defect("rod_coordinates"), all);
        };
        // at 45 degrees sin(th) w^2 = g at w = 3.72 rad/s
        const auto none = with("0"), several = with("8");
        CHECK_FALSE(finding(none, "no_continuation").is_null());
        CHECK(finding(none, "several_continuations").is_null());
        CHECK_FALSE(finding(several, "several_continuations").is_null());
        CHECK(finding(several, "no_continuation").is_null());
        CHECK(several["status"] != "certified");
        if (kind == "series") CHECK(none["end"] == "undetermined");
    }
}

TEST_CASE("slip in the direction with a positive margin is no paradox, whatever the other direction would be")
{
    // pulled instead of pushed: W_NN + mu W_NT
    for (const std::string kind : {"moreau", "series"}) {
        CAPTURE(kind);
        const auto run = run_of(defect("rod_coordinates"),
                                {"--set", "parameters.mu=1.8", "--set", "integrator.kind=" + kind, "--set",
                                 "duration_s=0.05", "--set", "coordinate.x.start_velocity=-5"});
        CHECK(run["status"] == "certified");
        CHECK(run["diagnosis"].empty());
    }
}

TEST_CASE(
    "a piece of chalk sticks and slips over a board: three integrators agree, and there is nothing to find")
{
    const auto chalk = [](const std::string& kind, const std::string& step) {
        return run_of(defect("chalk"),
                      {"--set", "integrator.kind=" + kind, "--set", "integrator.time_step_s=" + step});
    };
    const auto series = chalk("series", "0.01");
    CHECK(series["status"] == "certified");
    CHECK(series["diagnosis"].empty());
    const auto count = [](const nlohmann::json& run, const char* kind) {
        int found = 0;
        for (const auto& event : run["events"]) {
            found += event["kind"] == kind ? 1 : 0;
        }
        return found;
    };
    CHECK(count(series, "slip") == 10);
    for (const std::string kind : {"moreau", "moreau_jean"}) {
        CAPTURE(kind);
        const auto coarse = chalk(kind, "1e-4"), fine = chalk(kind, "5e-5");
        for (const auto& run : {coarse, fine}) {
            CHECK(run["status"] == "certified");
            CHECK(run["diagnosis"].empty());
            CHECK(count(run, "slip") == count(series, "slip"));
            CHECK(count(run, "stick") == count(series, "stick"));
            CHECK(count(run, "impact") == count(series, "impact"));
        }
        for (const char* name : {"x", "y", "th"}) {
            CAPTURE(name);
            // first order where statuses change
            const auto q = [&](const nlohmann::json& run) { return run["state"][name]["q"].get<double>(); };
            CHECK(q(fine) == near(q(series), 3 * std::abs(q(coarse) - q(fine)) + 1e-9));
        }
    }
}

TEST_CASE(
    "chalk that its own friction could hold while the hand lifts it has two motions, and no certificate")
{
    for (const std::string kind : {"moreau", "moreau_jean", "series"}) {
        for (const std::string mu : {"1.5", "2"}) {
            CAPTURE(kind);
            CAPTURE(mu);
            const auto run = run_of(defect("chalk"),
                                    {"--set", "parameters.mu=" + mu, "--set", "parameters.angle=1.0", "--set",
                                     "integrator.kind=" + kind, "--set", "integrator.time_step_s=1e-4"});
            CHECK(run["status"] != "certified");
            const auto found = finding(run, "several_continuations");
            REQUIRE(!found.is_null());

            // the free normal acceleration of the tip that sticks passes zero at 0.0494 s; in steps a contact
            // that is pressed leaves some steps later
            CHECK(found["time_s"].get<double>() == near(0.0494, 1e-3));
        }
    }
}
