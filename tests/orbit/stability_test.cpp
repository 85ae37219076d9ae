#include "support.hpp"

#include "carom/orbit/branch.hpp"
#include "carom/orbit/lyapunov.hpp"

#include <atomic>
#include <chrono>
#include <thread>

using namespace carom;
using namespace carom::test;

namespace {

OrbitOptions with_period(const std::string& period, std::vector<std::string> parameters = {})
{
    return {.period = period, .parameters = std::move(parameters)};
}

/// The ball that strikes an elastic table at its top once in a period, with the speed g T/2: so it is at t = 0.
Scene elastic_table(double A)
{
    return read(table, {{"parameters.e", "1"},
                        {"parameters.A", digits(A)},
                        {"start_s", "0"},
                        {"coordinate.z.start", digits(A + 3 * turn * turn / 32)},
                        {"coordinate.z.start_velocity", digits(-turn / 4)}});
}

}  // namespace

TEST_CASE(
    "a period that does not follow the forcing is refused where the frequency changes, and nowhere else")
{
    const Scene scene = read(oscillator);
    const std::string number = digits(turn / 2.2);
    const auto refused = [](const auto& result) {
        REQUIRE(!result);
        CHECK(result.error().front().where == "--period");
        CHECK(result.error().front().hint.find("2*pi/w") != std::string::npos);
    };
    refused(find_orbit(scene, with_period(number, {"w"})));
    BranchOptions over_w = over("w", 2, 3);
    over_w.orbit.period = number;
    refused(follow_branch(scene, over_w));
    over_w.orbit.period = "2*pi/2.2";
    refused(follow_branch(scene, over_w));
    // right where it begins only
    over_w.orbit.period = "2*pi/w*max(1, w/2.2)";
    const auto partly = follow_branch(read(oscillator, {{"parameters.w", "2.1"}}), over_w);
    REQUIRE(partly);
    CHECK(partly->end.find("the period") != std::string::npos);
    for (const BranchPoint& point : partly->points)
        CHECK(point.value <= 2.2);

    // over the force it is right, and so is the curve unless that is over the frequency
    BranchOptions over_F = over("F", 0.5, 3);
    over_F.orbit.period = number;
    const auto branch = follow_branch(scene, over_F);
    REQUIRE(branch);
    REQUIRE(branch->points.size() > 3);
    refused(follow_special_point(scene, over_F, first_of(*branch, "grazing"),
                                 {.over = "w", .low = 2.0, .high = 2.4, .steps = 4}));

    const auto orbit = find_orbit(scene, with_period("2*pi/w", {"w"}));
    REQUIRE(orbit);
    REQUIRE(orbit->converged);
    CHECK(orbit->dperiod[0] == doctest::Approx(-turn / (2.2 * 2.2)).epsilon(1e-14));
}

TEST_CASE("orbits of a ball on an elastic table are neither stable nor unstable below A = g/w^2")
{
    for (const double A : {0.2, 0.3, 0.35, 0.5}) {
        CAPTURE(A);
        const auto orbit = find_orbit(elastic_table(A), with_period("2*pi/w"));
        REQUIRE(orbit);
        REQUIRE(orbit->converged);
        // det = e^2 = 1, and complex: on the circle
        REQUIRE(orbit->multipliers.size() == 2);
        CHECK(orbit->multipliers[0].imag() != 0);
        CHECK(std::abs(orbit->multipliers[0]) == doctest::Approx(1).epsilon(1e-11));
        CHECK(orbit->neutral);
        CHECK(!orbit->stable);
        CHECK(stability_of(*orbit) == "neutral");
    }
    const auto above = find_orbit(elastic_table(1.2), with_period("2*pi/w"));
    REQUIRE(above);
    REQUIRE(above->converged);
    CHECK(stability_of(*above) == "unstable");
    CHECK(!above->neutral);

    // along them nothing turns: the first thing that happens is the doubling at g/w^2
    auto options = over("A", 0.15, 1.1);
    const auto branch = follow_branch(elastic_table(0.2), options);
    REQUIRE(branch);
    CHECK(branch->end == "range");
    REQUIRE(branch->special.size() == 1);
    CHECK(branch->special.front().kind == "period_doubling");
    CHECK(branch->special.front().value == doctest::Approx(1).epsilon(1e-9));
}

TEST_CASE("a mass that friction holds for the whole period is an equilibrium, neither stable nor unstable")
{
    for (const double x : {-0.3, 0.1, 0.5}) {
        const auto orbit =
            find_orbit(read(rough_floor, {{"parameters.mu", "2"}, {"coordinate.x.start", digits(x)}}),
                       with_period("2*pi/w"));
        REQUIRE(orbit);
        CHECK(orbit->rests);
        CHECK(stability_of(*orbit) == "neutral");
    }
    const auto moving = find_orbit(read(rough_floor), {.period = "2*pi/w", .settle = 10});
    REQUIRE(moving);
    REQUIRE(moving->converged);
    CHECK(!moving->rests);
    CHECK(stability_of(*moving) == "stable");
}

