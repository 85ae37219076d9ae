#include "expression/homogeneity.hpp"

#include <vector>

namespace carom {

namespace {

/// What the structure of a register says about f(q, s u, t) = s^d f(q, u, t), s > 0.
struct Degree {
    enum class Kind { Known, Any, None };
    Kind kind = Kind::None;
    double d = 0;

    /// Zero is homogeneous of every degree.
    [[nodiscard]] bool fits(double wanted) const
    {
        return kind == Kind::Any || (kind == Kind::Known && d == wanted);
    }
};

constexpr Degree none{};
constexpr Degree any{.kind = Degree::Kind::Any};

Degree known(double d)
{
    return {.kind = Degree::Kind::Known, .d = d};
}

/// Of a sum, a minimum, a hypotenuse: both must agree.
Degree joined(Degree x, Degree y)
{
    if (x.kind == Degree::Kind::Any) return y;
    return x.kind == Degree::Kind::Known && y.fits(x.d) ? x : none;
}

Degree times(Degree x, double factor)
{
    return x.kind == Degree::Kind::Known ? known(factor * x.d) : x;
}

Degree product(Degree x, Degree y)
{
    if (x.kind == Degree::Kind::Known && y.kind == Degree::Kind::Known) return known(x.d + y.d);
    if (x.kind == Degree::Kind::None || y.kind == Degree::Kind::None) return none;
    return any;
}

/// Of a function whose argument must not change with the velocities' scale.
Degree unchanged(bool arguments_fit)
{
    return arguments_fit ? known(0) : none;
}

Degree degree_of(const Instruction& it, const std::vector<Degree>& degrees,
                 std::span<const Variable> variables)
{
    const auto operand = [&](int i) { return degrees[static_cast<std::size_t>(i)]; };
    switch (it.op) {
    case Op::Constant: return it.number == 0 ? any : known(0);
    case Op::Variable:
        return known(variables[static_cast<std::size_t>(it.a)].kind == Variable::Kind::Velocity ? 1 : 0);
    case Op::Add:
    case Op::Subtract:
    case Op::Min:
    case Op::Max:
    case Op::Hypot: return joined(operand(it.a), operand(it.b));
    case Op::Shift: return joined(operand(it.a), known(0));
    case Op::Multiply: return product(operand(it.a), operand(it.b));
    case Op::Divide: return product(operand(it.a), times(operand(it.b), -1));
    case Op::Negate:
    case Op::Scale:
    case Op::DivideBy:
    case Op::Abs: return operand(it.a);
    case Op::Reciprocal: return times(operand(it.a), -1);
    case Op::Square: return times(operand(it.a), 2);
    case Op::IntegerPower: return times(operand(it.a), it.b);
    case Op::RealPower: return times(operand(it.a), it.number);
    case Op::Sqrt: return times(operand(it.a), 0.5);
    case Op::Select: return operand(it.a).fits(0) ? joined(operand(it.b), operand(it.c)) : none;
    default: return unchanged(operand(it.a).fits(0) && (operand_count(it.op) < 2 || operand(it.b).fits(0)));
    }
}

}  // namespace

bool homogeneous_in_velocities(const Term& term, double degree)
{
    std::vector<Degree> degrees;
    degrees.reserve(static_cast<std::size_t>(term.tape().size()));
    for (const Instruction& it : term.tape().instructions())
        degrees.push_back(degree_of(it, degrees, term.variables()));
    return degrees.back().fits(degree);
}

}  // namespace carom
