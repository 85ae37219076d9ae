#include "support.hpp"

#include "support/near.hpp"

#include "carom/run/run.hpp"

using namespace carom;
using namespace carom::test;

namespace {

const std::string block = R"toml(
duration_s = 1.0
[parameters]
mu = 0.3
[[coordinate]]
name = "x"
start = 0.0
start_velocity = 1.5
[[coordinate]]
name = "y"
start = 0.0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[contact]]
name = "floor"
gap = "y"
sliding = ["x'"]
law = { kind = "coulomb", friction = "mu" }
)toml";

const std::string particle = R"toml(
duration_s = 1.0
coordinate = [{ name = "a", start = 0.0 }, { name = "b", start = 0.0 }, { name = "c", start = 0.0 }]
[lagrangian]
kinetic = "(a'^2 + b'^2 + c'^2)/2"
potential = "9.81*c"
[[contact]]
name = "ground"
position = ["a", "b", "c"]
surface = "3*z"
law = { kind = "coulomb", friction = 0.3 }
)toml";

State end_of(const Scene& scene)
{
    State state = scene.start;
    REQUIRE(simulate(scene.model, scene.integrator, scene.solver, scene.plan, state).status ==
            RunStatus::Certified);
    return state;
}

bool refused(const std::string& text, std::string_view words)
{
    const std::string messages = all_text(errors_of(text));
    CAPTURE(messages);
    return contains(messages, words);
}

}  // namespace

TEST_CASE("a block slides to rest, written by gap and sliding velocity, and by position and surface")
{
    const double exact = 1.5 * 1.5 / (2 * 0.3 * 9.81);
    CHECK(end_of(good(block)).q[0] == near(exact, 3e-6));
    const std::string by_surface = with(with(block, "gap = \"y\"", "position = [\"x\", \"y\"]"),
                                        "sliding = [\"x'\"]", "surface = \"2*y\"");
    CHECK(end_of(good(by_surface)).q[0] == near(exact, 3e-6));
    CHECK(end_of(good(with(block, "kind = \"coulomb\", friction = \"mu\"", "kind = \"rough\""))).q[0] ==
          near(0, 1.5e-3));  // half of the first step
}

TEST_CASE("shapes of friction are read")
{
    const auto shape_of = [](const std::string& text) {
        return good(with(particle, "friction = 0.3", "friction = 0.3, shape = " + text))
            .model.system()
            .contacts[0]
            .friction->shape;
    };
    const auto ellipse = std::get<FrictionEllipse>(
        shape_of("{ kind = \"ellipse\", half_axes = [1, 0.5], angle_rad = 0.2, centre = [0.1, 0] }"));
    CHECK(ellipse.half_axes == std::array<double, 2>{1, 0.5});
    CHECK(ellipse.angle_rad == 0.2);
    CHECK(ellipse.centre == std::array<double, 2>{0.1, 0});
    const auto polygon = std::get<FrictionPolygon>(
        shape_of("{ kind = \"polygon\", vertices = [[1, 0], [0, 1], [-1, 0], [0, -1]] }"));
    CHECK(polygon.vertices->size() == 4);
    CHECK(std::holds_alternative<FrictionDisc>(shape_of("{ kind = \"disc\" }")));
    const Scene fur =
        good(with(block, "friction = \"mu\"",
                  "friction = \"mu\", shape = { kind = \"interval\", low = -0.1, high = 0.6 }"));
    CHECK(std::get<FrictionInterval>(fur.model.system().contacts[0].friction->shape).low == -0.1);
}

TEST_CASE("mistakes with friction are named")
{
    CHECK(refused(with(block, "\"mu\"", "-0.2"), "contact.floor.law.friction is -0.2"));
    CHECK(refused(with(block, "mu = 0.3", "mu = -0.2"), "the friction coefficient is -0.2"));
    CHECK(refused(with(block, "sliding = [\"x'\"]\n", ""), "no sliding velocity"));
    CHECK(refused(with(block, "[\"x'\"]", "[\"x'^2\"]"), "not linear in the velocities"));
    CHECK(refused(with(block, "[\"x'\"]", "[\"x'\", \"y'\", \"x'\"]"), "at most 2"));
    CHECK(refused(with(block, ", friction = \"mu\"", ""), "the law has no friction"));
    CHECK(refused(with(block, "coulomb", "unilateral"), "frictionless contact"));
    CHECK(refused(with(block, "coulomb", "rough"), "never slides"));
    CHECK(refused(with(block, "friction = \"mu\"", "friction = \"mu\", static_friction = 0.1"),
                  "the static coefficient 0.1 is below the dynamic one 0.3"));
    CHECK(refused(with(block, "gap = \"y\"", "gap = \"y\"\nsurface = \"y\""), "needs the position"));
    CHECK(refused(with(block, "friction = \"mu\"", "friction = 1, shape = { kind = \"disc\" }"),
                  "1 tangential directions, its friction 2"));

    const auto with_shape = [](const std::string& shape) {
        return with(particle, "friction = 0.3", "friction = 0.3, shape = " + shape);
    };
    CHECK(refused(with_shape("{ kind = \"ellipse\", half_axes = [1, 0.5], centre = [2, 0] }"),
                  "does not contain the origin"));
    CHECK(refused(with_shape("{ kind = \"ellipse\", half_axes = [1] }"), "two numbers"));
    CHECK(refused(with_shape("{ kind = \"polygon\", vertices = [[1, 1], [2, 1], [2, 2]] }"), "origin"));
    CHECK(refused(with_shape("{ kind = \"polygon\", vertices = [[1, 0], [0, 0.1], [0, 1], [-1, -1]] }"),
                  "convex"));
    CHECK(refused(with(particle, "3*z", "z^2"), "its gradient vanishes"));
    CHECK(refused(with(particle, "3*z", "3*t"), "its normal vanishes"));
    CHECK(refused(with(particle, "surface = \"3*z\"\n", ""), "no surface"));
    CHECK(refused(with(particle, "3*z", "3*c"), "c"));
}
