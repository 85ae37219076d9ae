#include "expression/series_program.hpp"
#include "expression/term.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace carom {
namespace {

/// Turns the nodes of a graph into instructions on series.
class Lowering {
public:
    Lowering(const Graph& graph, int coordinates) : graph_(graph), coordinates_(coordinates) {}

    int reg_of(int node)
    {
        const auto found = known_.find(node);
        if (found != known_.end()) return found->second;
        const int reg = lowered(graph_[node]);
        known_[node] = reg;
        return reg;
    }

    std::vector<SeriesInstruction> instructions;
    std::vector<int> switched;

private:
    int emit(SeriesOp op, int a = 0, int b = 0, int c = 0, double number = 0)
    {
        instructions.push_back({.op = op, .a = a, .b = b, .c = c, .number = number});
        return static_cast<int>(instructions.size()) - 1;
    }

    int lowered(const Instruction& it)
    {
        if (it.op == Op::Constant) return emit(SeriesOp::Constant, 0, 0, 0, it.number);
        if (it.op == Op::Variable) return emit(SeriesOp::Input, input_of(it));
        const int x = reg_of(it.a);
        const int y = operand_count(it.op) > 1 ? reg_of(it.b) : 0;
        switch (it.op) {
        case Op::Add: return emit(SeriesOp::Add, x, y);
        case Op::Subtract: return emit(SeriesOp::Subtract, x, y);
        case Op::Multiply: return emit(SeriesOp::Multiply, x, y);
        case Op::Divide: return emit(SeriesOp::Divide, x, y);
        case Op::Negate: return emit(SeriesOp::Scale, x, 0, 0, -1);
        case Op::Scale: return emit(SeriesOp::Scale, x, 0, 0, it.number);
        case Op::DivideBy: return emit(SeriesOp::Divide, x, constant(it.number));
        case Op::Shift: return emit(SeriesOp::Shift, x, 0, 0, it.number);
        case Op::Reciprocal: return emit(SeriesOp::Divide, constant(it.number), x);
        case Op::Square: return emit(SeriesOp::Square, x);
        case Op::IntegerPower: return integer_power(x, it.b);
        case Op::RealPower: return real_power(x, it.number);
        case Op::Power: return emit(SeriesOp::Exp, emit(SeriesOp::Multiply, y, log(x)));
        case Op::Sqrt: return emit(SeriesOp::Sqrt, x);
        case Op::Exp: return emit(SeriesOp::Exp, x);
        case Op::Log: return log(x);
        case Op::Sin: return pair(SeriesOp::SinCos, x);
        case Op::Cos: return pair(SeriesOp::SinCos, x) + 1;
        case Op::Sinh: return pair(SeriesOp::SinhCosh, x);
        case Op::Cosh: return pair(SeriesOp::SinhCosh, x) + 1;
        case Op::Tan: return pair(SeriesOp::Tan, x);
        case Op::Tanh: return pair(SeriesOp::Tanh, x);
        case Op::Asin: return quadrature(x, root_of_one_minus_square(x), QuadratureStart::Asin, 1);
        case Op::Acos: return quadrature(x, root_of_one_minus_square(x), QuadratureStart::Acos, -1);
        case Op::Atan:
            return quadrature(x, emit(SeriesOp::Shift, emit(SeriesOp::Square, x), 0, 0, 1),
                              QuadratureStart::Atan, 1);
        case Op::Atan2: return emit(SeriesOp::Angle, x, y, sum_of_squares(x, y));
        case Op::Hypot: return emit(SeriesOp::Sqrt, sum_of_squares(x, y));
        default: return piece(it, x, y);
        }
    }

