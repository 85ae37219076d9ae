#include "series/dual.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

using namespace carom;
using carom::test::near;

namespace {

using Jet = DualRegisters<2, 1>;

/// Value, first and second derivative of a function of one variable.
std::array<double, 3> jet(double x, const std::function<void(Jet&)>& apply)
{
    std::array<double, 6> memory{};
    Jet registers(memory.data(), &x, {.count = 1});
    registers.variable(0, 0);
    apply(registers);
    return {registers.value(1), *registers.first(1), *registers.second(1)};
}

/// Relative for numbers above one; 1e-14 is some ten roundings of the few operations behind each derivative.
void check_jet(const std::array<double, 3>& seen, const std::array<double, 3>& exact)
{
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(seen[i] == near(exact[i], 1e-14 * std::max(1.0, std::abs(exact[i]))));
}

}  // namespace

TEST_CASE("functions of one variable have the derivatives of calculus")
{
    const double x = 0.37;
    const double s = std::sin(x), c = std::cos(x), sh = std::sinh(x), ch = std::cosh(x);
    const double w = 1 - x * x;
    const double v = 1 + x * x;
    check_jet(jet(x, [](Jet& r) { r.sin(1, 0); }), {s, c, -s});
    check_jet(jet(x, [](Jet& r) { r.cos(1, 0); }), {c, -s, -c});
    check_jet(jet(x, [](Jet& r) { r.tan(1, 0); }), {s / c, 1 / (c * c), 2 * s / (c * c * c)});
    check_jet(jet(x, [](Jet& r) { r.asin(1, 0); }), {std::asin(x), 1 / std::sqrt(w), x / (w * std::sqrt(w))});
    check_jet(jet(x, [](Jet& r) { r.acos(1, 0); }),
              {std::acos(x), -1 / std::sqrt(w), -x / (w * std::sqrt(w))});
    check_jet(jet(x, [](Jet& r) { r.atan(1, 0); }), {std::atan(x), 1 / v, -2 * x / (v * v)});
    check_jet(jet(x, [](Jet& r) { r.sinh(1, 0); }), {sh, ch, sh});
    check_jet(jet(x, [](Jet& r) { r.cosh(1, 0); }), {ch, sh, ch});
    check_jet(jet(x, [](Jet& r) { r.tanh(1, 0); }), {sh / ch, 1 / (ch * ch), -2 * sh / (ch * ch * ch)});
    check_jet(jet(x, [](Jet& r) { r.exp(1, 0); }), {std::exp(x), std::exp(x), std::exp(x)});
    check_jet(jet(x, [](Jet& r) { r.log(1, 0); }), {std::log(x), 1 / x, -1 / (x * x)});
    check_jet(jet(x, [](Jet& r) { r.sqrt(1, 0); }),
              {std::sqrt(x), 0.5 / std::sqrt(x), -0.25 / (x * std::sqrt(x))});
    check_jet(jet(x, [](Jet& r) { r.reciprocal(1, 0, 3); }), {3 / x, -3 / (x * x), 6 / (x * x * x)});
    check_jet(jet(x, [](Jet& r) { r.square(1, 0); }), {x * x, 2 * x, 2});
    check_jet(jet(x, [](Jet& r) { r.raise(1, 0, 2.5); }),
              {std::pow(x, 2.5), 2.5 * std::pow(x, 1.5), 3.75 * std::pow(x, 0.5)});
    check_jet(jet(x, [](Jet& r) { r.scale(1, 0, 3); }), {3 * x, 3, 0});
    check_jet(jet(x, [](Jet& r) { r.divide_by(1, 0, 3); }), {x / 3, 1.0 / 3, 0});
    check_jet(jet(x, [](Jet& r) { r.shift(1, 0, 3); }), {x + 3, 1, 0});
    check_jet(jet(x, [](Jet& r) { r.negate(1, 0); }), {-x, -1, 0});
    check_jet(jet(x, [](Jet& r) { r.linear(1, 0, 7, 3); }), {7, 3, 0});
}

TEST_CASE("integer powers have their derivatives also at zero and below")
{
    for (const double x : {-1.3, 0.0, 0.8}) {
        check_jet(jet(x, [](Jet& r) { r.raise(1, 0, 3); }), {x * x * x, 3 * x * x, 6 * x});
        check_jet(jet(x, [](Jet& r) { r.raise(1, 0, 2); }), {x * x, 2 * x, 2});
    }
    const double x = -1.3;
    check_jet(jet(x, [](Jet& r) { r.raise(1, 0, -2); }),
              {std::pow(x, -2), -2 * std::pow(x, -3), 6 * std::pow(x, -4)});
    CHECK(integer_power(2, 10) == 1024);
    CHECK(integer_power(2, -3) == 0.125);
    CHECK(integer_power(0, 0) == 1);
}

