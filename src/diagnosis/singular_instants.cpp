#include "singular_instants.hpp"

#include "expression/tape.hpp"
#include "series/dual.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr int pieces_of_a_run = 4000;

/// An argument that turns round within more of them, or between the instants that are looked at, is not
/// resolved.
constexpr int max_turning_points = pieces_of_a_run / 8;

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
    case Op::Atan2: return y > 0 ? std::hypot(x, y) : x;
    default: return x;
    }
}

/// The argument of a suspect as a function of time, all else as at the start.
class EdgeInTime {
public:
    EdgeInTime(const Suspect& suspect, const State& start, double duration_s, long& budget)
        : suspect_(suspect), begin_s_(start.t_s), duration_s_(duration_s), budget_(budget)
    {
        for (const Variable& variable : suspect.term->variables()) {
            const auto i = static_cast<Eigen::Index>(variable.index);
            is_time_.push_back(variable.kind == Variable::Kind::Time ? 1 : 0);
            inputs_.push_back(is_time_.back() != 0                          ? start.t_s
                              : variable.kind == Variable::Kind::Coordinate ? start.q[i]
                                                                            : start.u[i]);
        }
        values_.resize(static_cast<std::size_t>(suspect.term->tape().size()));
    }

    double operator()(double t_s)
    {
        evaluate(t_s);
        return edge_function(suspect_.term->tape().instructions()[static_cast<std::size_t>(suspect_.place)],
                             values_);
    }

    /// The edge is one of the formula, beside this instant, and not of a piece that is not chosen there.
    [[nodiscard]] bool counts_beside(double t_s)
    {
        const double near = 1e-7 * std::max(duration_s_, 1e-9);
        for (const double side : {near, -near}) {
            const double at_s = t_s + side;
            if (at_s <= begin_s_ || at_s > begin_s_ + duration_s_) continue;
            evaluate(at_s);
            const auto counts = instructions_that_count(suspect_.term->tape().instructions(), values_);
            if (counts[static_cast<std::size_t>(suspect_.place)] != 0) return true;
        }
        return false;
    }

private:
    void evaluate(double t_s)
    {
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            if (is_time_[i] != 0) inputs_[i] = t_s;
        DualRegisters<0> registers(values_.data(), inputs_.data());
        run(suspect_.term->tape(), registers);
        budget_ -= suspect_.term->tape().size();
    }

    const Suspect& suspect_;
    double begin_s_, duration_s_;
    long& budget_;
    std::vector<char> is_time_;
    std::vector<double> inputs_, values_;
};

/// Where the function changes its sign, by halving.
double sign_change(EdgeInTime& f, double low_s, double high_s, bool positive_below)
{
    for (int k = 0; k < 60; ++k) {
        const double middle_s = (low_s + high_s) / 2;
        ((f(middle_s) > 0) == positive_below ? low_s : high_s) = middle_s;
    }
    return high_s;
}

/// A lowest place of |f|, by golden sections: sixty of them narrow a piece to rounding.
double lowest_place(EdgeInTime& f, double low_s, double high_s)
{
    constexpr double golden = 0.6180339887498949;
    double a = high_s - golden * (high_s - low_s), b = low_s + golden * (high_s - low_s);
    double at_a = std::abs(f(a)), at_b = std::abs(f(b));
    for (int k = 0; k < 72; ++k) {
        if (at_a < at_b) {
            high_s = b, b = a, at_b = at_a;
            a = high_s - golden * (high_s - low_s);
            at_a = std::abs(f(a));
        } else {
            low_s = a, a = b, at_a = at_b;
            b = low_s + golden * (high_s - low_s);
            at_b = std::abs(f(b));
        }
    }
    return at_a < at_b ? a : b;
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

EdgeInstant first_edge_in_time(const Suspect& suspect, const State& start, double duration_s, long& budget)
{
    EdgeInTime f(suspect, start, duration_s, budget);
    const double step = duration_s / pieces_of_a_run;
    double before = f(start.t_s), two_before = before, largest = std::abs(before);
    int turning_points = 0;
    for (int k = 1; k <= pieces_of_a_run; ++k) {
        if (budget <= 0 || turning_points > max_turning_points) return {.cut = true};
        const double t = start.t_s + k * step, here = f(t), inside = f(t - (1 - inside_of_piece) * step);
        if (inside < std::min(before, here) || inside > std::max(before, here)) ++turning_points;
        largest = std::max(largest, std::isfinite(here) ? std::abs(here) : 0.0);
        std::optional<double> found;
        if (here == 0) {
            found = t;
        } else if ((before > 0) != (here > 0)) {
            found = sign_change(f, t - step, t, before > 0);
        } else if (k > 1 && std::abs(before) <= std::abs(two_before) && std::abs(before) <= std::abs(here)) {
            ++turning_points;
            const double lowest_s = lowest_place(f, t - 2 * step, t);
            if (std::abs(f(lowest_s)) <= 1e-12 * largest) found = lowest_s;
        }
        if (found && f.counts_beside(*found)) return {.instant_s = found};
        if (found) ++turning_points;
        two_before = before;
        before = here;
    }
    return {};
}

}  // namespace carom::detail
