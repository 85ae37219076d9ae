#include "carom/system/lagrangian/geometry.hpp"

#include "support/near.hpp"
#include "support/systems.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace carom;
using test::model_of;
using test::near;
using test::vector;

TEST_CASE("in the corner of a floor and a wall both contacts are closed, above the floor none is")
{
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .contacts = {{"floor", "y"}, {"wall", "-x"}}});
    CHECK(closed_contacts_at(model, vector({0, 0})) == std::vector{0, 1});
    CHECK(closed_contacts_at(model, vector({-1, 0})) == std::vector{0});
    CHECK(closed_contacts_at(model, vector({-1, 1})).empty());

    const auto V = velocity_cone_at(model, vector({0, 0}), std::vector{0, 1});
    REQUIRE(V.has_value());
    CHECK(V->contains(std::vector{-1.0, 2.0}));
    CHECK_FALSE(V->contains(std::vector{1.0, 2.0}));
}

TEST_CASE(
    "a particle that runs along the floor into a sloping wall climbs it with what the wall leaves (M83 5)")
{
    const double theta = -0.7, w = 1.7;
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .contacts = {{"floor", "y"}, {"wall", "-(x*cos(-0.7) + y*sin(-0.7))"}}});
    const auto impact = impact_at(model, vector({0, 0}), vector({w, 0}), 0.0);
    REQUIRE(impact.has_value());
    CHECK(impact->u_plus[0] == near(w * std::sin(theta) * std::sin(theta), 1e-15));
    CHECK(impact->u_plus[1] == near(-w * std::sin(theta) * std::cos(theta), 1e-15));
    CHECK(impact->energy_loss_J == near(w * w / 2 * std::cos(theta) * std::cos(theta), 1e-15));
}

TEST_CASE("an impact where the metric is singular is refused")
{
    const Model model =
        model_of({.coordinates = {"x"}, .kinetic = "x^2*x'^2/2", .contacts = {{"floor", "x"}}});
    CHECK(impact_at(model, vector({0}), vector({-1}), 0.0).error().code == ErrorCode::MetricNotPositive);
}