TEST_CASE("exponents add up to the logarithm of the volume, for any number of intervals of any length")
{
    const Scene scene = read(oscillator, {{"parameters.sigma", "0"}, {"coordinate.x.start", "-0.5"}});
    for (const long intervals : {8, 9, 12, 15, 20, 23}) {
        for (const double interval_s : {0.7, turn / 2.2}) {
            CAPTURE(intervals);
            const auto growth =
                lyapunov_exponents(scene, {.interval_s = interval_s, .discard = 3, .intervals = intervals});
            REQUIRE(growth);
            REQUIRE(growth->finished);
            REQUIRE(growth->impacts > 0);
            const double volume =
                2 * std::log(0.8) * static_cast<double>(growth->impacts) - 0.05 * growth->time_s;
            CHECK(growth->exponents_1_s.sum() * growth->time_s == doctest::Approx(volume).epsilon(1e-11));
        }
    }
}

TEST_CASE("a ball that rests on its table in every period forgets all: exponents are minus infinity")
{
    // A w^2 > g: it is thrown, comes back and chatters to rest before it is thrown again
    const std::vector<Override> chattering{
        {"parameters.A", "1.26"}, {"parameters.e", "0.3"},     {"start_s", "0"},
        {"duration_s", "12"},     {"coordinate.z.start", "1"}, {"coordinate.z.start_velocity", "0.5"}};
    const Scene scene = read(table, chattering);
    for (const double interval_s : {turn, 2.0}) {
        const auto growth =
            lyapunov_exponents(scene, {.interval_s = interval_s, .discard = 5, .intervals = 10});
        REQUIRE(growth);
        REQUIRE_MESSAGE(growth->finished, growth->trouble);
        CHECK(growth->impacts > 8);
        CHECK(growth->exponents_1_s.maxCoeff() == -INFINITY);
        CHECK(growth->errors_1_s.isZero(0));
    }
    // the state after a phase of contact does not depend on the start, to the rounding of what impacts of 1e-8 m/s leave
    SensitivityOptions options{.by = {"coordinate.z.start", "coordinate.z.start_velocity", "parameters.A"}};
    const auto result = sensitivities(scene, options);
    REQUIRE(result);
    REQUIRE(!result->lost);
    const SensitiveState& end = result->states.back();
    CHECK(end.dq.leftCols(2).isZero(1e-7));
    CHECK(end.du.leftCols(2).isZero(1e-7));
    CHECK(std::abs(end.dq(0, 2)) + std::abs(end.du(0, 2)) > 0.1);
}

TEST_CASE("exponents can be stopped within an interval, however many impacts it has")
{
    // an interval of a million impacts would take ten seconds and more
    const Scene scene = read(oscillator, {{"parameters.sigma", "0"}, {"coordinate.x.start", "-0.5"}});
    std::atomic<bool> stop = false;
    std::jthread somebody([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stop = true;
    });
    const auto before = std::chrono::steady_clock::now();
    const auto growth = lyapunov_exponents(scene, {.interval_s = 1e7, .intervals = 8, .stop = &stop});
    REQUIRE(growth);
    CHECK(!growth->finished);
    CHECK(growth->trouble == "stopped");
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(5));
}

TEST_CASE("a mass on a floor: its exponents are those of the directions that the floor leaves")
{
    // it sticks and slips: what it was before is forgotten with every stick, as is the floor's direction
    const auto stuck = lyapunov_exponents(read(rough_floor, {{"parameters.w", "0.4"}}),
                                          {.interval_s = turn / 0.4, .discard = 2, .intervals = 8});
    REQUIRE(stuck);
    REQUIRE_MESSAGE(stuck->finished, stuck->trouble);
    REQUIRE(stuck->exponents_1_s.size() == 4);
    CHECK(std::isfinite(stuck->exponents_1_s[0]));
    CHECK(stuck->exponents_1_s.tail(3).maxCoeff() == -INFINITY);
    // without friction x is an oscillator without damping: twice zero
    const auto free = lyapunov_exponents(read(rough_floor, {{"parameters.mu", "0"}}),
                                         {.interval_s = turn, .discard = 1, .intervals = 9});
    REQUIRE(free);
    REQUIRE_MESSAGE(free->finished, free->trouble);
    CHECK(std::abs(free->exponents_1_s[0]) < 1e-12);
    CHECK(std::abs(free->exponents_1_s[1]) < 1e-12);
    CHECK(free->exponents_1_s.tail(2).maxCoeff() == -INFINITY);
}
