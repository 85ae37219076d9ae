#include "support.hpp"

using namespace carom;
using namespace carom::test;

/// Where branches go: past landings, round bends and through crossings.
namespace {

const std::string two_stops = R"toml(
title = "two stops"
duration_s = 10
[parameters]
w = 0.7
[[coordinate]]
name = "x"
start = 0
start_velocity = 0.5
[lagrangian]
kinetic = "x'^2/2"
forces = { x = "-0.1*x' + cos(w*t)" }
[[contact]]
name = "right"
gap = "1 - x"
law = { restitution = 0.8 }
[[contact]]
name = "left"
gap = "1 + x"
law = { restitution = 0.8 }
)toml";

/// A ball that rests on the table at t = 0, goes up with it and is thrown where A sin t = 1.
Scene thrown(double A, double e)
{
    return read(table, {{"parameters.A", digits(A)},
                        {"parameters.e", digits(e)},
                        {"start_s", "0"},
                        {"coordinate.z.start", "0"},
                        {"coordinate.z.start_velocity", digits(A)}});
}

/// When the ball that is thrown by the table, where A sin t = 1, is back on it.
double lands_at(double A)
{
    const double t0 = std::asin(1 / A), v = A * std::cos(t0);
    const auto gap = [&](double t) { return 1 + v * (t - t0) - (t - t0) * (t - t0) / 2 - A * std::sin(t); };
    double high = t0 + 0.1;
    while (gap(high) > 0)
        high += 0.01;
    double low = high - 0.01;
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (gap(middle) > 0 ? low : high) = middle;
    }
    return low;
}

}  // namespace

TEST_CASE(
    "landings that come over the start of the period do not stop a branch, and each is where it must be")
{
    // without restitution the ball stays where it lands
    BranchOptions options = over("A", 1.2, 3.2);
    options.values = {2.0, 2.9, 2.97, 3.1};
    const auto branch = follow_branch(thrown(1.3, 0), options);
    REQUIRE(branch);
    CHECK(branch->end == "range");
    CHECK(branch->special.empty());
    for (std::size_t i = 1; i < branch->points.size(); ++i)
        CHECK(branch->points[i].value > branch->points[i - 1].value);
    CHECK(branch->points.back().value == 3.2);
    REQUIRE(branch->at.size() == 4);
    for (const BranchPoint& point : branch->at) {
        CAPTURE(point.value);
        const auto landing = std::ranges::find(point.orbit.events, EventKind::ContactMade,
                                               [](const auto& one) { return one.event.kind; });
        REQUIRE(landing != point.orbit.events.end());
        const double difference = std::remainder(landing->event.time_s - lands_at(point.value), turn);
        CHECK(std::abs(difference) < 1e-10);
    }
}

TEST_CASE("how many impacts are told before they accumulate is no event of a branch")
{
    BranchOptions options = over("A", 1.1, 1.6);
    const auto by_A = follow_branch(thrown(1.2, 0.1), options);
    REQUIRE(by_A);
    CHECK(by_A->end == "range");
    CHECK(by_A->special.empty());
    // the number does change
    const auto impacts = [](const Orbit& orbit) {
        return std::ranges::count(orbit.events, EventKind::Impact,
                                  [](const auto& one) { return one.event.kind; });
    };
    CHECK(impacts(by_A->points.front().orbit) != impacts(by_A->points.back().orbit));

    // and from a single inelastic impact to ever more
    const auto by_e = follow_branch(thrown(1.2, 0), over("e", 0, 0.3));
    REQUIRE(by_e);
    CHECK(by_e->end == "range");
    CHECK(by_e->special.empty());
    CHECK(impacts(by_e->points.front().orbit) == 1);
    CHECK(impacts(by_e->points.back().orbit) > 5);
}

TEST_CASE("a mass on a rough floor: slower and slower, past the frequency at which stops become four, and on")
{
    BranchOptions options = over("w", 0.1, 0.95);
    options.upwards = false;
    options.orbit.settle = 30;
    const auto branch = follow_branch(read(rough_floor, {{"parameters.w", "0.7"}}), options);
    REQUIRE(branch);
    CHECK(branch->end == "range");
    REQUIRE(branch->points.back().value == 0.1);
    for (std::size_t i = 1; i < branch->points.size(); ++i)
        CHECK(branch->points[i].value < branch->points[i - 1].value);
    // slip is born where F cos(w t) - x reaches the bound once more: each point is passed once
    std::vector<double> places;
    for (const SpecialPoint& point : branch->special)
        places.push_back(point.value);
    std::ranges::sort(places);
    CHECK(std::ranges::adjacent_find(places, [](double a, double b) { return b - a < 1e-4; }) ==
          places.end());
}

TEST_CASE(
    "a free mass between two stops loses its symmetry where a multiplier is one: told from both branches")
{
    BranchOptions options = over("w", 1.0, 1.4);
    options.orbit.settle = 100;
    const auto symmetric = follow_branch(read(two_stops, {{"parameters.w", "1.3"}}), [&] {
        BranchOptions down = options;
        down.upwards = false;
        return down;
    }());
    REQUIRE(symmetric);
    const SpecialPoint& crossing = first_of(*symmetric, "branching");
    REQUIRE(!crossing.orbit.multipliers.empty());
    CHECK(std::abs(crossing.orbit.multipliers.front() - std::complex<double>(1)) < 1e-6);

    // where it is does not depend on the steps that lead there
    BranchOptions shorter = options;
    shorter.upwards = false;
    shorter.max_step = 0.007;
    const auto again = follow_branch(read(two_stops, {{"parameters.w", "1.3"}}), shorter);
    REQUIRE(again);
    CHECK(std::abs(first_of(*again, "branching").value - crossing.value) <= 1e-10);

    options.orbit.settle = 400;
    const auto bent = follow_branch(read(two_stops, {{"parameters.w", "1.16"}}), options);
    REQUIRE(bent);
    CHECK(first_of(*bent, "branching").value == doctest::Approx(crossing.value).epsilon(1e-7));
    CHECK(std::ranges::find(bent->special, "fold", &SpecialPoint::kind) == bent->special.end());
}

TEST_CASE("orbits at given values stand beside a grazing, on the side without impacts")
{
    // without the stop the mass grazes at F = 0.5 |1 - w^2 + i c w|; a little below there is no impact
    const double w = 2.2, grazes = 0.5 * std::hypot(1 - w * w, 0.05 * w);
    BranchOptions options = over("F", 0.5, 3);
    for (const double less : {1e-2, 1e-3, 1e-4})
        options.values.push_back(grazes - less);
    const auto branch = follow_branch(read(oscillator), options);
    REQUIRE(branch);
    std::vector<double> met;
    for (const BranchPoint& point : branch->at)
        met.push_back(point.value);
    for (const double value : options.values)
        CHECK(std::ranges::count(met, value) >= 1);
}
