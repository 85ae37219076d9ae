#include "expression/graph.hpp"

#include "series/dual.hpp"

#include <bit>
#include <cmath>

namespace carom {

namespace {

constexpr int largest_integer_power = 16;  ///< beyond it pow() is as fast and more accurate

/// Dividing by it and multiplying by its reciprocal round the same way.
bool has_exact_reciprocal(double number)
{
    int exponent = 0;
    return std::isnormal(number) && std::isnormal(1 / number) &&
           std::abs(std::frexp(number, &exponent)) == 0.5;
}

}  // namespace

double fold(Op op, double x, double y, double z)
{
    // a tape of the constants and the operation, so that folding and evaluating cannot disagree
    const double inputs[] = {x, y, z};
    std::vector<Instruction> instructions;
    for (int i = 0; i < operand_count(op); ++i)
        instructions.push_back({.op = Op::Variable, .a = i});
    instructions.push_back({.op = op, .a = 0, .b = 1, .c = 2});
    const Tape tape(std::move(instructions), {});
    double memory[4] = {};
    DualRegisters<0> registers(memory, inputs);
    run(tape, registers);
    return registers.value(tape.size() - 1);
}

std::size_t Graph::Hash::operator()(const Instruction& it) const noexcept
{
    std::uint64_t hash = static_cast<std::uint64_t>(it.op);
    const std::uint64_t parts[] = {static_cast<std::uint32_t>(it.a), static_cast<std::uint32_t>(it.b),
                                   static_cast<std::uint32_t>(it.c), std::bit_cast<std::uint64_t>(it.number)};
    for (const std::uint64_t part : parts) {
        hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 29U;
    }
    return hash;
}

bool Graph::Same::operator()(const Instruction& x, const Instruction& y) const noexcept
{
    return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c &&
           std::bit_cast<std::uint64_t>(x.number) == std::bit_cast<std::uint64_t>(y.number);
}

bool Graph::is_constant(int node, double number) const
{
    return is_constant(node) && (*this)[node].number == number;
}

int Graph::node(const Instruction& it)
{
    const auto [place, is_new] = known_.try_emplace(it, size());
    if (is_new) nodes_.push_back(it);
    return place->second;
}

int Graph::constant(double number)
{
    return node({.op = Op::Constant, .number = number});
}

int Graph::variable(Variable which)
{
    return node({.op = Op::Variable, .a = static_cast<std::int32_t>(which.kind), .b = which.index});
}

int Graph::add(int x, int y)
{
    if (is_constant(x) && is_constant(y)) return constant((*this)[x].number + (*this)[y].number);
    if (is_constant(y)) return shift(x, (*this)[y].number);
    if (is_constant(x)) return shift(y, (*this)[x].number);
    if (x == y) return scale(x, 2);
    if ((*this)[y].op == Op::Negate) return subtract(x, (*this)[y].a);
    return node({.op = Op::Add, .a = std::min(x, y), .b = std::max(x, y)});
}

int Graph::subtract(int x, int y)
{
    if (is_constant(x) && is_constant(y)) return constant((*this)[x].number - (*this)[y].number);
    if (is_constant(y)) return shift(x, -(*this)[y].number);
    if (is_constant(x)) return shift(negate(y), (*this)[x].number);
    return node({.op = Op::Subtract, .a = x, .b = y});
}

int Graph::multiply(int x, int y)
{
    if (is_constant(x) && is_constant(y)) return constant((*this)[x].number * (*this)[y].number);
    if (is_constant(y)) return scale(x, (*this)[y].number);
    if (is_constant(x)) return scale(y, (*this)[x].number);
    if (x == y) return node({.op = Op::Square, .a = x});
    return node({.op = Op::Multiply, .a = std::min(x, y), .b = std::max(x, y)});
}

int Graph::divide(int x, int y)
{
    if (is_constant(x) && is_constant(y)) return constant((*this)[x].number / (*this)[y].number);
    if (is_constant(y)) return divide_by(x, (*this)[y].number);
    if (is_constant(x, 0)) return x;
    if (is_constant(x)) return node({.op = Op::Reciprocal, .a = y, .number = (*this)[x].number});
    return node({.op = Op::Divide, .a = x, .b = y});
}

int Graph::negate(int x)
{
    const Instruction it = (*this)[x];
    if (it.op == Op::Constant) return constant(-it.number);
    if (it.op == Op::Negate) return it.a;
    if (it.op == Op::Scale) return scale(it.a, -it.number);
    if (it.op == Op::Subtract) return subtract(it.b, it.a);
    return node({.op = Op::Negate, .a = x});
}

int Graph::scale(int x, double number)
{
    const Instruction it = (*this)[x];
    if (it.op == Op::Constant) return constant(number * it.number);
    if (number == 0) return constant(0);
    if (number == 1) return x;
    if (number == -1 && it.op != Op::Scale) return negate(x);
    if (it.op == Op::Negate) return scale(it.a, -number);
    if (it.op == Op::Scale && std::isnormal(number * it.number)) return scale(it.a, number * it.number);
    return node({.op = Op::Scale, .a = x, .number = number});
}

int Graph::shift(int x, double number)
{
    return number == 0 ? x : node({.op = Op::Shift, .a = x, .number = number});
}

int Graph::divide_by(int x, double number)
{
    if (has_exact_reciprocal(number)) return scale(x, 1 / number);
    return node({.op = Op::DivideBy, .a = x, .number = number});
}

int Graph::raise(int x, double exponent)
{
    if (exponent == 0) return constant(1);
    if (exponent == 1) return x;
    if (exponent == 2) return multiply(x, x);
    if (exponent == 0.5) return function(Op::Sqrt, x);
    if (exponent == -1) return divide(constant(1), x);
    if (exponent == std::trunc(exponent) && std::abs(exponent) <= largest_integer_power)
        return node({.op = Op::IntegerPower, .a = x, .b = static_cast<std::int32_t>(exponent)});
    return node({.op = Op::RealPower, .a = x, .number = exponent});
}

int Graph::power(int x, int y)
{
    if (is_constant(x) && is_constant(y)) return constant(std::pow((*this)[x].number, (*this)[y].number));
    if (is_constant(y)) return raise(x, (*this)[y].number);
    return node({.op = Op::Power, .a = x, .b = y});
}

int Graph::function(Op op, int x, int y, int z)
{
    const int operands = operand_count(op);
    if (op == Op::Select && is_constant(x)) return (*this)[x].number != 0 ? y : z;
    const bool constants =
        is_constant(x) && (operands < 2 || is_constant(y)) && (operands < 3 || is_constant(z));
    if (constants) return constant(fold(op, (*this)[x].number, (*this)[y].number, (*this)[z].number));
    return node({.op = op, .a = x, .b = operands > 1 ? y : 0, .c = operands > 2 ? z : 0});
}

int Graph::place_of(const std::shared_ptr<const Table>& table)
{
    std::size_t index = 0;
    while (index < tables_.size() && tables_[index] != table)
        ++index;
    if (index == tables_.size()) tables_.push_back(table);
    return static_cast<int>(index);
}

int Graph::lookup(const std::shared_ptr<const Table>& table, int x)
{
    if (is_constant(x)) return constant(table->at((*this)[x].number).value);
    return node({.op = Op::Lookup, .a = x, .b = place_of(table)});
}

int Graph::lookup_slope(const std::shared_ptr<const Table>& table, int x)
{
    if (is_constant(x)) return constant(table->at((*this)[x].number).slope);
    return node({.op = Op::LookupSlope, .a = x, .b = place_of(table)});
}

}  // namespace carom
