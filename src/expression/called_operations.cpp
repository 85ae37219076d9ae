#include "expression/called_operations.hpp"

#include "series/dual.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace carom {

Function1 function_of_one(Op op)
{
    switch (op) {
    case Op::Exp: return [](double x) { return std::exp(x); };
    case Op::Log: return [](double x) { return std::log(x); };
    case Op::Tan: return [](double x) { return std::tan(x); };
    case Op::Asin: return [](double x) { return std::asin(x); };
    case Op::Acos: return [](double x) { return std::acos(x); };
    case Op::Atan: return [](double x) { return std::atan(x); };
    case Op::Sinh: return [](double x) { return std::sinh(x); };
    case Op::Cosh: return [](double x) { return std::cosh(x); };
    case Op::Tanh: return [](double x) { return std::tanh(x); };
    case Op::Abs: return [](double x) { return x < 0 ? -x : x; };
    case Op::Sign: return [](double x) { return detail::sign(x); };
    default: return nullptr;
    }
}

Function2 function_of_two(Op op)
{
    switch (op) {
    case Op::RealPower:
    case Op::Power: return [](double x, double y) { return std::pow(x, y); };
    case Op::Atan2: return [](double x, double y) { return std::atan2(x, y); };
    case Op::Hypot: return [](double x, double y) { return std::hypot(x, y); };
    case Op::Min: return [](double x, double y) { return y < x || y != y ? y : x; };
    case Op::Max: return [](double x, double y) { return y > x || y != y ? y : x; };
    default: return nullptr;
    }
}

double called_operation(const Tape* one, double x, double y, double z)
{
    std::array<double, 3> inputs{x, y, z};
    std::array<double, 4> registers{};
    DualRegisters<0> scalars(registers.data(), inputs.data());
    run(*one, scalars);
    return registers[3];
}

Tape tape_of_one(const Tape& tape, const Instruction& which)
{
    Instruction it = which;
    it.a = 0;
    if (operand_count(it.op) > 1) it.b = 1;
    if (operand_count(it.op) > 2) it.c = 2;
    std::vector<std::shared_ptr<const Table>> tables;
    if (reads_table(it.op)) {
        tables.push_back(tape.shared_table(it.b));
        it.b = 0;
    }
    return {{{.op = Op::Variable, .a = 0}, {.op = Op::Variable, .a = 1}, {.op = Op::Variable, .a = 2}, it},
            std::move(tables)};
}

bool is_called(Op op)
{
    switch (op) {
    case Op::Constant:
    case Op::Variable:
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Divide:
    case Op::Negate:
    case Op::Scale:
    case Op::DivideBy:
    case Op::Shift:
    case Op::Reciprocal:
    case Op::Square:
    case Op::Sqrt: return false;
    default: return true;
    }
}

}  // namespace carom
