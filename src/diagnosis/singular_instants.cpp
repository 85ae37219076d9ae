#include "singular_instants.hpp"

#include "expression/tape.hpp"
#include "series/dual.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr int pieces_of_a_run = 4000, pieces_of_a_line = 48;

/// An argument that turns round within more than one in so many of them, or between the places that are looked at,
/// is not resolved.
constexpr int pieces_a_turn = 8;

/// Where each piece is looked at beside its ends: no simple fraction, so that no frequency hides.
constexpr double inside_of_piece = 0.6180339887498949;

/// Instructions whose value counts, given all values: not those of pieces that are not chosen.
std::vector<char> instructions_that_count(std::span<const Instruction> all, std::span<const double> values)
{
    std::vector<char> counts(all.size(), 0);
    counts.back() = 1;
    for (std::size_t i = all.size(); i-- > 0;) {
        if (counts[i] == 0) continue;
        const Instruction& it = all[i];
        const auto mark = [&](int a) { counts[static_cast<std::size_t>(a)] = 1; };
        const auto value = [&](int a) { return values[static_cast<std::size_t>(a)]; };
        const int operands = operand_count(it.op);
        if (it.op == Op::Select) {
            mark(it.a);
            mark(value(it.a) != 0 ? it.b : it.c);
        } else if (it.op == Op::Min || it.op == Op::Max) {
            mark(chosen(it, value(it.a), value(it.b)));
        } else {
            if (operands > 0) mark(it.a);
            if (operands > 1) mark(it.b);
            if (operands > 2) mark(it.c);
        }
    }
    return counts;
}

/// Negative, zero or positive; an edge is where it vanishes.
double edge_function(const Instruction& it, std::span<const double> values)
{
    const double x = values[static_cast<std::size_t>(it.a)];
    const double y = operand_count(it.op) > 1 ? values[static_cast<std::size_t>(it.b)] : 0.0;
    switch (it.op) {
    case Op::Divide: return y;
    case Op::Asin:
    case Op::Acos: return 1 - std::abs(x);
    case Op::Tan: return std::cos(x);
    case Op::Hypot: return std::hypot(x, y);
    case Op::Atan2: return y > 0 ? std::hypot(x, y) : std::abs(x);
    default: return x;
    }
}

/// The argument of a suspect along the straight line from one state to another, as a function of the weight of
/// the second.
class EdgeOnLine {
public:
    EdgeOnLine(const Suspect& suspect, const State& from, const State& to, long& budget)
        : suspect_(suspect), budget_(budget)
    {
        for (const Variable& variable : suspect.term->variables()) {
            const auto i = static_cast<Eigen::Index>(variable.index);
            const auto value = [&](const State& at) {
                return variable.kind == Variable::Kind::Time         ? at.t_s
                       : variable.kind == Variable::Kind::Coordinate ? at.q[i]
                                                                     : at.u[i];
            };
            from_.push_back(value(from));
            span_.push_back(value(to) - value(from));
        }
        inputs_.resize(from_.size());
        values_.resize(static_cast<std::size_t>(suspect.term->tape().size()));
    }

    double operator()(double weight)
    {
        evaluate(weight);
        return edge_function(suspect_.term->tape().instructions()[static_cast<std::size_t>(suspect_.place)],
                             values_);
    }

    /// The edge is one of the formula, beside this place, and not of a piece that is not chosen there.
    [[nodiscard]] bool counts_beside(double weight)
    {
        for (const double beside : {weight + 1e-7, weight - 1e-7}) {
            if (beside <= 0 || beside > 1) continue;
            evaluate(beside);
            const auto counts = instructions_that_count(suspect_.term->tape().instructions(), values_);
            if (counts[static_cast<std::size_t>(suspect_.place)] != 0) return true;
        }
        return false;
    }

private:
    void evaluate(double weight)
    {
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            inputs_[i] = from_[i] + weight * span_[i];
        DualRegisters<0> registers(values_.data(), inputs_.data());
        run(suspect_.term->tape(), registers);
        budget_ -= suspect_.term->tape().size();
    }

    const Suspect& suspect_;
    long& budget_;
    std::vector<double> from_, span_, inputs_, values_;
};

/// Where the function changes its sign, by halving.
double sign_change(EdgeOnLine& f, double low, double high, bool positive_below)
{
    for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        ((f(middle) > 0) == positive_below ? low : high) = middle;
    }
    return high;
}

/// A lowest place of |f|, by golden sections: sixty of them narrow a piece to rounding.
double lowest_place(EdgeOnLine& f, double low, double high)
{
    constexpr double golden = 0.6180339887498949;
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double at_a = std::abs(f(a)), at_b = std::abs(f(b));
    for (int k = 0; k < 72; ++k) {
        if (at_a < at_b) {
            high = b, b = a, at_b = at_a;
            a = high - golden * (high - low);
            at_a = std::abs(f(a));
        } else {
            low = a, a = b, at_a = at_b;
            b = low + golden * (high - low);
            at_b = std::abs(f(b));
        }
    }
    return at_a < at_b ? a : b;
}

/// The first place of a line, its begin left out, at which an edge is reached and counts.
EdgeOnWay first_edge(EdgeOnLine& f, int pieces, long& budget)
{
    const double step = 1.0 / pieces;
    double before = f(0), two_before = before, largest = std::abs(before);
    int turning_points = 0;
    for (int k = 1; k <= pieces; ++k) {
        if (budget <= 0 || turning_points > pieces / pieces_a_turn) return {.cut = true};
        const double at = k * step, here = f(at), inside = f(at - (1 - inside_of_piece) * step);
        if (inside < std::min(before, here) || inside > std::max(before, here)) ++turning_points;
        largest = std::max(largest, std::isfinite(here) ? std::abs(here) : 0.0);
        std::optional<double> found;
        if (here == 0) {
            found = at;
        } else if ((before > 0) != (here > 0)) {
            found = sign_change(f, at - step, at, before > 0);
        } else if (k > 1 && std::abs(before) <= std::abs(two_before) && std::abs(before) <= std::abs(here)) {
            ++turning_points;
            const double lowest = lowest_place(f, at - 2 * step, at);
            if (std::abs(f(lowest)) <= 1e-12 * largest) found = lowest;
        }
        if (found && f.counts_beside(*found)) return {.weight = found};
        if (found) ++turning_points;
        two_before = before;
        before = here;
    }
    return {};
}

}  // namespace

std::vector<double> registers_at(const Term& term, const State& at)
{
    std::vector<double> inputs;
    for (const Variable& variable : term.variables()) {
        const auto i = static_cast<Eigen::Index>(variable.index);
        inputs.push_back(variable.kind == Variable::Kind::Time         ? at.t_s
                         : variable.kind == Variable::Kind::Coordinate ? at.q[i]
                                                                       : at.u[i]);
    }
    std::vector<double> memory(static_cast<std::size_t>(term.tape().size()));
    DualRegisters<0> registers(memory.data(), inputs.data());
    run(term.tape(), registers);
    return memory;
}

EdgeOnWay first_edge_in_time(const Suspect& suspect, const State& start, double duration_s, long& budget)
{
    State end = start;
    end.t_s += duration_s;
    EdgeOnLine f(suspect, start, end, budget);
    return first_edge(f, pieces_of_a_run, budget);
}

EdgeOnWay first_edge_on_line(const Suspect& suspect, const State& from, const State& to, long& budget)
{
    EdgeOnLine f(suspect, from, to, budget);
    return first_edge(f, pieces_of_a_line, budget);
}

}  // namespace carom::detail
