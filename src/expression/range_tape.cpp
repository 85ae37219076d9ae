#include "range_tape.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom::detail {
namespace range_rules {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

Range negative(Range x)
{
    return {-x.high, -x.low};
}

/// A bound of zero times an infinite one is zero: the factor itself is never infinite.
double times(double a, double b)
{
    return a == 0 || b == 0 ? 0.0 : a * b;
}

}  // namespace
}  // namespace range_rules

Range operator+(Range x, Range y) noexcept
{
    return {x.low + y.low, x.high + y.high};
}

Range operator-(Range x, Range y) noexcept
{
    return x + range_rules::negative(y);
}

namespace range_rules {
namespace {

Range product(Range x, Range y)
{
    double a = x.low * y.low, b = x.low * y.high, c = x.high * y.low, d = x.high * y.high;
    // zero times infinity is zero here: the ends are no values
    if (const double all = a + b + c + d; all != all) {
        a = times(x.low, y.low), b = times(x.low, y.high);
        c = times(x.high, y.low), d = times(x.high, y.high);
    }
    return {std::min(std::min(a, b), std::min(c, d)), std::max(std::max(a, b), std::max(c, d))};
}

/// Bounds times a number that is not zero.
Range scaled(Range x, double number)
{
    const double a = number * x.low, b = number * x.high;
    return number > 0 ? Range{a, b} : Range{b, a};
}

Range inverse(Range x)
{
    if (x.low > 0 || x.high < 0) return {1 / x.high, 1 / x.low};
    if (x.low == 0 && x.high > 0) return {1 / x.high, infinite};
    if (x.high == 0 && x.low < 0) return {-infinite, 1 / x.low};
    return {};
}

Range magnitude(Range x)
{
    const double a = std::abs(x.low), b = std::abs(x.high);
    return {x.contains(0) ? 0.0 : std::min(a, b), std::max(a, b)};
}

Range square(Range x)
{
    const double a = x.low * x.low, b = x.high * x.high;
    return {x.contains(0) ? 0.0 : std::min(a, b), std::max(a, b)};
}

Range hull(Range x, Range y)
{
    return {std::min(x.low, y.low), std::max(x.high, y.high)};
}

/// A function that rises, between its values at the ends.
template <class F>
Range rising(Range x, F f)
{
    return {f(x.low), f(x.high)};
}

/// Never zero, though it may round to it.
Range exponential(Range x)
{
    return rising(x, [](double v) { return std::max(std::exp(v), std::numeric_limits<double>::min()); });
}

Range integer_power_of(Range x, int n)
{
    if (n < 0) return inverse(integer_power_of(x, -n));
    return rising(n % 2 == 0 ? magnitude(x) : x, [n](double v) { return std::pow(v, n); });
}

/// Real powers have a domain x >= 0, unless the exponent is a whole number.
Range real_power_of(Range x, double p)
{
    constexpr double largest_whole = 1e9;
    if (p == std::trunc(p) && std::abs(p) <= largest_whole) return integer_power_of(x, static_cast<int>(p));
    const Range base{std::max(0.0, x.low), std::max(0.0, x.high)};
    const Range up = rising(base, [p](double v) { return std::pow(v, std::abs(p)); });
    return p >= 0 ? up : inverse(up);
}

/// Some x + 2 pi k lies in the range.
bool meets(Range x, double phase)
{
    return phase + 2 * pi * std::ceil((x.low - phase) / (2 * pi)) <= x.high;
}

/// A function of period 2 pi between its values at the ends of the range, unless it passes the phase of its
/// least or of its greatest value.
Range periodic(Range x, double at_low, double at_high, double phase_of_least, double phase_of_greatest)
{
    return {meets(x, phase_of_least) ? -1 : std::min(at_low, at_high),
            meets(x, phase_of_greatest) ? 1 : std::max(at_low, at_high)};
}

Range cosine(Range x)
{
    if (!(x.high - x.low < 2 * pi)) return {-1, 1};
    if (x.low == x.high) return rising(x, [](double v) { return std::cos(v); });
    return periodic(x, std::cos(x.low), std::cos(x.high), pi, 0);
}

Range sine(Range x)
{
    if (!(x.high - x.low < 2 * pi)) return {-1, 1};
    if (x.low == x.high) return rising(x, [](double v) { return std::sin(v); });
    return periodic(x, std::sin(x.low), std::sin(x.high), -pi / 2, pi / 2);
}

Range tangent(Range x)
{
    const bool pole = !(x.high - x.low < pi) || meets(x, pi / 2) || meets(x, -pi / 2);
    return pole ? Range{} : rising(x, [](double v) { return std::tan(v); });
}

/// Angle of the points (abscissa x, ordinate y): it is extreme at corners unless they surround the origin.
Range angle(Range y, Range x)
{
    if (x.low <= 0 && y.low <= 0 && y.high >= 0) return {-pi, pi};
    const double corners[] = {std::atan2(y.low, x.low), std::atan2(y.low, x.high), std::atan2(y.high, x.low),
                              std::atan2(y.high, x.high)};
    return {*std::min_element(std::begin(corners), std::end(corners)),
            *std::max_element(std::begin(corners), std::end(corners))};
}

/// 1 where it is always true, 0 where never, else either.
Range truth(bool always, bool never)
{
    return {always ? 1.0 : 0.0, never ? 0.0 : 1.0};
}

bool is_zero(Range x)
{
    return x.low == 0 && x.high == 0;
}

Range power(Range x, Range y)
{
    if (!(x.low > 0)) return x.low == 0 ? Range{0, infinite} : Range{};
    const Range exponent = product(y, rising(x, [](double v) { return std::log(v); }));
    return exponential(exponent);
}

Range of_two(Op op, Range x, Range y)
{
    switch (op) {
    case Op::Divide: return product(x, inverse(y));
    case Op::Min: return {std::min(x.low, y.low), std::min(x.high, y.high)};
    case Op::Max: return {std::max(x.low, y.low), std::max(x.high, y.high)};
    case Op::Hypot: {
        const Range a = magnitude(x), b = magnitude(y);
        return {std::hypot(a.low, b.low), std::hypot(a.high, b.high)};
    }
    case Op::Power: return power(x, y);
    case Op::Atan2: return angle(x, y);
    case Op::Less: return truth(x.high < y.low, x.low >= y.high);
    case Op::LessEqual: return truth(x.high <= y.low, x.low > y.high);
    case Op::Equal: return truth(false, x.high < y.low || y.high < x.low);
    case Op::And: return truth(!x.contains(0) && !y.contains(0), is_zero(x) || is_zero(y));
    case Op::Or: return truth(!x.contains(0) || !y.contains(0), is_zero(x) && is_zero(y));
    default: return {};
    }
}

Range of_one(const Instruction& it, Range x)
{
    switch (it.op) {
    case Op::Reciprocal: return product({it.number, it.number}, inverse(x));
    case Op::IntegerPower: return integer_power_of(x, it.b);
    case Op::RealPower: return real_power_of(x, it.number);
    case Op::Exp: return exponential(x);
    case Op::Log: return {x.low > 0 ? std::log(x.low) : -infinite, x.high > 0 ? std::log(x.high) : infinite};
    case Op::Tan: return tangent(x);
    case Op::Asin: return rising(x, [](double v) { return std::asin(std::clamp(v, -1.0, 1.0)); });
    case Op::Acos: return negative(rising(x, [](double v) { return -std::acos(std::clamp(v, -1.0, 1.0)); }));
    case Op::Atan: return rising(x, [](double v) { return std::atan(v); });
    case Op::Sinh: return rising(x, [](double v) { return std::sinh(v); });
    case Op::Cosh: return rising(magnitude(x), [](double v) { return std::cosh(v); });
    case Op::Tanh: return rising(x, [](double v) { return std::tanh(v); });
    case Op::Abs: return magnitude(x);
    case Op::Sign:
        return {x.low > 0 ? 1.0 : (x.low == 0 ? 0.0 : -1.0), x.high < 0 ? -1.0 : (x.high == 0 ? 0.0 : 1.0)};
    case Op::Not: return truth(is_zero(x), !x.contains(0));
    default: return {};
    }
}

/// Tables are looked up at a point only.
Range looked_up(const Tape& tape, const Instruction& it, Range x)
{
    if (x.low != x.high) return {};
    const Table::Value at = tape.table(it.b).at(x.low);
    const double value = it.op == Op::Lookup ? at.value : at.slope;
    return {value, value};
}

/// What formulas are mostly made of is told apart at once.
Range of_instruction(const Tape& tape, const Instruction& it, const Range* registers)
{
    const Range& x = registers[it.a];
    switch (it.op) {
    case Op::Constant: return {it.number, it.number};
    case Op::Add: return {x.low + registers[it.b].low, x.high + registers[it.b].high};
    case Op::Subtract: return {x.low - registers[it.b].high, x.high - registers[it.b].low};
    case Op::Multiply: return product(x, registers[it.b]);
    case Op::Negate: return negative(x);
    case Op::Scale: return it.number != 0 ? scaled(x, it.number) : Range{0, 0};
    case Op::DivideBy: return scaled(x, 1 / it.number);
    case Op::Shift: return {x.low + it.number, x.high + it.number};
    case Op::Square: return square(x);
    case Op::Sqrt: return {std::sqrt(std::max(0.0, x.low)), std::sqrt(std::max(0.0, x.high))};
    case Op::Sin: return sine(x);
    case Op::Cos: return cosine(x);
    case Op::Select:
        return !x.contains(0) ? registers[it.b]
               : is_zero(x)   ? registers[it.c]
                              : hull(registers[it.b], registers[it.c]);
    case Op::Lookup:
    case Op::LookupSlope: return looked_up(tape, it, x);
    default: return operand_count(it.op) == 2 ? of_two(it.op, x, registers[it.b]) : of_one(it, x);
    }
}

}  // namespace
}  // namespace range_rules

