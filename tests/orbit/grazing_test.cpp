#include "support.hpp"

using namespace carom;
using namespace carom::test;

TEST_CASE("past grazing the orbits strike with the speeds of the closed form")
{
    const double w = 2.2, c = 0.05, sigma = 0.5, e = 0.8;
    const Scene scene = read(oscillator);
    const BranchOptions options = over("F", 0.5, 3);
    const auto free = follow_branch(scene, options);
    REQUIRE(free);
    const SpecialPoint& graze = first_of(*free, "grazing");
    const double F_graze = sigma * std::hypot(1 - w * w, c * w);
    CHECK(graze.value == doctest::Approx(F_graze).epsilon(1e-10));

    const auto past = switch_at_grazing(scene, options, graze);
    REQUIRE(past);
    REQUIRE_MESSAGE(past->points.size() > 10, past->end);
    double before = 0;
    for (const BranchPoint& point : past->points) {
        const double v = impact_speed(point.orbit);
        CHECK(point.value == doctest::Approx(OneImpact(w, c, sigma, e, v).force).epsilon(1e-9));
        CHECK(v > before);
        before = v;
        if (v > 0.3) break;
    }
    // which side they are on is told by the closed form, too
    const double side = OneImpact(w, c, sigma, e, 1e-3).force - F_graze;
    CHECK((past->points.front().value - F_graze) * side > 0);

    // and back: their speed vanishes where the motion without impacts grazes
    const double value = past->points.front().value;
    const Scene there = read(oscillator, {{"parameters.F", digits(value)}});
    BranchOptions back = options;
    back.upwards = side < 0;
    const auto again = follow_branch(there, back, past->points.front().orbit);
    REQUIRE(again);
    const SpecialPoint& end = first_of(*again, "grazing");
    CHECK(end.value == doctest::Approx(F_graze).epsilon(1e-9));
    CHECK(end.place == "stop");
}
