#include "carom/expression/record.hpp"

#include "expression/print.hpp"
#include "support.hpp"

#include <algorithm>
#include <array>
#include <cmath>

using namespace carom;
using namespace carom::test;

namespace {

/// Every function that both numbers and symbols have, in one text.
constexpr auto everything = [](const auto& q, const auto& u, auto t) {
    using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::hypot,
        std::log, std::max, std::min, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
    auto sum = 2 * q[0] - q[1] / 3 + 1;
    sum += sin(q[0]) * cos(q[1]) - tan(q[0] / 2);
    sum -= asin(q[0] / 5) + acos(q[1] / 5) + atan(u[0]);
    sum += sinh(q[0]) / cosh(q[1]) + tanh(t) * exp(-t) + log(2 + t * t);
    sum *= sqrt(1 + q[0] * q[0]) + hypot(q[0], u[1]);
    sum /= 3 + pow(u[0], 2) + pow(1 + t, 0.7) + pow(2.0, q[0]);
    sum += atan2(q[0], 2 + q[1] * q[1]) + abs(q[1]) + carom::sign(u[1]);
    sum += min(q[0], q[1]) * max(u[0], u[1]);
    return -sum + carom::select(q[0] > q[1] && !(u[0] >= 2), q[0] * t, u[0]) +
           carom::select(q[0] < 0 || q[1] <= 0, u[1] * t, q[0]);
};

}  // namespace

TEST_CASE("one text of C++ gives the same number directly and through the tape")
{
    const Formula formula = record(2, everything);
    CHECK(formula.text().empty());
    holds_for(500, [&] {
        std::array<double, 5> z{};
        for (double& value : z)
            value = *rc::gen::inRange(-1000, 1001) / 1000.0;
        z[4] = std::abs(z[4]);
        const std::array q{z[0], z[1]};
        const std::array u{z[2], z[3]};
        Workspace work;
        // forty operations on numbers below ten
        RC_ASSERT(std::abs(formula.value({q, u, z[4]}, work) - everything(q, u, z[4])) <= 1e-13);
    });
}

TEST_CASE("what was recorded is written as text, conditions too, and read again")
{
    const std::array<std::string, 3> names{"x", "y", "theta"};
    const Formula formula = record(2, everything);
    const auto text = text_of(formula, names);
    REQUIRE(text);
    CHECK(text->find("not ") != std::string::npos);
    const Formula read = parsed(*text);
    holds_for(500, [&] {
        std::array<double, 7> z{};
        for (double& value : z)
            value = *rc::gen::inRange(-1000, 1001) / 1000.0;
        const std::array q{z[0], z[1], z[2]};
        const std::array u{z[3], z[4], z[5]};
        const double t = std::abs(z[6]);
        Workspace work;
        RC_ASSERT(std::abs(read.value({q, u, t}, work) - formula.value({q, u, t}, work)) <= 1e-13);
    });
    // as a user would type it
    const auto written = [&](auto f) { return *text_of(record(2, f), names); };
    CHECK(written([](const auto& q, const auto& u, auto) { return u[0] * u[0] / 2 - 9.81 * q[1]; }) ==
          "-9.81*y + 0.5*x'^2");
    CHECK(written([](const auto& q, const auto&, auto t) { return -(q[0] - (q[1] - t)) * pow(q[0], -3); }) ==
          "x^-3*(y - t - x)");
    CHECK(written([](const auto&, const auto&, auto) { return 0; }) == "0");
}