TEST_CASE("functions of two variables have the gradients and Hessians of calculus")
{
    const std::array<double, 2> p{1.2, 0.7};
    const auto [x, y] = p;
    const double r2 = x * x + y * y, r = std::sqrt(r2);
    using Registers = DualRegisters<2, 2>;
    const auto check = [&](const std::function<void(Registers&)>& apply, const std::array<double, 6>& exact) {
        std::array<double, 18> memory{};
        Registers registers(memory.data(), p.data(), {.count = 2});
        registers.variable(0, 0);
        registers.variable(1, 1);
        apply(registers);
        const std::array<double, 6> seen{registers.value(2),     registers.first(2)[0],
                                         registers.first(2)[1],  registers.second(2)[0],
                                         registers.second(2)[1], registers.second(2)[2]};
        for (std::size_t i = 0; i < 6; ++i)
            CHECK(seen[i] == near(exact[i], 1e-14));
    };
    check([](Registers& f) { f.add(2, 0, 1); }, {x + y, 1, 1, 0, 0, 0});
    check([](Registers& f) { f.subtract(2, 0, 1); }, {x - y, 1, -1, 0, 0, 0});
    check([](Registers& f) { f.multiply(2, 0, 1); }, {x * y, y, x, 0, 1, 0});
    check([](Registers& f) { f.divide(2, 0, 1); },
          {x / y, 1 / y, -x / (y * y), 0, -1 / (y * y), 2 * x / (y * y * y)});
    check([](Registers& f) { f.hypot(2, 0, 1); },
          {r, x / r, y / r, y * y / (r * r2), -x * y / (r * r2), x * x / (r * r2)});
    // atan2(x, y): x is the ordinate
    check([](Registers& f) { f.atan2(2, 0, 1); }, {std::atan2(x, y), y / r2, -x / r2, -2 * x * y / (r2 * r2),
                                                   (x * x - y * y) / (r2 * r2), 2 * x * y / (r2 * r2)});
    const double f = std::pow(x, y), l = std::log(x);
    check([](Registers& g) { g.power(2, 0, 1); },
          {f, y * f / x, l * f, y * (y - 1) * f / (x * x), f / x * (1 + y * l), l * l * f});
}

TEST_CASE("a power with a base of zero and a variable exponent stays zero with zero derivatives")
{
    const std::array<double, 2> p{0.0, 3.0};
    std::array<double, 18> memory{};
    DualRegisters<2, 2> registers(memory.data(), p.data(), {.count = 2});
    registers.variable(0, 0);
    registers.variable(1, 1);
    registers.power(2, 0, 1);
    CHECK(registers.value(2) == 0);
    for (int i = 0; i < 5; ++i)
        CHECK(registers.first(2)[i] == 0);
}

TEST_CASE("angles and distances are differentiated without overflow, however near or far the point")
{
    // d/dx hypot = x / r = 0.6 at every scale; d/dy atan2(y, x) = x / r^2
    for (const double scale : {1e-160, 1e160}) {
        const std::array<double, 2> p{3 * scale, 4 * scale};
        std::array<double, 9> memory{};
        DualRegisters<1, 2> registers(memory.data(), p.data(), {.count = 2});
        registers.variable(0, 0);
        registers.variable(1, 1);
        registers.hypot(2, 0, 1);
        CHECK(registers.first(2)[0] == near(0.6, 1e-15));
        registers.atan2(2, 0, 1);
        CHECK(registers.first(2)[0] * scale == near(4.0 / 25, 1e-15));
    }
}

TEST_CASE("the loops of every width compute the same duals")
{
    // (x0 + 2 x1 + ... + k x_{k-1})^2 / exp(x0): once with the width known to the compiler, once without
    const auto compute = [](auto& r, int k) {
        r.variable(0, 0);
        int sum = 0;
        int next = 1;
        for (int i = 1; i < k; ++i) {
            r.variable(next, i);
            r.scale(next + 1, next, i + 1);
            r.add(next + 2, sum, next + 1);
            sum = next + 2;
            next += 3;
        }
        r.square(next, sum);
        r.exp(next + 1, 0);
        r.divide(next + 2, next, next + 1);
        return next + 2;
    };
    const auto compare = [&]<int Width>() {
        const std::array<double, 6> x{0.3, -0.7, 1.1, 0.2, -0.4, 0.9};
        std::vector<double> fixed(1000), any(1000);
        DualRegisters<2, Width> a(fixed.data(), x.data(), {.count = Width});
        DualRegisters<2> b(any.data(), x.data(), {.count = Width});
        REQUIRE(compute(a, Width) == compute(b, Width));
        CHECK(fixed == any);
    };
    compare.operator()<1>();
    compare.operator()<2>();
    compare.operator()<3>();
    compare.operator()<4>();
    compare.operator()<5>();
    compare.operator()<6>();
}

TEST_CASE("directions are one or two runs of inputs")
{
    constexpr Directions directions{.first = 2, .count = 2, .second = 7, .second_count = 3};
    static_assert(directions.width() == 5);
    CHECK(directions.of(2) == 0);
    CHECK(directions.of(3) == 1);
    CHECK(directions.of(4) == -1);
    CHECK(directions.of(7) == 2);
    CHECK(directions.of(9) == 4);
    CHECK(directions.of(10) == -1);
}
