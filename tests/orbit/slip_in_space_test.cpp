#include "support.hpp"

#include <fstream>
#include <iterator>

using namespace carom;
using namespace carom::test;

/// Slip in space that ends (OR-26): a particle on a rough slope, F along x and friction R.
namespace {

/// The scene of mpmath_check.py as well.
std::string read_slope()
{
    std::ifstream file(std::string(CAROM_SOURCE_DIR) + "/tests/orbit/stopping.toml");
    return {std::istreambuf_iterator<char>(file), {}};
}

const std::string slope = read_slope();

Sensitivities differentiated(const std::string& text, const std::vector<std::string>& by,
                             const std::vector<double>& at_s = {})
{
    auto found = sensitivities(read(text), {.by = by, .at_s = at_s});
    REQUIRE(found);
    return std::move(*found);
}

/// x, y and the instant of the stop by a run with another number.
Eigen::Vector3d stopped_at(const std::string& text, const std::string& name, double value)
{
    const auto found = sensitivities(read(text, {{name, digits(value)}}), {.by = {name}});
    REQUIRE(found);
    const SensitiveState& end = found->states.back();
    CHECK(end.u.norm() < 1e-14);
    return {end.q[0], end.q[1], found->events.back().event.time_s};
}

/// Differences of fourth order.
Eigen::Vector3d difference(const std::string& text, const std::string& name, double value)
{
    constexpr double h = 2e-3;
    const auto both = [&](double step) {
        return Eigen::Vector3d(stopped_at(text, name, value + step) - stopped_at(text, name, value - step));
    };
    return (8 * both(h) - both(2 * h)) / (12 * h);
}

void check_by_differences(const std::string& text, double tolerance)
{
    const std::vector<std::pair<std::string, double>> numbers{
        {"parameters.F", 2}, {"parameters.R", 4}, {"parameters.vx", 0.4}, {"parameters.vy", 1.5}};
    std::vector<std::string> by;
    for (const auto& [name, value] : numbers) {
        by.push_back(name);
    }
    const Sensitivities found = differentiated(text, by);
    REQUIRE_MESSAGE(!found.lost, (found.lost ? found.lost->words : ""));
    const SensitiveState& end = found.states.back();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        CAPTURE(by[i]);
        const auto k = static_cast<Eigen::Index>(i);
        const Eigen::Vector3d runs = difference(text, numbers[i].first, numbers[i].second);
        CHECK(std::abs(end.dq(0, k) - runs[0]) < tolerance);
        CHECK(std::abs(end.dq(1, k) - runs[1]) < tolerance);
        CHECK(std::abs(found.events.back().dtime_s[k] - runs[2]) < tolerance);
        // at rest, whatever the data: both components of slip are gone
        CHECK(end.du.col(k).norm() < 1e-13);
    }
}

}  // namespace

TEST_CASE("slip in space ends after (R S + F.U) / (R^2 - F^2): the gradient of that time")
{
    const Sensitivities found =
        differentiated(slope, {"parameters.vx", "parameters.vy", "parameters.F", "parameters.R"});
    REQUIRE_MESSAGE(!found.lost, (found.lost ? found.lost->words : ""));
    const double F = 2, R = 4, vx = 0.4, vy = 1.5, S = std::hypot(vx, vy), falls = R * R - F * F;
    const double T = (R * S + F * vx) / falls;
    const SensitiveEvent& stop = found.events.back();
    CHECK(stop.event.time_s == doctest::Approx(T).epsilon(1e-14));
    const std::array exact{(R * vx / S + F) / falls, R * vy / S / falls, vx / falls + T * 2 * F / falls,
                           S / falls - T * 2 * R / falls};
    for (Eigen::Index i = 0; i < 4; ++i) {
        // what is left of slip where it is taken to end, 1e-11 sqrt(L |S'|), is the error
        CHECK(std::abs(stop.dtime_s[i] - exact[static_cast<std::size_t>(i)]) < 1e-10);
    }
}