    /// Functions of pieces: a switch for whatever sign decides (PS-2).
    int piece(const Instruction& it, int x, int y)
    {
        switch (it.op) {
        case Op::Abs: return emit(SeriesOp::SignedCopy, x, 0, switch_of(x));
        case Op::Sign: return emit(SeriesOp::SignOf, x, 0, switch_of(x));
        case Op::Min: {
            const int d = emit(SeriesOp::Subtract, x, y);
            return emit(SeriesOp::Chosen, d, y, switch_of(d), x);
        }
        case Op::Max: {
            const int d = emit(SeriesOp::Subtract, x, y);
            return emit(SeriesOp::Chosen, d, x, switch_of(d), y);
        }
        case Op::Less:
        case Op::LessEqual: {
            const int d = emit(SeriesOp::Subtract, y, x);
            return emit(SeriesOp::Truth, d, 0, switch_of(d));
        }
        case Op::Equal: return constant(0);  // two series that differ are equal at single instants only
        case Op::Not: return emit(SeriesOp::Not, x);
        case Op::And: return emit(SeriesOp::And, x, y);
        case Op::Or: return emit(SeriesOp::Or, x, y);
        case Op::Select: return emit(SeriesOp::Select, x, y, reg_of(it.c));
        default: throw InternalError("an operation has no power series");
        }
    }

    int input_of(const Instruction& it) const
    {
        switch (static_cast<Variable::Kind>(it.a)) {
        case Variable::Kind::Coordinate: return it.b;
        case Variable::Kind::Velocity: return coordinates_ + it.b;
        case Variable::Kind::Time: break;
        }
        return 2 * coordinates_;
    }

    int constant(double number) { return emit(SeriesOp::Constant, 0, 0, 0, number); }
    int log(int x) { return quadrature(x, x, QuadratureStart::Log, 1); }
    int quadrature(int x, int y, QuadratureStart from, double number)
    {
        return emit(SeriesOp::Quadrature, x, y, static_cast<int>(from), number);
    }
    int sum_of_squares(int x, int y)
    {
        const int xx = emit(SeriesOp::Square, x), yy = emit(SeriesOp::Square, y);
        return emit(SeriesOp::Add, xx, yy);
    }
    int root_of_one_minus_square(int x)
    {
        const int minus = emit(SeriesOp::Scale, emit(SeriesOp::Square, x), 0, 0, -1);
        return emit(SeriesOp::Sqrt, emit(SeriesOp::Shift, minus, 0, 0, 1));
    }

    /// Integer exponents, however large, have a series also where x vanishes or is negative.
    int real_power(int x, double number)
    {
        constexpr double largest = 1 << 20;
        if (number == std::trunc(number) && std::abs(number) <= largest)
            return integer_power(x, static_cast<int>(number));
        return emit(SeriesOp::Power, x, 0, 0, number);
    }

    /// x^n by repeated squaring: also where x vanishes.
    int integer_power(int x, int n)
    {
        int result = -1, square = x;
        for (int rest = std::abs(n); rest != 0; rest >>= 1) {
            if ((rest & 1) != 0) result = result < 0 ? square : emit(SeriesOp::Multiply, result, square);
            if (rest > 1) square = emit(SeriesOp::Square, square);
        }
        if (result < 0) return constant(1);
        return n < 0 ? emit(SeriesOp::Divide, constant(1), result) : result;
    }

    int pair(SeriesOp op, int x)
    {
        const auto found = pairs_.find({op, x});
        if (found != pairs_.end()) return found->second;
        const int reg = emit(op, x);
        emit(SeriesOp::Second, reg);
        pairs_[{op, x}] = reg;
        return reg;
    }

    int switch_of(int reg)
    {
        const auto found = std::find(switched.begin(), switched.end(), reg);
        const auto index = static_cast<int>(found - switched.begin());
        if (found == switched.end()) switched.push_back(reg);
        return index;
    }

    const Graph& graph_;
    int coordinates_;
    std::map<int, int> known_;
    std::map<std::pair<SeriesOp, int>, int> pairs_;
};

}  // namespace

bool has_table(const Formula& formula) noexcept
{
    return std::ranges::any_of(formula.terms(), [](const Term& term) {
        return std::ranges::any_of(term.tape().instructions(),
                                   [](const Instruction& it) { return it.op == Op::Lookup; });
    });
}

SeriesProgram::SeriesProgram(const Graph& graph, std::span<const int> outputs, int coordinates, int order)
{
    Lowering lowering(graph, coordinates);
    for (const int node : outputs) {
        registers.push_back(lowering.reg_of(node));
    }
    tape = SeriesTape(std::move(lowering.instructions), lowering.switched, order);
}

}  // namespace carom
