#include "series_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::detail {
namespace {

constexpr int max_samples = 128;        ///< of an expansion: where its formulas need more it is made shorter
constexpr double shortest_part = 1e-3;  ///< of an expansion between two samples
constexpr int max_shortenings = 20;

/// Bound of |x'| on [0, h].
double steepest(const double* x, int order, double h)
{
    double sum = 0;
    for (int k = order; k >= 1; --k) {
        sum = sum * h + k * std::abs(x[k]);
    }
    return sum;
}

/// exp() of less is below the rounding of anything it may be added to, and stays so until its operand is here.
constexpr double invisible = -50;

/// How far an operand may move from x until a function of it has become another one: by (PS-21).
double reach(SeriesOp op, double x)
{
    switch (op) {
    case SeriesOp::Exp: return std::max(2.0, invisible - x);
    case SeriesOp::SinhCosh: return 2;
    case SeriesOp::SinCos: return 1;
    case SeriesOp::Tan: return std::abs(std::cos(x)) / 2;
    case SeriesOp::Tanh: return std::max(0.5, std::abs(x) / 2);
    default: return std::abs(x) / 2;
    }
}

/// The operand whose size decides how a function changes; -1: every polynomial, which has no narrow places.
int operand_of(const SeriesInstruction& it)
{
    switch (it.op) {
    case SeriesOp::Exp:
    case SeriesOp::SinhCosh:
    case SeriesOp::SinCos:
    case SeriesOp::Tan:
    case SeriesOp::Tanh:
    case SeriesOp::Sqrt:
    case SeriesOp::Power: return it.a;
    case SeriesOp::Divide:
    case SeriesOp::Quadrature: return it.b;
    case SeriesOp::Angle: return it.c;
    default: return -1;
    }
}

/// Marks the registers that outputs and switches are made of; those of branches that are not chosen, which may
/// have no value here, are not among them.
void mark_used(const SeriesProgram& program, std::vector<char>& used)
{
    const SeriesTape& tape = program.tape;
    used.assign(static_cast<std::size_t>(tape.size()), 0);
    const auto use = [&](int reg) { used[static_cast<std::size_t>(reg)] = 1; };
    for (const int reg : program.registers)
        use(reg);
    for (const SeriesSwitch& one : tape.switches())
        use(one.reg);
    for (int i = tape.size() - 1; i >= 0; --i) {
        if (!used[static_cast<std::size_t>(i)]) continue;
        const SeriesInstruction& it = tape.instructions()[static_cast<std::size_t>(i)];
        switch (it.op) {
        case SeriesOp::Constant:
        case SeriesOp::Input:
        case SeriesOp::SignOf:
        case SeriesOp::Truth: break;
        case SeriesOp::Second: use(i - 1); break;
        case SeriesOp::Add:
        case SeriesOp::Subtract:
        case SeriesOp::Multiply:
        case SeriesOp::Divide:
        case SeriesOp::Quadrature:
        case SeriesOp::And:
        case SeriesOp::Or:
            use(it.a);
            use(it.b);
            break;
        case SeriesOp::Angle:
            use(it.a);
            use(it.b);
            use(it.c);
            break;
        case SeriesOp::Chosen:
            use(tape.switches()[static_cast<std::size_t>(it.c)].side > 0 ? it.b
                                                                         : static_cast<int>(it.number));
            break;
        case SeriesOp::Select:
            use(it.a);
            use(tape.coefficients(it.a)[0] != 0 ? it.b : it.c);
            break;
        default: use(it.a);
        }
    }
}

}  // namespace

/// The operands of a program that move in an expansion by more than their series are sure to follow: a few times
/// their reach.
void SeriesEngine::add_operands(const SeriesProgram& program, int order, double h)
{
    constexpr double sure = 3;
    const SeriesTape& tape = program.tape;
    mark_used(program, w_.used);
    for (std::size_t i = 0; i < w_.used.size(); ++i) {
        const SeriesInstruction& it = tape.instructions()[i];
        const int reg = w_.used[i] ? operand_of(it) : -1;
        if (reg < 0 || tape.is_constant(reg)) continue;
        const double* x = tape.coefficients(reg);
        const double slope = steepest(x, order, h);
        if (slope * h > sure * reach(it.op, x[0]))
            w_.operands.push_back({.op = it.op, .x = x, .order = order, .slope = slope});
    }
}

/// From s to where one of them has passed its reach; NaN where one has no value.
double SeriesEngine::reach_s(double s) const
{
    double shortest = std::numeric_limits<double>::infinity();
    for (const Operand& it : w_.operands) {
        const double far = reach(it.op, series_value(it.x, it.order, s)) / it.slope;
        if (!(far >= shortest)) shortest = far;
    }
    return shortest;
}

void SeriesEngine::find_operands(double h)
{
    w_.operands.clear();
    const SeriesSystem& system = x_->system();
    add_operands(system.dynamics, x_->order() - 1, h);
    for (const Player& one : x_->players()) {
        if (one.may_act()) add_operands(*one.rows, x_->order() - 1, h);
    }
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
        const Player* one = x_->player_of(static_cast<int>(c));
        if (one == nullptr || !one->may_act()) add_operands(system.contacts[c].gap, x_->order(), h);
    }
}

/// How far the model's own evaluation agrees with the series at samples that follow these operands; nothing
/// where samples would be too close for an expansion of this length.
std::optional<double> SeriesEngine::looked_through(double h)
{
    const double end_s = (1 - 1e-6) * h;  // behind it a formula may be in its next piece
    double s = 0;
    for (int n = 0; n < max_samples; ++n) {
        const double far_s = reach_s(s);
        // written this way so that NaN is refused
        if (!(far_s > shortest_part * h)) return s > h / 8 ? std::optional(s) : std::nullopt;
        const double next_s = std::min(s + far_s, end_s);
        if (!(std::max(defect(next_s), gap_defect(next_s)) <= small_defect)) return n > 0 ? s : next_s / 2;
        if (next_s >= end_s) return h;
        s = next_s;
    }
    return s;
}

/// A force, a potential or a gap that is narrow has no trace in the coefficients where it has not begun, and
/// none at a single instant: where an operand moves far in an expansion, formulas are looked at along the way
/// (PS-21).
double SeriesEngine::seen_length(double h)
{
    for (int n = 0; n < max_shortenings; ++n, h /= 8) {
        find_operands(h);
        if (w_.operands.empty()) return h;
        if (const auto seen = looked_through(h)) return *seen;
    }
    return h;
}

}  // namespace carom::detail
