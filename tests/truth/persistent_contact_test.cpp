#include "support.hpp"

#include <cmath>

using namespace carom::test;

namespace {

/// Events of one kind.
long events_of(const nlohmann::json& run, const std::string& kind)
{
    long count = 0;
    for (const auto& event : run["events"]) {
        count += event["kind"] == kind ? 1 : 0;
    }
    return count;
}

double energy_line(const nlohmann::json& run, const std::string& line)
{
    return run["certificate"]["energy"][line].get<double>();
}

/// A particle of mass 1 under gravity on one obstacle.
std::string particle_on(const std::string& gap, const std::string& law, double x, const std::string& y,
                        double u, const std::string& v = "0")
{
    const auto number = [](double value) { return std::to_string(value); };
    return "duration_s = 1\n[[coordinate]]\nname = \"x\"\nstart = " + number(x) +
           "\nstart_velocity = " + number(u) + "\n[[coordinate]]\nname = \"y\"\nstart = \"" + y +
           "\"\nstart_velocity = \"" + v +
           "\"\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"9.81*y\"\n"
           "[[contact]]\nname = \"obstacle\"\n" +
           gap + "\nlaw = " + law + "\n";
}

/// Largest difference of coordinates and velocities at the end.
double difference(const nlohmann::json& one, const nlohmann::json& other)
{
    double most = 0;
    for (const auto& [name, state] : one["state"].items()) {
        for (const auto& [key, value] : state.items()) {
            if (value.is_number())
                most = std::max(most, std::abs(value.get<double>() - other["state"][name][key].get<double>()));
        }
    }
    return most;
}

}  // namespace

TEST_CASE("a ball that never leaves its plate has no impact and loses nothing, whatever e, step and scheme")
{
    for (const std::string step : {"1e-3", "4e-4"}) {
        for (const std::string e : {"0", "0.8", "1"}) {
            for (const std::string kind : {"moreau", "moreau_jean"}) {
                CAPTURE(step << e << kind);
                const auto run = run_of(defect("resting_on_plate"),
                                        {"--set", "integrator.time_step_s=" + step, "--set",
                                         "contact.plate.law.restitution=" + e, "--set", "integrator.kind=" + kind});
                CHECK(run["status"] == "certified");
                CHECK(run["diagnosis"].empty());
                CHECK(events_of(run, "impact") == 0);
                CHECK(events_of(run, "contact_made") == 1);
                CHECK(events_of(run, "contact_lost") == 0);
                CHECK(energy_line(run, "impact_J") == 0);
                // P of one step times the mean velocity that the third derivative of the plate leaves
                CHECK(std::abs(energy_line(run, "correction_J")) < 1e-3 * std::stod(step));
            }
        }
    }
}

TEST_CASE("a particle slides off a cylinder: made once, lost once, where theory says")
{
    // from the top region with speed u0 at angle 0.2: N = 0 where cos(theta) = (u0^2/g + 2 cos(0.2)) / 3
    Folder folder;
    const auto scene =
        folder.write("cylinder.toml", particle_on("gap = \"sqrt(x^2 + y^2) - 1\"", "{ restitution = 0.5 }",
                                                  std::sin(0.2), "cos(0.2)", std::cos(0.2), "-sin(0.2)"));
    const double theta = std::acos((1 / 9.81 + 2 * std::cos(0.2)) / 3);
    for (const double h : {2e-3, 1e-3, 5e-4}) {
        const auto run = run_of(scene, {"--set", "integrator.time_step_s=" + std::to_string(h)});
        const auto series = run_of(scene, {"--set", "integrator.kind=series"});
        CAPTURE(h);
        CHECK(events_of(run, "impact") == 0);
        REQUIRE(events_of(run, "contact_made") == 1);
        REQUIRE(events_of(run, "contact_lost") == 1);
        const double lost_s = run["events"].back()["time_s"].get<double>();
        const double exact_s = series["events"].back()["time_s"].get<double>();
        CHECK(std::abs(lost_s - exact_s) < 3 * h);
        CHECK(energy_line(run, "impact_J") == 0);
        CHECK(difference(run, series) < 20 * h * h / 1e-3);
        CHECK(theta > 0);
    }
}