TEST_CASE("where slip in space ends: derivatives against differences of runs")
{
    // of fourth order in 2e-3: about 1e-10 of the derivatives
    check_by_differences(slope, 3e-9);
    // another direction of slip at the end, and a slow turn to it
    check_by_differences(
        with(slope, {{"forces = { x = \"F\" }", "forces = { x = \"F - 0.3*x'\", y = \"0.2*F - x\" }"}}),
        3e-9);
}

TEST_CASE("masses that differ along x and y: slip ends in a direction of its own")
{
    check_by_differences(with(slope, {{"m = 0", "m = 0.3"}}), 1e-8);
}

TEST_CASE("straight slip in space: a change across it decays like a power of the time that is left")
{
    // against F: e.dU = (1 - t/T)^(R/(R + F)), and T does not move
    const std::string against = with(slope, {{"vx = 0.4", "vx = -2"}, {"vy = 1.5", "vy = 0"}});
    const double F = 2, R = 4, T = 2 / (F + R), power = R / (R + F);
    const std::vector<double> at{0.5 * T, 0.8 * T, 0.95 * T, 0.999 * T};
    const Sensitivities found = differentiated(against, {"parameters.vy"}, at);
    REQUIRE_MESSAGE(!found.lost, (found.lost ? found.lost->words : ""));
    for (std::size_t i = 0; i < at.size(); ++i) {
        const double left = 1 - at[i] / T;
        CHECK(found.states[i].du(1, 0) == doctest::Approx(std::pow(left, power)).epsilon(1e-11));
    }
    const SensitiveState& end = found.states.back();
    CHECK(end.dq(1, 0) == doctest::Approx(T / (1 + power)).epsilon(1e-10));
    CHECK(std::abs(end.dq(0, 0)) < 1e-12);
    CHECK(std::abs(found.events.back().dtime_s[0]) < 1e-10);
}

TEST_CASE("slip in space that passes zero and turns round: behind it the derivatives are those of the line")
{
    // against F > R: to rest at T = v/(F + R), then back with F - R; across it a change is gone at T like the
    // power R/(F + R) of the time that is left, and motions beside it turn round near rest
    const std::string turning =
        with(slope, {{"F = 2", "F = 5"}, {"vx = 0.4", "vx = -2"}, {"vy = 1.5", "vy = 0"}});
    const double F = 5, R = 4, v = 2, end = 2, T = v / (F + R), left = end - T, power = R / (F + R);
    const Sensitivities found =
        differentiated(turning, {"parameters.vx", "parameters.F", "parameters.R", "parameters.vy"});
    REQUIRE_MESSAGE(!found.lost, (found.lost ? found.lost->words : ""));
    const SensitiveState& last = found.states.back();
    CHECK(last.q[0] == doctest::Approx(-v * T / 2 + (F - R) * left * left / 2).epsilon(1e-14));
    const double dT_v = 1 / (F + R), dT_F = -v / ((F + R) * (F + R)), stop = v * v / 2 / ((F + R) * (F + R));
    const std::array x{T + (F - R) * left * dT_v, stop + left * left / 2 - (F - R) * left * dT_F,
                       stop - left * left / 2 - (F - R) * left * dT_F, 0.0};
    const std::array u{(F - R) * dT_v, left - (F - R) * dT_F, -left - (F - R) * dT_F, 0.0};
    const std::array y{0.0, 0.0, 0.0, T / (1 + power)};
    for (Eigen::Index i = 0; i < 4; ++i) {
        const auto k = static_cast<std::size_t>(i);
        CAPTURE(i);
        // what is left of slip where it is taken to end, 1e-11 sqrt(L |S'|), is the error
        CHECK(std::abs(last.dq(0, i) - x[k]) < 1e-9);
        CHECK(std::abs(last.du(0, i) - u[k]) < 1e-9);
        CHECK(std::abs(last.dq(1, i) - y[k]) < 1e-9);
        CHECK(std::abs(last.du(1, i)) < 1e-9);
    }
    // a run beside the line turns round near rest
    const double beside = 1e-6;
    const auto run =
        sensitivities(read(turning, {{"parameters.vy", digits(beside)}}), {.by = {"parameters.F"}});
    REQUIRE(run);
    const SensitiveState& other = run->states.back();
    const double away = std::pow(beside, R / F);  // the next power, (F + R)/F - 1
    CHECK(std::abs(other.q[1] / beside - last.dq(1, 3)) < 10 * away);
    CHECK(std::abs(other.u[1] / beside) < 10 * away);
}

