#include "tape_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

namespace carom::detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double half_turn = std::numbers::pi;

Interval sum(Interval x, Interval y)
{
    return {x.low + y.low, x.high + y.high};
}

Interval negative(Interval x)
{
    return {-x.high, -x.low};
}

Interval product(Interval x, Interval y)
{
    // a bound of zero times an infinite one is zero: the factor itself is never infinite
    const auto times = [](double a, double b) { return a == 0 || b == 0 ? 0.0 : a * b; };
    const std::initializer_list<double> corners = {times(x.low, y.low), times(x.low, y.high),
                                                   times(x.high, y.low), times(x.high, y.high)};
    return {std::min(corners), std::max(corners)};
}

Interval inverse(Interval x)
{
    if (x.low > 0 || x.high < 0) return {1 / x.high, 1 / x.low};
    if (x.low == 0) return {x.high == infinite ? 0.0 : 1 / x.high, infinite};
    if (x.high == 0) return {-infinite, x.low == -infinite ? 0.0 : 1 / x.low};
    return {};
}

Interval magnitude(Interval x)
{
    const double high = std::max(std::abs(x.low), std::abs(x.high));
    return {x.contains(0) ? 0.0 : std::min(std::abs(x.low), std::abs(x.high)), high};
}

/// A function that rises, between its values at the ends.
template <class F>
Interval rising(Interval x, F f)
{
    return {f(x.low), f(x.high)};
}

Interval integer_power_of(Interval x, int n)
{
    if (n < 0) return inverse(integer_power_of(x, -n));
    const Interval base = n % 2 == 0 ? magnitude(x) : x;
    return rising(base, [n](double v) { return std::pow(v, n); });
}

/// Real powers have a domain x >= 0.
Interval real_power_of(Interval x, double p)
{
    const Interval base{std::max(0.0, x.low), std::max(0.0, x.high)};
    const Interval up = rising(base, [p](double v) { return std::pow(v, std::abs(p)); });
    return p >= 0 ? up : inverse(up);
}

Interval of_two(Op op, Interval x, Interval y)
{
    switch (op) {
    case Op::Add: return sum(x, y);
    case Op::Subtract: return sum(x, negative(y));
    case Op::Multiply: return product(x, y);
    case Op::Divide: return product(x, inverse(y));
    case Op::Min: return {std::min(x.low, y.low), std::min(x.high, y.high)};
    case Op::Max: return {std::max(x.low, y.low), std::max(x.high, y.high)};
    case Op::Hypot: return {std::hypot(magnitude(x).low, magnitude(y).low), infinite};
    case Op::Power: return {0, infinite};
    case Op::Atan2: return {-half_turn, half_turn};
    default: return {0, 1};  // comparisons, and, or
    }
}

Interval of_one(const Instruction& it, Interval x)
{
    switch (it.op) {
    case Op::Negate: return negative(x);
    case Op::Scale: return product(x, {it.number, it.number});
    case Op::DivideBy: return product(x, {1 / it.number, 1 / it.number});
    case Op::Shift: return sum(x, {it.number, it.number});
    case Op::Reciprocal: return product({it.number, it.number}, inverse(x));
    case Op::Square: return integer_power_of(x, 2);
    case Op::IntegerPower: return integer_power_of(x, it.b);
    case Op::RealPower: return real_power_of(x, it.number);
    case Op::Sqrt: return real_power_of(x, 0.5);
    case Op::Exp:  // never zero, though it may round to it
        return rising(x, [](double v) { return std::max(std::exp(v), std::numeric_limits<double>::min()); });
    case Op::Sin:
    case Op::Cos:
    case Op::Tanh:
    case Op::Sign: return {-1, 1};
    case Op::Asin:
    case Op::Atan: return {-half_turn / 2, half_turn / 2};
    case Op::Acos: return {0, half_turn};
    case Op::Sinh: return rising(x, [](double v) { return std::sinh(v); });
    case Op::Cosh: return rising(magnitude(x), [](double v) { return std::cosh(v); });
    case Op::Abs: return magnitude(x);
    case Op::Not: return {0, 1};
    default: return {};  // log, tan, tables
    }
}

}  // namespace

std::vector<Interval> register_ranges(const Tape& tape)
{
    std::vector<Interval> ranges;
    ranges.reserve(static_cast<std::size_t>(tape.size()));
    const auto range = [&](int a) { return ranges[static_cast<std::size_t>(a)]; };
    for (const Instruction& it : tape.instructions()) {
        Interval result;
        if (it.op == Op::Constant)
            result = {it.number, it.number};
        else if (it.op == Op::Select)
            result = {std::min(range(it.b).low, range(it.c).low),
                      std::max(range(it.b).high, range(it.c).high)};
        else if (it.op != Op::Variable)
            result =
                operand_count(it.op) == 2 ? of_two(it.op, range(it.a), range(it.b)) : of_one(it, range(it.a));
        // what cannot be told is everything
        if (std::isnan(result.low) || std::isnan(result.high)) result = {};
        ranges.push_back(result);
    }
    return ranges;
}

}  // namespace carom::detail
