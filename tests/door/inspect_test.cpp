#include "carom/door/inspect.hpp"

#include <doctest/doctest.h>

namespace {

using namespace carom;

Scene scene_of(const std::string& text)
{
    auto scene = read_scene_text(text, "scene");
    if (!scene) FAIL(to_text(scene.error().front()));
    return *std::move(scene);
}

}  // namespace

TEST_CASE("an inspection is one of the kind of the scene")
{
    const Scene ball = scene_of(R"toml(duration_s = 1
[[coordinate]]
name = "z"
start = 1
[lagrangian]
kinetic = "z'^2/2"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "z"
)toml");
    const Inspection coordinates = inspect(ball);
    REQUIRE(std::holds_alternative<SceneInspection>(coordinates));
    CHECK(std::get<SceneInspection>(coordinates).theory.promise == Promise::OneSolution);
    CHECK(is_good(coordinates));

    // two boxes half inside each other: the first steps would push them apart
    const std::string boxes = R"toml(duration_s = 1
[[body]]
name = "low"
shape = "box"
size_m = [1, 1, 1]
mass_kg = 3
[[body]]
name = "high"
shape = "box"
size_m = [1, 1, 1]
position_m = [0, 0, 0.5]
mass_kg = 5
)toml";
    const Inspection bodies = inspect(scene_of(boxes));
    REQUIRE(std::holds_alternative<BodyInspection>(bodies));
    const auto& seen = std::get<BodyInspection>(bodies);
    CHECK(seen.mass_kg == 8);
    CHECK(seen.degrees_of_freedom == 12);
    CHECK(seen.deepest_m == doctest::Approx(0.5));
    CHECK_FALSE(is_good(bodies));

    // a set that depends on the point promises no single solution (SW-9)
    const std::string sweep = R"toml(duration_s = 1
[[coordinate]]
name = "u"
start = 0
[[set]]
name = "window"
kind = "interval"
lower = ["t - 1"]
upper = ["t + 1"]
[sweeping]
set = "window"
)toml";
    CHECK(is_good(inspect(scene_of(sweep))));
    std::string moved = sweep;
    moved.replace(moved.find("t + 1"), 5, "u + 2");
    CHECK_FALSE(is_good(inspect(scene_of(moved))));
}