Range operator*(Range x, Range y) noexcept
{
    return range_rules::product(x, y);
}

Range operator/(Range x, Range y) noexcept
{
    return range_rules::product(x, range_rules::inverse(y));
}

void run_on_ranges(const Tape& tape, std::span<const Range> inputs, std::span<Range> registers) noexcept
{
    using namespace range_rules;
    Range* out = registers.data();
    for (const Instruction& it : tape.instructions()) {
        Range result = it.op == Op::Variable
                           ? (inputs.empty() ? Range{} : inputs[static_cast<std::size_t>(it.a)])
                           : of_instruction(tape, it, registers.data());
        // what cannot be told is everything
        if (!(result.low <= result.high)) result = {};
        *out++ = result;
    }
}

std::vector<Range> ranges_everywhere(const Tape& tape)
{
    std::vector<Range> registers(static_cast<std::size_t>(tape.size()));
    run_on_ranges(tape, {}, registers);
    return registers;
}

namespace {

std::vector<Variable> variables_of_range_program(const Graph& graph, const std::vector<int>& nodes)
{
    std::vector<Variable> variables;
    for (const int node : nodes)
        if (graph[node].op == Op::Variable) variables.push_back(variable_of(graph[node]));
    std::ranges::sort(variables);
    return variables;
}

}  // namespace

RangeProgram::RangeProgram(const Graph& graph, std::span<const int> results)
    : RangeProgram(graph, results, needed_by(graph, results))
{
}

RangeProgram::RangeProgram(const Graph& graph, std::span<const int> results, const std::vector<int>& nodes)
    : variables_(variables_of_range_program(graph, nodes)), tape_(compile(graph, nodes, variables_))
{
    for (const int result : results) {
        registers_.push_back(static_cast<int>(std::ranges::lower_bound(nodes, result) - nodes.begin()));
    }
}

}  // namespace carom::detail
