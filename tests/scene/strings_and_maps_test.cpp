#include "expression/workspace.hpp"
#include "support.hpp"
#include "support/near.hpp"

#include <cmath>

using namespace carom;
using test::near;

namespace {

/// A mass on a string of length 1 that falls freely until the string is taut.
const std::string falling_mass = R"toml(duration_s = 2.0
[[coordinate]]
name = "x"
start = 0.6
[[coordinate]]
name = "y"
start = 0.0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[string]]
name = "rope"
length_m = 1.0
points = [[0, 0], ["x", "y"]]
[integrator]
time_step_s = 1e-4
)toml";

/// Two touching balls, a third flies at them; the impact map is to be filled in.
const std::string row_of_balls = R"toml(duration_s = 1.0
coordinate = [ { name = "a", start = -0.5, start_velocity = 1 }, { name = "b", start = 0 }, { name = "c", start = 0 } ]
lagrangian = { kinetic = "(a'^2 + b'^2 + c'^2)/2" }
contact = [ { name = "ab", gap = "b - a" }, { name = "bc", gap = "c - b" } ]
[impact]
kind = "sequential"
)toml";

State run(const Scene& scene)
{
    State state = scene.start;
    CHECK(simulate(scene.model, scene.integrator, scene.solver, scene.plan, state).status ==
          RunStatus::Certified);
    return state;
}

Scene read(const std::string& text)
{
    auto scene = read_scene_text(text, "s.toml");
    if (!scene) {
        for (const Error& error : scene.error())
            MESSAGE(to_text(error));
    }
    REQUIRE(scene.has_value());
    return *std::move(scene);
}

}  // namespace

TEST_CASE("a string is slack until its ends are its length apart, then takes the velocity along it (M83 1)")
{
    const Scene scene = read(falling_mass);
    State state = scene.start;
    const auto report = simulate(scene.model, scene.integrator, scene.solver, scene.plan, state);
    REQUIRE_FALSE(report.events.empty());
    const Event& jerk = report.events[0];
    CHECK(jerk.kind == EventKind::Impact);

    // free fall from (0.6, 0) to (0.6, -0.8): t = sqrt(1.6 / g), speed g t downwards, 0.8 of it along the
    // string
    const double t = std::sqrt(1.6 / 9.81);
    CHECK(jerk.time_s == near(t, 2e-4));
    CHECK(jerk.percussion_Ns == near(0.8 * 9.81 * t, 5e-3));
    CHECK(std::hypot(state.q[0], state.q[1]) <= 1 + 1e-7);  // second order in h once it swings
}

TEST_CASE("a string over a peg is as long as its two parts together, in one, two and three dimensions")
{
    const std::string long_rope = test::with(falling_mass, "length_m = 1.0", "length_m = 2.0");
    const auto gap_through = [&](const char* points) {
        const Scene scene = read(test::with(long_rope, R"([[0, 0], ["x", "y"]])", points));
        Workspace work;
        return scene.model.gap_m(0, point_of(scene.start), work);
    };
    CHECK(gap_through(R"([[0, 1], [0, 0], ["x", "y"]])") == near(2 - 1 - 0.6, 1e-15));
    CHECK(gap_through(R"([[0.1], ["x"]])") == near(2 - 0.5, 1e-15));
    CHECK(gap_through(R"([[0, 0.8, 0], ["x", "y", 0]])") == near(2 - 1, 1e-15));
}

