#include "support.hpp"

using namespace carom;
using namespace carom::test;

namespace {

/// A block on a slope that is shaken along itself: friction has mu cos(alpha) g - sin(alpha) g left for it.
const std::string shaken_slope = R"toml(
title = "shaken slope"
duration_s = 10
[parameters]
A = 1
w = 2
mu = 0.5
mu_s = 0.5
alpha = 0.2
g = 9.81
[[coordinate]]
name = "x"
start = 0
start_velocity = "A*w"
[[coordinate]]
name = "y"
start = 0
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "g*(y*cos(alpha) + x*sin(alpha))"
[[contact]]
name = "slope"
position = ["x", "y"]
surface = "y"
obstacle_velocity = ["A*w*cos(w*t)", "0"]
law = { kind = "coulomb", friction = "mu", static_friction = "mu_s" }
)toml";

/// A w^2 at which the block slips down once a period.
double bound(double mu)
{
    return 9.81 * (mu * std::cos(0.2) - std::sin(0.2));
}

}  // namespace

TEST_CASE("slip is born inside a phase of stick where friction is used up at one instant")
{
    BranchOptions options = over("A", 0.5, 1.2);
    options.orbit.free = {"x"};
    options.orbit.settle = 1;
    options.max_step = 0.05;
    const auto branch = follow_branch(read(shaken_slope, {{"parameters.A", "0.6"}}), options);
    REQUIRE(branch);
    const SpecialPoint& slip = first_of(*branch, "slip");
    CHECK(slip.value == doctest::Approx(bound(0.5) / 4).epsilon(1e-10));
    CHECK(slip.place == "slope");
    // the slope is fastest downwards to turn up again after three quarters of a period; there friction needs
    // A w^2 more
    CHECK(std::remainder(slip.time_s - 3 * turn / 8, turn / 2) == doctest::Approx(0).epsilon(1e-6));
    CHECK(slip.slope == doctest::Approx(-4).epsilon(1e-6));
    CHECK(branch->end == "range");
    // behind it the block goes down in each period
    CHECK(branch->points.back().orbit.end_shift[0] < -1e-3);
}

TEST_CASE("slip is lost where the rate vanishes with which friction reaches its bound")
{
    BranchOptions options = over("A", 0.5, 1.2);
    options.orbit.free = {"x"};
    options.orbit.settle = 3;
    options.max_step = 0.05;
    options.upwards = false;
    const auto branch = follow_branch(read(shaken_slope, {{"parameters.A", "1.1"}}), options);
    REQUIRE(branch);
    const SpecialPoint& slip = first_of(*branch, "slip");
    CHECK(slip.value == doctest::Approx(bound(0.5) / 4).epsilon(1e-9));
    CHECK(branch->end == "range");
    // below it the block is carried along
    CHECK(std::abs(branch->points.back().orbit.end_shift[0]) < 1e-12);
}

TEST_CASE("slip that begins with less friction than it broke: the bound is the static one")
{
    BranchOptions options = over("A", 0.5, 1.2);
    options.orbit.free = {"x"};
    options.orbit.settle = 1;
    options.max_step = 0.05;
    const auto branch =
        follow_branch(read(shaken_slope, {{"parameters.A", "0.6"}, {"parameters.mu_s", "0.55"}}), options);
    REQUIRE(branch);
    CHECK(first_of(*branch, "slip").value == doctest::Approx(bound(0.55) / 4).epsilon(1e-10));
}
