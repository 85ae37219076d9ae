#include "expression/print.hpp"

#include "expression/functions.hpp"
#include "expression/parse.hpp"
#include "expression/term.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom {
namespace {

/// What binds tighter stands further down; an operand that binds looser than its place needs brackets.
enum class Binding { Disjunction, Conjunction, Negation, Comparison, Sum, Product, Sign, Power, Primary };

/// The place of an operand that has to bind tighter than that.
constexpr Binding tighter(Binding binding)
{
    return static_cast<Binding>(static_cast<int>(binding) + 1);
}

bool is_condition(Op op)
{
    return op >= Op::Less && op <= Op::Or;
}

/// One term. Shared registers are written as often as they are used, as far as the limits go.
class Printer {
public:
    Printer(const Term& term, std::span<const std::string> coordinates)
        : term_(term), coordinates_(coordinates)
    {
    }

    std::optional<std::string> print()
    {
        write(term_.tape().size() - 1, Binding::Sum);
        if (!good_) return std::nullopt;
        return text_;
    }

private:
    [[nodiscard]] const Instruction& at(int i) const
    {
        return term_.tape().instructions()[static_cast<std::size_t>(i)];
    }

    void fail() { good_ = false; }

    void write(int i, Binding needed)
    {
        if (!good_ || text_.size() > max_formula_characters || ++depth_ > max_depth) return fail();
        const bool brackets = binding_of(i) < needed;
        if (brackets && ++brackets_ >= max_formula_nesting) return fail();
        if (brackets) text_ += '(';
        write_bare(i);
        if (brackets) text_ += ')';
        if (brackets) --brackets_;
        --depth_;
    }

    void number(double value)
    {
        if (!std::isfinite(value)) return fail();
        text_ += fmt::format("{}", value);
    }

    [[nodiscard]] Binding binding_of(int i) const
    {
        const Instruction& it = at(i);
        switch (it.op) {
        case Op::Constant: return std::signbit(it.number) ? Binding::Sum : Binding::Primary;
        case Op::Or: return Binding::Disjunction;
        case Op::And: return Binding::Conjunction;
        case Op::Not: return Binding::Negation;
        case Op::Equal: return is_condition(at(it.a).op) ? Binding::Negation : Binding::Comparison;
        case Op::Less:
        case Op::LessEqual: return Binding::Comparison;
        case Op::Add:
        case Op::Subtract:
        case Op::Shift: return Binding::Sum;
        case Op::Negate: return Binding::Sign;
        case Op::Multiply:
        case Op::Divide:
        case Op::Scale:
        case Op::DivideBy:
        case Op::Reciprocal: return Binding::Product;
        case Op::Square:
        case Op::IntegerPower:
        case Op::RealPower:
        case Op::Power: return Binding::Power;
        default: return Binding::Primary;
        }
    }

    void infix(int left, std::string_view sign, int right, Binding binding)
    {
        write(left, binding);
        text_ += sign;
        write(right, tighter(binding));
    }

    void compare(const Instruction& it, std::string_view sign)
    {
        write(it.a, Binding::Sum);
        text_ += sign;
        write(it.b, Binding::Sum);
    }

    void power(int base, const Instruction& it)
    {
        write(base, Binding::Primary);
        text_ += '^';
        if (it.op == Op::Square)
            text_ += '2';
        else if (it.op == Op::IntegerPower)
            text_ += std::to_string(it.b);
        else if (it.op == Op::RealPower)
            number(it.number);
        else
            write(it.b, Binding::Primary);
    }

    void call(const Instruction& it)
    {
        const auto known = detail::functions();
        const auto function = std::ranges::find(known, it.op, &detail::Function::op);
        if (function == known.end() || reads_table(it.op)) return fail();
        if (++brackets_ >= max_formula_nesting) return fail();
        text_ += function->name;
        text_ += '(';
        const int operands[] = {it.a, it.b, it.c};
        for (int n = 0; n < operand_count(it.op); ++n) {
            if (n > 0) text_ += ", ";
            write(operands[n], it.op == Op::Select && n == 0 ? Binding::Disjunction : Binding::Sum);
        }
        text_ += ')';
        --brackets_;
    }

    void variable(const Variable& variable)
    {
        if (variable.kind == Variable::Kind::Time) {
            text_ += 't';
            return;
        }
        const auto index = static_cast<std::size_t>(variable.index);
        if (index >= coordinates_.size()) return fail();
        text_ += coordinates_[index];
        if (variable.kind == Variable::Kind::Velocity) text_ += '\'';
    }

    void write_bare(int i)
    {
        const Instruction& it = at(i);
        switch (it.op) {
        case Op::Constant: return number(it.number);
        case Op::Variable: return variable(term_.variables()[static_cast<std::size_t>(it.a)]);
        case Op::Add: return infix(it.a, " + ", it.b, Binding::Sum);
        case Op::Subtract: return infix(it.a, " - ", it.b, Binding::Sum);
        case Op::Multiply: return infix(it.a, "*", it.b, Binding::Product);
        case Op::Divide: return infix(it.a, "/", it.b, Binding::Product);
        case Op::Negate: text_ += '-'; return write(it.a, Binding::Power);
        case Op::Scale:
            number(it.number);
            text_ += '*';
            return write(it.a, Binding::Sign);
        case Op::DivideBy:
            write(it.a, Binding::Product);
            text_ += '/';
            return number(it.number);
        case Op::Reciprocal:
            number(it.number);
            text_ += '/';
            return write(it.a, Binding::Sign);
        case Op::Shift:
            write(it.a, Binding::Sum);
            text_ += std::signbit(it.number) ? " - " : " + ";
            return number(std::abs(it.number));
        case Op::Square:
        case Op::IntegerPower:
        case Op::RealPower:
        case Op::Power: return power(it.a, it);
        case Op::Less: return compare(it, " < ");
        case Op::LessEqual: return compare(it, " <= ");
        case Op::Equal:
            if (!is_condition(at(it.a).op)) return compare(it, " == ");
            // a recorded condition that does not hold
            text_ += "not ";
            return write(it.a, Binding::Comparison);
        case Op::Not: text_ += "not "; return write(it.a, Binding::Comparison);
        case Op::And: return infix(it.a, " and ", it.b, Binding::Conjunction);
        case Op::Or: return infix(it.a, " or ", it.b, Binding::Disjunction);
        default: return call(it);
        }
    }

    static constexpr int max_depth = 2000;  ///< of calls: long sums and products add no brackets

    const Term& term_;
    std::span<const std::string> coordinates_;
    std::string text_;
    int depth_ = 0, brackets_ = 0;
    bool good_ = true;
};

}  // namespace

std::optional<std::string> text_of(const Formula& formula, std::span<const std::string> coordinates)
{
    std::string text;
    for (const Term& term : formula.terms()) {
        const auto one = Printer(term, coordinates).print();
        if (!one) return std::nullopt;
        if (text.empty())
            text = *one;
        else if (one->front() == '-')
            text += " - " + one->substr(1);
        else
            text += " + " + *one;
        if (text.size() > max_formula_characters) return std::nullopt;
    }
    return text.empty() ? "0" : text;
}

}  // namespace carom