TEST_CASE("a force at its bound that turns: slip begins with the third power of the time and has derivatives")
{
    // under (1, a t) with the bound 1: (a^2 t^4/24, a^3 t^5/30) at first
    const std::string turned = with(slope, {{"R = 4", "R = 1\na = 1"},
                                            {"vx = 0.4", "vx = 0"},
                                            {"vy = 1.5", "vy = 0"},
                                            {"potential = \"10*z\"", "potential = \"z\""},
                                            {"forces = { x = \"F\" }", "forces = { x = \"1\", y = \"a*t\" }"},
                                            {"friction = \"R/10\"", "friction = \"R\""}});
    const auto at = [&](double a) {
        const auto found =
            sensitivities(read(turned, {{"parameters.a", digits(a)}}), {.by = {"parameters.a"}, .at_s = {1}});
        REQUIRE(found);
        REQUIRE_MESSAGE(!found->lost, (found->lost ? found->lost->words : ""));
        return found->states;
    };
    const auto states = at(1);
    // displacements at 1 s and 2 s by DOP853 from the expansion at 1e-3, as in the open case
    CHECK(states[0].q[0] == doctest::Approx(0.030739611717096015).epsilon(1e-7));
    CHECK(states[1].q[1] == doctest::Approx(0.41158573765511247).epsilon(1e-7));
    constexpr double h = 2e-3;
    const auto far = at(1 + 2 * h), near = at(1 + h), below = at(1 - h), far_below = at(1 - 2 * h);
    for (std::size_t k = 0; k < 2; ++k) {
        // of fourth order in 2e-3
        const Eigen::VectorXd dq = (8 * (near[k].q - below[k].q) - (far[k].q - far_below[k].q)) / (12 * h);
        const Eigen::VectorXd du = (8 * (near[k].u - below[k].u) - (far[k].u - far_below[k].u)) / (12 * h);
        CHECK((states[k].dq.col(0) - dq).cwiseAbs().maxCoeff() < 1e-9);
        CHECK((states[k].du.col(0) - du).cwiseAbs().maxCoeff() < 1e-9);
    }
}

TEST_CASE("an instant that was not crossed has no derivative, and not zero")
{
    // derivatives end where slip stops a second time, by a rounding later than the event that tells of it;
    // the instant depends on F. Found by random_derivatives, seed 990022
    const std::string pushed = R"toml(
title = "pushed round"
duration_s = 1.75
[parameters]
F = 1.2374154966157809
[[coordinate]]
name = "x"
start = 0.10177270597041244
start_velocity = 0.22184292958056417
[[coordinate]]
name = "y"
start = 0.4969040332074568
start_velocity = 0.56485266799791445
[[coordinate]]
name = "z"
start = 1.0305895043969959
start_velocity = -0.47775679934916759
[lagrangian]
kinetic = "1.7104711491068842/2*(x'^2 + y'^2 + z'^2)"
potential = "1.7104711491068842*7.5115136819388137*z + 2.0175992444758535/2*(x^2 + y^2)"
forces = { x = "F*sin(5.9093696898802133*t)", y = "6.2430357801555152*sin(0.7*5.9093696898802133*t + 0.3)" }
[[contact]]
name = "floor"
position = ["x", "y", "z"]
surface = "z - 0.02288711101304787*sin(5.9093696898802133*t)"
law = { kind = "coulomb", friction = 0.36443487701837074, tangential_restitution = 0.41541398799591073 }
)toml";
    const Sensitivities found = differentiated(pushed, {"parameters.F"});
    std::vector<SensitiveEvent> stops;
    std::ranges::copy_if(found.events, std::back_inserter(stops),
                         [](const SensitiveEvent& one) { return one.event.kind == EventKind::Stick; });
    REQUIRE(stops.size() == 2);
    REQUIRE(found.lost);
    CHECK(found.lost->time_s == doctest::Approx(stops[1].event.time_s).epsilon(1e-14));
    CHECK(stops[0].dtime_s.size() == 1);
    CHECK(stops[1].dtime_s.size() == 0);
}