TEST_CASE("strings that are no strings are refused at their place")
{
    CHECK_FALSE(
        test::errors_of(test::with(falling_mass, R"([[0, 0], ["x", "y"]])", R"([["x", "y"]])")).empty());
    CHECK_FALSE(
        test::errors_of(test::with(falling_mass, R"([[0, 0], ["x", "y"]])", R"([[0, 0], ["x"]])")).empty());
    CHECK_FALSE(test::errors_of(test::with(falling_mass, R"(["x", "y"])", R"(["x", "z"])")).empty());
    CHECK_FALSE(test::errors_of(test::with(falling_mass, "length_m = 1.0", "length_m = 1.0\nrestitution = 2"))
                    .empty());

    const Errors short_rope = test::errors_of(test::with(falling_mass, "length_m = 1.0", "length_m = 0.5"));
    REQUIRE(short_rope.size() == 1);
    CHECK(short_rope[0].code == ErrorCode::GapViolated);
    CHECK(short_rope[0].where.starts_with("s.toml:"));
}

TEST_CASE("the impact map of a scene decides what a row of balls does")
{
    const State observed = run(read(row_of_balls));
    CHECK(observed.u[2] == near(1, 1e-14));

    const State canonical = run(read(test::with(row_of_balls, "sequential", "canonical")));
    CHECK(canonical.u[0] == near(-1.0 / 3, 1e-14));
    CHECK(canonical.u[2] == near(2.0 / 3, 1e-14));

    // each contact softer than the one before: LZB does as the sequential map
    const State soft = run(read(test::with(row_of_balls, R"(kind = "sequential")",
                                           R"(kind = "lzb"
restitution = 1
exponent = 1.5
stiffness = { bc = 1e-6 })")));
    CHECK(soft.u[2] == near(1, 1e-6));

    // without friction Poisson's map is the canonical law, the energetic one the sequential map
    const State poisson =
        run(read(test::with(row_of_balls, R"(kind = "sequential")", "kind = \"poisson\"\nrestitution = 1")));
    CHECK((poisson.u - canonical.u).norm() <= 1e-12);
    const State energetic = run(
        read(test::with(row_of_balls, R"(kind = "sequential")", "kind = \"energetic\"\nrestitution = 1")));
    CHECK((energetic.u - observed.u).norm() <= 1e-12);

    // left out, restitution is that of the contacts: here soft
    const State together = run(read(test::with(row_of_balls, "sequential", "poisson")));
    CHECK(together.u[0] == near(1.0 / 3, 1e-12));

    // balls that stick together: a user's own formulas
    const State sticking = run(read(test::with(row_of_balls, R"(kind = "sequential")",
                                               R"(kind = "formulas"
velocities = { a = "(a' + b' + c')/3", b = "(a' + b' + c')/3", c = "(a' + b' + c')/3" })")));
    CHECK(sticking.u[0] == near(1.0 / 3, 1e-14));
    CHECK(sticking.u[2] == near(1.0 / 3, 1e-14));
}

TEST_CASE("impact maps with mistakes are refused")
{
    CHECK_FALSE(test::errors_of(test::with(row_of_balls, "sequential", "magical")).empty());
    CHECK_FALSE(test::errors_of(test::with(row_of_balls, "sequential", "formulas")).empty());
    CHECK_FALSE(test::errors_of(test::with(row_of_balls, R"(kind = "sequential")",
                                           "kind = \"canonical\"\nrestitution = 2"))
                    .empty());
    const Errors nobody = test::errors_of(
        test::with(row_of_balls, R"(kind = "sequential")", "kind = \"lzb\"\nstiffness = { ba = 2 }"));
    REQUIRE(nobody.size() == 1);
    CHECK(nobody[0].code == ErrorCode::UnknownName);
    for (const char* mistake : {"stiffness = { ab = 0 }", "exponent = 0.5", "restitution = -1"}) {
        CHECK(test::errors_of(test::with(row_of_balls, R"(kind = "sequential")",
                                         std::string("kind = \"lzb\"\n") + mistake))
                  .size() == 1);
    }
    const Errors unknown = test::errors_of(test::with(row_of_balls, R"(kind = "sequential")",
                                                      "kind = \"formulas\"\nvelocities = { d = \"a'\" }"));
    REQUIRE(unknown.size() == 1);
    CHECK(unknown[0].code == ErrorCode::UnknownName);
}
