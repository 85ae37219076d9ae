#include "pole_search.hpp"

#include "expression/derivative.hpp"

#include <cmath>
#include <utility>

namespace carom::path_parts {

namespace {

/// What an instruction must not meet at zero; -1: nothing.
int guarded_operand(const Instruction& it)
{
    switch (it.op) {
    case Op::Divide: return it.b;
    case Op::Reciprocal: return it.a;
    case Op::IntegerPower: return it.b < 0 ? it.a : -1;
    case Op::RealPower: return it.number < 0 ? it.a : -1;
    case Op::Log:
    case Op::Tan: return it.a;
    default: return -1;
    }
}

/// The formula grows without bound towards s, on one side at least: over distances that shrink by the same
/// factor the values of a pole, and of a logarithm, change as much or more, while those of exp(-1/t^2) or
/// sin(t)/t, whose quotients are harmless, change less and less.
bool grows(const GuardedFormula& formula, const Piece& piece, double s, Ranges& ranges)
{
    const auto value = [&](double at) {
        ranges.run(formula.program, piece, at, at);
        return ranges[formula.program.results()[0]].low;
    };
    for (const double side : {-1.0, 1.0}) {
        if (s + side * 0.1 < 0 || s + side * 0.1 > 1) continue;
        const double near = value(s + side * 1e-3), between = value(s + side * 1e-2);
        const double far_change = std::abs(between - value(s + side * 0.1));
        const double near_change = std::abs(near - between);
        // a change of a hundredth may be cancellation, as in (1 - cos(t))/t^2
        if (!(near_change <= 1e-2 * std::abs(near) || near_change < far_change / 2)) return true;
    }
    return false;
}

}  // namespace

void add_guarded(const std::string& name, const Formula& formula, std::vector<GuardedFormula>& list)
{
    Graph graph;
    const int root = add_formula(graph, formula);
    GuardedFormula guarded{name, RangeProgram(graph, {&root, 1}), {}};
    Ranges everywhere;
    everywhere.inputs.assign(guarded.program.variables().size(), Range{});
    everywhere.run(guarded.program);
    int i = 0;
    for (const Instruction& it : guarded.program.tape().instructions()) {
        const int a = guarded_operand(it);
        if (a >= 0 && (it.op == Op::Tan || everywhere[a].contains(0)))
            guarded.guards.push_back({.denominator = a, .result = i});
        ++i;
    }
    if (!guarded.guards.empty()) list.push_back(std::move(guarded));
}

bool keeps_away(const RangeProgram& program, const Guard& guard, const Ranges& ranges)
{
    const Instruction& it = program.tape().instructions()[static_cast<std::size_t>(guard.result)];
    if (it.op == Op::Tan)
        return std::isfinite(ranges[guard.result].low) && std::isfinite(ranges[guard.result].high);
    return !ranges[guard.denominator].contains(0);
}

std::optional<double> find_pole(const GuardedFormula& formula, const Guard& guard, const Piece& piece,
                                Ranges& ranges, std::vector<std::pair<double, double>>& stack)
{
    int left = 200;
    stack.assign(1, {0.0, 1.0});
    while (!stack.empty() && left-- > 0) {
        const auto [a, b] = stack.back();
        stack.pop_back();
        ranges.run(formula.program, piece, a, b);
        if (keeps_away(formula.program, guard, ranges)) continue;
        const double middle = (a + b) / 2;
        if (b - a < 1e-9) {
            if (grows(formula, piece, middle, ranges)) return middle;
            continue;
        }
        stack.emplace_back(middle, b);
        stack.emplace_back(a, middle);
    }
    return std::nullopt;
}

}  // namespace carom::path_parts
