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

/// sin between its values at the ends, with the tops and bottoms between them.
Interval sine(Interval x)
{
    if (!(x.high - x.low < 2 * half_turn)) return {-1, 1};
    const auto holds = [&](double place) {  // place + 2 pi k for some k
        const double first = place + 2 * half_turn * std::ceil((x.low - place) / (2 * half_turn));
        return first <= x.high;
    };
    const double a = std::sin(x.low), b = std::sin(x.high);
    return {holds(-half_turn / 2) ? -1.0 : std::min(a, b), holds(half_turn / 2) ? 1.0 : std::max(a, b)};
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
    case Op::Hypot:
        return {std::hypot(magnitude(x).low, magnitude(y).low),
                std::hypot(magnitude(x).high, magnitude(y).high)};
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
    case Op::Sin: return sine(x);
    case Op::Cos: return sine({x.low + half_turn / 2, x.high + half_turn / 2});
    case Op::Tanh: return rising(x, [](double v) { return std::tanh(v); });
    case Op::Sign: return {x.low > 0 ? 1.0 : -1.0, x.high < 0 ? -1.0 : 1.0};
    case Op::Log: return x.low > 0 ? rising(x, [](double v) { return std::log(v); }) : Interval{};
    case Op::Atan: return rising(x, [](double v) { return std::atan(v); });
    case Op::Asin: return {-half_turn / 2, half_turn / 2};
    case Op::Acos: return {0, half_turn};
    case Op::Sinh: return rising(x, [](double v) { return std::sinh(v); });
    case Op::Cosh: return rising(magnitude(x), [](double v) { return std::cosh(v); });
    case Op::Abs: return magnitude(x);
    case Op::Not: return {0, 1};
    default: return {};  // log, tan, tables
    }
}

}  // namespace

Interval operator+(Interval x, Interval y)
{
    return sum(x, y);
}

Interval operator-(Interval x, Interval y)
{
    return sum(x, negative(y));
}

Interval operator*(Interval x, Interval y)
{
    return product(x, y);
}

Interval operator/(Interval x, Interval y)
{
    return product(x, inverse(y));
}

std::vector<Interval> register_ranges(const Tape& tape)
{
    std::vector<Interval> ranges;
    register_ranges(tape, {}, ranges);
    return ranges;
}

void register_ranges(const Tape& tape, std::span<const Interval> inputs, std::vector<Interval>& ranges)
{
    ranges.clear();
    ranges.reserve(static_cast<std::size_t>(tape.size()));
    const auto range = [&](int a) { return ranges[static_cast<std::size_t>(a)]; };
    for (const Instruction& it : tape.instructions()) {
        Interval result;
        if (it.op == Op::Constant)
            result = {it.number, it.number};
        else if (it.op == Op::Variable)
            result = inputs.empty() ? Interval{} : inputs[static_cast<std::size_t>(it.a)];
        else if (it.op == Op::Select)
            result = {std::min(range(it.b).low, range(it.c).low),
                      std::max(range(it.b).high, range(it.c).high)};
        else
            result =
                operand_count(it.op) == 2 ? of_two(it.op, range(it.a), range(it.b)) : of_one(it, range(it.a));
        // what cannot be told is everything
        if (std::isnan(result.low) || std::isnan(result.high)) result = {};
        ranges.push_back(result);
    }
}

namespace {

bool is_bounded(Interval x)
{
    return std::isfinite(x.low) && std::isfinite(x.high);
}

bool keeps_from_zero(Interval x)
{
    return x.low > 0 || x.high < 0;
}

/// Degree of a function of registers with these degrees; `range` of its first and second argument.
double degree_of(const Instruction& it, double x, double y, Interval of_x, Interval of_y)
{
    switch (it.op) {
    case Op::Constant: return 0;
    case Op::Add:
    case Op::Subtract:
    case Op::Min:
    case Op::Max:
    case Op::Hypot: return std::max(x, y);
    case Op::Multiply: return x + y;
    case Op::Divide: return keeps_from_zero(of_y) ? x : infinite;
    case Op::Negate:
    case Op::Scale:
    case Op::DivideBy:
    case Op::Shift:
    case Op::Abs: return x;
    case Op::Reciprocal: return keeps_from_zero(of_x) ? 0 : infinite;
    case Op::Square: return 2 * x;
    case Op::IntegerPower: return it.b >= 0 ? it.b * x : keeps_from_zero(of_x) ? 0 : infinite;
    case Op::RealPower: return it.number >= 0 ? it.number * x : of_x.low > 0 ? 0 : infinite;
    case Op::Sqrt: return x / 2;
    case Op::Log: return of_x.low > 0 ? 0.01 : infinite;  // slower than any power
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::Not:
    case Op::And:
    case Op::Or:
    case Op::Lookup:  // constant outside its points
    case Op::LookupSlope: return 0;
    default: return infinite;  // bounded functions have a bounded range
    }
}

}  // namespace

std::vector<double> register_degrees(const Tape& tape, std::span<const Variable> variables)
{
    const std::vector<Interval> ranges = register_ranges(tape);
    std::vector<double> degrees;
    std::vector<char> of_state;  // what the time alone decides stays bounded
    const auto at = [&](int a) { return static_cast<std::size_t>(a); };
    for (const Instruction& it : tape.instructions()) {
        const Interval own = ranges[degrees.size()];
        const int count = operand_count(it.op);
        const auto depends = [&](int a) { return of_state[at(a)] != 0; };
        bool here =
            (count > 0 && depends(it.a)) || (count > 1 && depends(it.b)) || (count > 2 && depends(it.c));
        if (it.op == Op::Variable) here = variables[at(it.a)].kind != Variable::Kind::Time;
        of_state.push_back(here ? 1 : 0);
        double degree = 1;
        if (it.op == Op::Select) {
            degree = std::max(degrees[at(it.b)], degrees[at(it.c)]);
        } else if (it.op != Op::Variable) {
            const double x = count > 0 ? degrees[at(it.a)] : 0, y = count > 1 ? degrees[at(it.b)] : 0;
            degree =
                degree_of(it, x, y, count > 0 ? ranges[at(it.a)] : own, count > 1 ? ranges[at(it.b)] : own);
        }
        degrees.push_back(!here || is_bounded(own) ? 0 : degree);
    }
    return degrees;
}

}  // namespace carom::detail
