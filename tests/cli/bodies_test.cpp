#include "support.hpp"

#include "carom/trace/recording.hpp"
#include "support/near.hpp"

#include <cmath>

using namespace carom;
using namespace carom::test;

namespace {

const std::string slope = R"toml(duration_s = 1.0
[parameters]
angle = "atan(0.5)"
[[material]]
name = "wood"
friction = 0.4
[[body]]
name = "slope"
shape = "plane"
normal = ["sin(angle)", 0, "cos(angle)"]
[[body]]
name = "crate"
shape = "box"
size_m = [0.4, 0.4, 0.2]
position_m = ["0.1*sin(angle)", 0, "0.1*cos(angle)"]
rotation_rad = [0, "angle", 0]
[integrator]
time_step_s = 1e-2
[record]
every_s = 0.1
)toml";

}  // namespace

TEST_CASE("a scene of bodies runs, is certified, recorded and shown")
{
    const Folder folder;
    const std::string scene = folder.write("slope.toml", slope), file = folder.path("run.h5");
    const Outcome outcome = carom_program({"run", scene, "-o", file, "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    const auto result = outcome.json();
    CHECK(result["status"] == "certified");

    // a = g (sin - mu cos), exact in the midpoint rule
    const double angle = std::atan(0.5), way = 0.5 * 9.81 * (std::sin(angle) - 0.4 * std::cos(angle));
    const double start = 0.1 * std::sin(angle);
    CHECK(result["state"]["crate_x"]["q"].get<double>() == near(start + way * std::cos(angle), 1e-9));
    CHECK(result["certificate"]["max_penetration_m"].get<double>() < 1e-9);
    CHECK(result["certificate"]["energy"]["friction_J"].get<double>() < 0);

    const auto recording = read_recording(file);
    REQUIRE(recording.has_value());
    CHECK(recording->frames() == 11);
    CHECK(recording->drawings.size() == 7);
    CHECK(carom_program({"report", file, "-o", folder.path("page.html")}).status == 0);
    CHECK(carom_program({"export", file, "--to", "gltf", "-o", folder.path("run.glb")}).status == 0);
}

TEST_CASE("commands that do not know bodies say so")
{
    const Folder folder;
    const std::string scene = folder.write("slope.toml", slope);
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"inspect", scene}, {"study", scene, "--repeat", "2"}}) {
        const Outcome outcome = carom_program(arguments);
        CHECK(outcome.status == 2);
        CHECK(contains(outcome.err, "this is a scene of bodies"));
    }
}
