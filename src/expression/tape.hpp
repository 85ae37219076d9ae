#pragma once

#include "carom/expression/vocabulary.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace carom {

/// What one instruction of a tape does. x, y, z are the registers a, b, c; `number`, n and the table are
/// constants. The list is closed: a new scalar has to know these operations and no others.
enum class Op : std::uint8_t {
    // analytic: a power series everywhere inside their domain
    Constant,      ///< number
    Variable,      ///< input a of the tape
    Add,           ///< x + y
    Subtract,      ///< x - y
    Multiply,      ///< x y
    Divide,        ///< x / y
    Negate,        ///< -x
    Scale,         ///< number x
    DivideBy,      ///< x / number
    Shift,         ///< x + number
    Reciprocal,    ///< number / x
    Square,        ///< x^2
    IntegerPower,  ///< x^b, b is an integer, not a register
    RealPower,     ///< x^number
    Power,         ///< x^y
    Sqrt,
    Exp,
    Log,  ///< natural logarithm
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Atan2,  ///< angle of the point (abscissa y, ordinate x)
    Hypot,  ///< sqrt(x^2 + y^2)

    // not analytic: kinks or jumps; (EX-6) defines which side counts there
    Abs,          ///< |x|; at 0 as x
    Sign,         ///< -1, 0, 1; derivative 0 everywhere
    Min,          ///< the smaller; x if equal
    Max,          ///< the larger; x if equal
    Less,         ///< 1 if x < y, else 0
    LessEqual,    ///< 1 if x <= y, else 0
    Equal,        ///< 1 if x == y, else 0
    Not,          ///< 1 if x is 0, else 0
    And,          ///< 1 if neither is 0, else 0
    Or,           ///< 0 if both are 0, else 1
    Select,       ///< y if x is not 0, else z
    Lookup,       ///< table b at x, b is not a register
    LookupSlope,  ///< slope of table b at x; only of derivatives
};

[[nodiscard]] constexpr bool is_analytic(Op op) noexcept
{
    return op < Op::Abs;
}

/// Its b is a table.
[[nodiscard]] constexpr bool reads_table(Op op) noexcept
{
    return op == Op::Lookup || op == Op::LookupSlope;
}

/// How many of a, b, c name registers.
[[nodiscard]] int operand_count(Op op) noexcept;

/// Instruction i writes register i and reads registers below i.
struct Instruction {
    Op op{};
    std::int32_t a = 0;
    std::int32_t b = 0;
    std::int32_t c = 0;
    double number = 0;
};

/// A straight-line program; the last register is the result (EX-2).
class Tape {
public:
    /// At least one instruction; operands that do not exist are an InternalError.
    Tape(std::vector<Instruction> instructions, std::vector<std::shared_ptr<const Table>> tables);

    [[nodiscard]] std::span<const Instruction> instructions() const noexcept { return instructions_; }
    [[nodiscard]] const Table& table(int index) const noexcept
    {
        return *tables_[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const std::shared_ptr<const Table>& shared_table(int index) const noexcept
    {
        return tables_[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] int size() const noexcept { return static_cast<int>(instructions_.size()); }
    [[nodiscard]] bool analytic() const noexcept;

private:
    std::vector<Instruction> instructions_;
    std::vector<std::shared_ptr<const Table>> tables_;
};

namespace detail {

/// The register that min or max chooses: NaN if there is one, else the extreme, else the first.
[[nodiscard]] inline int chosen(const Instruction& it, double x, double y) noexcept
{
    const bool second = it.op == Op::Min ? y < x : y > x;
    return second || y != y ? it.b : it.a;
}

[[nodiscard]] inline double truth(const Instruction& it, double x, double y) noexcept
{
    switch (it.op) {
    case Op::Less: return x < y;
    case Op::LessEqual: return x <= y;
    case Op::Equal: return x == y;
    case Op::And: return x != 0 && y != 0;
    default: return x != 0 || y != 0;
    }
}

[[nodiscard]] inline double sign(double x) noexcept
{
    if (x != x) return x;
    return x > 0 ? 1 : (x < 0 ? -1 : 0);
}

}  // namespace detail

/// Runs a tape on registers of any scalar (series/dual.hpp says which members they have). Where a function
/// has pieces, the values of the registers select the piece, and the scalar continues with that piece alone.
template <class Registers>
void run(const Tape& tape, Registers& r)
{
    int i = 0;
    for (const Instruction& it : tape.instructions()) {
        // clang-format off: one operation per line
        switch (it.op) {
        case Op::Constant: r.constant(i, it.number); break;
        case Op::Variable: r.variable(i, it.a); break;
        case Op::Add: r.add(i, it.a, it.b); break;
        case Op::Subtract: r.subtract(i, it.a, it.b); break;
        case Op::Multiply: r.multiply(i, it.a, it.b); break;
        case Op::Divide: r.divide(i, it.a, it.b); break;
        case Op::Negate: r.negate(i, it.a); break;
        case Op::Scale: r.scale(i, it.a, it.number); break;
        case Op::DivideBy: r.divide_by(i, it.a, it.number); break;
        case Op::Shift: r.shift(i, it.a, it.number); break;
        case Op::Reciprocal: r.reciprocal(i, it.a, it.number); break;
        case Op::Square: r.square(i, it.a); break;
        case Op::IntegerPower: r.raise(i, it.a, static_cast<int>(it.b)); break;
        case Op::RealPower: r.raise(i, it.a, it.number); break;
        case Op::Power: r.power(i, it.a, it.b); break;
        case Op::Sqrt: r.sqrt(i, it.a); break;
        case Op::Exp: r.exp(i, it.a); break;
        case Op::Log: r.log(i, it.a); break;
        case Op::Sin: r.sin(i, it.a); break;
        case Op::Cos: r.cos(i, it.a); break;
        case Op::Tan: r.tan(i, it.a); break;
        case Op::Asin: r.asin(i, it.a); break;
        case Op::Acos: r.acos(i, it.a); break;
        case Op::Atan: r.atan(i, it.a); break;
        case Op::Sinh: r.sinh(i, it.a); break;
        case Op::Cosh: r.cosh(i, it.a); break;
        case Op::Tanh: r.tanh(i, it.a); break;
        case Op::Atan2: r.atan2(i, it.a, it.b); break;
        case Op::Hypot: r.hypot(i, it.a, it.b); break;
        case Op::Abs:
            if (r.value(it.a) < 0)
                r.negate(i, it.a);
            else
                r.copy(i, it.a);
            break;
        case Op::Sign: r.constant(i, detail::sign(r.value(it.a))); break;
        case Op::Min:
        case Op::Max: r.copy(i, detail::chosen(it, r.value(it.a), r.value(it.b))); break;
        case Op::Less:
        case Op::LessEqual:
        case Op::Equal:
        case Op::And:
        case Op::Or: r.constant(i, detail::truth(it, r.value(it.a), r.value(it.b))); break;
        case Op::Not: r.constant(i, r.value(it.a) == 0 ? 1 : 0); break;
        case Op::Select: r.copy(i, r.value(it.a) != 0 ? it.b : it.c); break;
        case Op::Lookup: {
            const Table::Value at = tape.table(it.b).at(r.value(it.a));
            r.linear(i, it.a, at.value, at.slope);
            break;
        }
        case Op::LookupSlope: r.constant(i, tape.table(it.b).at(r.value(it.a)).slope); break;
        }
        // clang-format on
        ++i;
    }
}

}  // namespace carom