TEST_CASE("what no text can say has none")
{
    const std::array<std::string, 1> x{"x"};
    const auto ramp = std::make_shared<const Table>(*Table::from_points({1, 3}, {0, 10}));
    CHECK_FALSE(
        text_of(record(1, [&](const auto& q, const auto&, const auto&) { return q[0].lookup(ramp); }), x));
    const auto infinite = [](const auto& q, const auto&, const auto&) { return q[0] * q[0] * HUGE_VAL; };
    CHECK_FALSE(text_of(record(1, infinite), x));
    CHECK_FALSE(text_of(record(2, [](const auto& q, const auto&, const auto&) { return q[1]; }), x));
    // each line uses the one before twice: 2^40 letters
    const auto doubling = [](const auto& q, const auto&, const auto&) {
        auto y = q[0];
        for (int i = 0; i < 40; ++i)
            y = sin(y) * cos(y);
        return y;
    };
    CHECK_FALSE(text_of(record(1, doubling), x));
    const auto deep = [](const auto& q, const auto&, const auto&) {
        auto y = q[0];
        for (int i = 0; i < 300; ++i)
            y = sin(y);
        return y;
    };
    CHECK_FALSE(text_of(record(1, deep), x));
}

TEST_CASE("a recorded formula has the derivatives of the parsed one")
{
    const Formula recorded = record(3, [](const auto& q, const auto& u, auto t) {
        return u[0] * u[0] + u[1] * u[1] / 2 + u[0] * u[1] * cos(q[0] - q[1]) + 3 * sin(t);
    });
    const Formula read = parsed("x'^2 + y'^2/2 + x'*y'*cos(x - y) + 3*sin(t)");
    REQUIRE(recorded.terms().size() == read.terms().size());
    const Place place;
    const auto a = derivatives(recorded, place.point());
    const auto b = derivatives(read, place.point());
    CHECK(a.value == b.value);
    CHECK(a.first == b.first);
    CHECK(a.second == b.second);
    // the time's term has one variable, not seven
    CHECK(std::ranges::any_of(recorded.terms(), [](const Term& term) {
        return term.variables().size() == 1 && term.variables()[0].kind == Variable::Kind::Time;
    }));
}

TEST_CASE("sums in loops may start from a number")
{
    const Formula formula = record(3, [](const auto& q, const auto&, auto t) {
        decltype(t) sum = 0;
        for (const auto& coordinate : q)
            sum += coordinate * coordinate;
        return sum;
    });
    CHECK(formula.terms().size() == 3);
    Workspace work;
    const Place place;
    CHECK(formula.value(place.point(), work) == near(0.16 + 0.09 + 1.44, 1e-15));
}

TEST_CASE("a callable may return a plain number")
{
    const Formula formula = record(1, [](const auto&, const auto&, auto) { return 2.5; });
    Workspace work;
    CHECK(formula.value({}, work) == 2.5);
    const Formula constants = record(1, [](const auto&, const auto&, auto t) {
        decltype(t) two = 2;
        return select(two < 3, sqrt(two + two), two) + min(two, -two) / two - pow(two, 2);
    });
    CHECK(constants.value({}, work) == 2 - 1 - 4);
}

TEST_CASE("recording a doubling chain takes no more than its length")
{
    // as a tree it would have 2^200 leaves
    const Formula formula = record(1, [](const auto& q, const auto&, auto) {
        auto x = q[0];
        for (int i = 0; i < 200; ++i)
            x = x + x * 0.5;
        return x;
    });
    REQUIRE(formula.terms().size() == 1);
    Workspace work;
    const std::array q{1.0};
    CHECK(formula.value({q, q, 0}, work) == near(std::pow(1.5, 200), 1e-12 * std::pow(1.5, 200)));
}

TEST_CASE("tables can be recorded")
{
    const auto table = std::make_shared<const Table>(*Table::from_points({0, 1}, {0, 4}));
    const Formula formula =
        record(1, [&](const auto& q, const auto&, auto) { return q[0] + q[0].lookup(table); });
    Workspace work;
    const std::array q{0.5};
    CHECK(formula.value({q, q, 0}, work) == 2.5);
    CHECK_FALSE(formula.analytic());
}

TEST_CASE("symbols of two recordings do not mix")
{
    const Symbols a = symbols(1);
    const Symbols b = symbols(1);
    CHECK_THROWS_AS((void)(a.q[0] + b.q[0]), InternalError);
}
