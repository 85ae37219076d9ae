#include "tape_degrees.hpp"

#include "expression/range_tape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::detail {
namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();

bool is_bounded(Range x)
{
    return std::isfinite(x.low) && std::isfinite(x.high);
}

bool keeps_from_zero(Range x)
{
    return x.low > 0 || x.high < 0;
}

/// Degree of a function of registers with these degrees; `range` of its first and second argument.
double degree_of(const Instruction& it, double x, double y, Range of_x, Range of_y)
{
    switch (it.op) {
    case Op::Constant: return 0;
    case Op::Add:
    case Op::Subtract:
    case Op::Min:
    case Op::Max:
    case Op::Hypot: return std::max(x, y);
    case Op::Multiply: return x + y;
    case Op::Divide: return keeps_from_zero(of_y) ? x : no_bound;
    case Op::Negate:
    case Op::Scale:
    case Op::DivideBy:
    case Op::Shift:
    case Op::Abs: return x;
    case Op::Reciprocal: return keeps_from_zero(of_x) ? 0 : no_bound;
    case Op::Square: return 2 * x;
    case Op::IntegerPower: return it.b >= 0 ? it.b * x : keeps_from_zero(of_x) ? 0 : no_bound;
    case Op::RealPower: return it.number >= 0 ? it.number * x : of_x.low > 0 ? 0 : no_bound;
    case Op::Sqrt: return x / 2;
    case Op::Log: return of_x.low > 0 ? 0.01 : no_bound;  // slower than any power
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::Not:
    case Op::And:
    case Op::Or:
    case Op::Lookup:  // constant outside its points
    case Op::LookupSlope: return 0;
    default: return no_bound;  // bounded functions have a bounded range
    }
}

}  // namespace

std::vector<double> register_degrees(const Tape& tape, std::span<const Variable> variables)
{
    const std::vector<Range> ranges = ranges_everywhere(tape);
    std::vector<double> degrees;
    std::vector<char> of_state;  // what the time alone decides stays bounded
    const auto at = [&](int a) { return static_cast<std::size_t>(a); };
    for (const Instruction& it : tape.instructions()) {
        const Range own = ranges[degrees.size()];
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
