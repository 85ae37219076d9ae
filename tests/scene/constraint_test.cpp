#include "support.hpp"
#include "support/near.hpp"

#include <cmath>

using namespace carom;
using test::near;
using test::with;

namespace {

/// A bead on a ring; the law is to be changed.
const std::string bead = R"toml(duration_s = 0.5
[[coordinate]]
name = "x"
start = 0.5
[[coordinate]]
name = "y"
start = 0.0
start_velocity = 2.0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "ring"
zero = ["hypot(x, y) - 0.5"]
velocity = ["(x*y' - y*x')/0.5"]
law = { kind = "friction", friction = 0.3 }
[integrator]
time_step_s = 1e-3
)toml";

State run(const std::string& text)
{
    auto scene = read_scene_text(text, "s.toml");
    if (!scene) {
        for (const Error& error : scene.error())
            MESSAGE(to_text(error));
    }
    REQUIRE(scene.has_value());
    State state = scene->start;
    CHECK(simulate(scene->model, scene->integrator, scene->solver, scene->plan, state).status ==
          RunStatus::Certified);
    return state;
}

/// The only mistake of a text.
Error mistake(const std::string& text)
{
    const Errors errors = test::errors_of(text);
    for (const Error& error : errors)
        INFO(to_text(error));
    REQUIRE(errors.size() == 1);
    return errors[0];
}

}  // namespace

TEST_CASE("a scene's constraint holds, rubs and gives way as its law says")
{
    // v' = -mu v^2 / r by friction, nothing without, the limit times t by a brake
    const std::string law = R"(law = { kind = "friction", friction = 0.3 })";
    CHECK(run(bead).u.norm() == near(2 / (1 + 0.3 * 2 * 0.5 / 0.5), 2e-3));
    CHECK(run(with(with(bead, law, ""), "velocity = [\"(x*y' - y*x')/0.5\"]", "")).u.norm() == near(2, 1e-5));
    CHECK(run(with(bead, law, R"(law = { kind = "limited", limit = "1 + t" })")).u.norm() ==
          near(2 - 0.5 - 0.125, 2e-3));
    CHECK(run(with(bead, law, R"(law = { kind = "limited", low = -2 })")).u.norm() == near(2 - 1, 2e-3));
    CHECK(run(with(bead, law, R"(law = { kind = "coulomb", friction = 0.3 })")).u.norm() ==
          near(2 / (1 + 0.3 * 2 * 0.5 / 0.5), 2e-3));

    // a set of the reader's own: an interval, pressed by the ring; and a preload beside friction
    const std::string set =
        "\n[[constraint.set]]\nkind = \"interval\"\nlow = [-1]\nhigh = [1]\nsize = 0.3\nnormal = \"ring\"\n";
    CHECK(run(with(bead, law, set)).u.norm() == near(run(bead).u.norm(), 1e-12));
    CHECK(run(with(bead, law, R"(law = { kind = "friction", friction = 0, preload = 1 })")).u.norm() ==
          near(2 - 0.5, 2e-3));
}

TEST_CASE("mistakes in a constraint are named where they stand")
{
    const std::string law = R"(law = { kind = "friction", friction = 0.3 })";
    CHECK(mistake(with(bead, "hypot(x, y) - 0.5", "hypot(x, y) - 0.4")).code ==
          ErrorCode::ConstraintViolated);
    CHECK(mistake(with(bead, "start_velocity = 2.0",
                       "start_velocity = 2.0\n[[coordinate]]\nname = \"z\"\nstart = 0"))
              .code == ErrorCode::MetricNotPositive);
    CHECK(mistake(with(bead, "hypot(x, y) - 0.5", "x' - 0.5")).code == ErrorCode::NotAllowedHere);
    CHECK(mistake(with(bead, "(x*y' - y*x')/0.5", "x'*y'")).code == ErrorCode::NotAllowedHere);
    CHECK(mistake(with(bead, "(x*y' - y*x')/0.5", "x*y")).code == ErrorCode::GradientVanishes);
    CHECK(mistake(with(bead, law, R"(law = { kind = "friction" })")).code == ErrorCode::MissingKey);
    CHECK(mistake(with(bead, law, R"(law = { kind = "limited" })")).code == ErrorCode::MissingKey);
    CHECK(mistake(with(bead, law, R"(law = { kind = "limited", limit = -1 })")).code ==
          ErrorCode::SettingOutOfRange);
    CHECK(mistake(with(bead, law, R"(law = { kind = "limited", low = 1 })")).code ==
          ErrorCode::SettingOutOfRange);
    CHECK(mistake(with(bead, law, R"(law = { kind = "firm", friction = 1 })")).code ==
          ErrorCode::NotAllowedHere);
    CHECK(mistake(with(bead, law, R"(law = { kind = "friction", friction = 0.3, normal = "rail" })")).code ==
          ErrorCode::UnknownName);
    CHECK(mistake(with(bead, law, "only_while = \"floor\"")).message.find("floor") != std::string::npos);
    const Error series = mistake(with(bead, "[integrator]", "[integrator]\nkind = \"series\""));
    CHECK(series.message == "the series integrator supports contacts, not constraints");
}
