#include "state_samples.hpp"
#include "tape_ranges.hpp"

#include "carom/series/dual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

using Kind = Singularity::Kind;
using Reach = Singularity::Reach;
using detail::Dynamics;
using detail::Interval;

/// Differences of the arguments below this part of their size count as zero.
constexpr double on_it = 1e-12;

/// One instruction of one term that has no power series somewhere.
struct Suspect {
    const Term* term = nullptr;
    int place = 0;
    Kind kind{};
    bool time_only = false;
};

struct NamedFormula {
    std::string key;
    const Formula* formula = nullptr;
    bool is_gap = false;
};

std::vector<NamedFormula> formulas_of(const Model& model)
{
    const LagrangianSystem& system = model.system();
    std::vector<NamedFormula> list{{"lagrangian.kinetic", &system.kinetic},
                                   {"lagrangian.potential", &system.potential}};
    for (std::size_t i = 0; i < system.forces.size(); ++i)
        list.push_back({"lagrangian.forces." + system.coordinates[i].name, &system.forces[i]});
    for (const Contact& contact : system.contacts)
        list.push_back({fmt::format("contact.{}.gap", contact.name), &contact.gap, true});
    return list;
}

/// Values of all registers of a term at a state.
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

bool is_comparison(Op op)
{
    return op == Op::Less || op == Op::LessEqual || op == Op::Equal;
}

/// Whether the ranges of the arguments let them come to a kink of this instruction.
bool may_kink(const Instruction& it, std::span<const Instruction> all, std::span<const Interval> range)
{
    const auto of = [&](int a) { return range[static_cast<std::size_t>(a)]; };
    switch (it.op) {
    case Op::Abs:
    case Op::Sign: return of(it.a).contains(0);
    case Op::Min:
    case Op::Max:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal: return of(it.a).low <= of(it.b).high && of(it.b).low <= of(it.a).high;
    case Op::Lookup: return true;
    case Op::Select: {  // conditions made of comparisons are looked at where they stand
        const Op condition = all[static_cast<std::size_t>(it.a)].op;
        const bool made =
            is_comparison(condition) || condition == Op::And || condition == Op::Or || condition == Op::Not;
        return !made && of(it.a).contains(0);
    }
    default: return false;
    }
}

/// Whether the ranges of the arguments let them come to the edge of the domain, or to a pole.
bool may_have_edge(const Instruction& it, std::span<const Interval> range)
{
    const auto of = [&](int a) { return range[static_cast<std::size_t>(a)]; };
    switch (it.op) {
    case Op::Divide: return of(it.b).contains(0);
    case Op::Reciprocal: return of(it.a).contains(0);
    case Op::IntegerPower: return it.b < 0 && of(it.a).contains(0);
    case Op::RealPower:
    case Op::Power:
    case Op::Sqrt:
    case Op::Log: return of(it.a).low <= 0;
    case Op::Asin:
    case Op::Acos: return of(it.a).low <= -1 || of(it.a).high >= 1;
    case Op::Tan: return !(of(it.a).low > -1.57 && of(it.a).high < 1.57);
    case Op::Hypot: return of(it.a).contains(0) && of(it.b).contains(0);
    case Op::Atan2: return of(it.a).contains(0) && of(it.b).low <= 0;
    default: return false;
    }
}

/// Registers that depend on coordinates or velocities.
std::vector<char> depend_on_state(const Term& term)
{
    std::vector<char> depends;
    for (const Instruction& it : term.tape().instructions()) {
        const int operands = operand_count(it.op);
        const auto of = [&](int a) { return depends[static_cast<std::size_t>(a)] != 0; };
        bool here = (operands > 0 && of(it.a)) || (operands > 1 && of(it.b)) || (operands > 2 && of(it.c));
        if (it.op == Op::Variable)
            here = term.variables()[static_cast<std::size_t>(it.a)].kind != Variable::Kind::Time;
        depends.push_back(here ? 1 : 0);
    }
    return depends;
}

std::vector<Suspect> suspects_of(const Formula& formula)
{
    std::vector<Suspect> suspects;
    for (const Term& term : formula.terms()) {
        const auto ranges = detail::register_ranges(term.tape());
        const auto depends = depend_on_state(term);
        const auto all = term.tape().instructions();
        for (int i = 0; i < term.tape().size(); ++i) {
            const Instruction& it = all[static_cast<std::size_t>(i)];
            const bool kink = may_kink(it, all, ranges);
            if (!kink && !may_have_edge(it, ranges)) continue;
            suspects.push_back(
                {.term = &term,
                 .place = i,
                 .kind = kink ? Kind::Kink : Kind::Edge,
                 .time_only = depends[static_cast<std::size_t>(it.op == Op::Select ? it.a : i)] == 0});
        }
    }
    return suspects;
}

/// Negative on one side, positive on the other, zero on it; for edges: not above zero on it.
double side_of(const Suspect& suspect, const State& at)
{
    const Instruction& it = suspect.term->tape().instructions()[static_cast<std::size_t>(suspect.place)];
    const std::vector<double> r = registers_at(*suspect.term, at);
    const double x = r[static_cast<std::size_t>(it.a)];
    const double y = operand_count(it.op) > 1 ? r[static_cast<std::size_t>(it.b)] : 0.0;
    const auto difference = [](double a, double b) {
        return std::abs(a - b) <= on_it * (1 + std::abs(a) + std::abs(b)) ? 0.0 : a - b;
    };
    switch (it.op) {
    case Op::Divide: return std::abs(difference(y, 0));
    case Op::Reciprocal:
    case Op::IntegerPower: return std::abs(difference(x, 0));
    case Op::Asin:
    case Op::Acos: return difference(1, std::abs(x));
    case Op::Tan: return std::abs(difference(std::cos(x), 0));
    case Op::Hypot: return difference(std::hypot(x, y), 0);
    case Op::Atan2: return y > 0 ? std::hypot(x, y) : std::abs(difference(x, 0));
    case Op::Lookup: {  // a table has one side per slope; on a point of it the slopes differ
        const Table& table = suspect.term->tape().table(it.b);
        const double near = on_it * (1 + std::abs(x));
        const double before = table.at(x - near).slope;
        return before == table.at(x + near).slope ? 1 + std::atan(before) : 0.0;
    }
    default: return difference(x, y);
    }
}

/// Same piece of the formula.
bool same_side(const Suspect& suspect, double a, double b)
{
    const Instruction& it = suspect.term->tape().instructions()[static_cast<std::size_t>(suspect.place)];
    if (it.op == Op::Lookup) return a == b;
    return (a > 0) == (b > 0) && (a < 0) == (b < 0);
}

State between(const State& a, const State& b, double weight)
{
    State state = a;
    state.q = (1 - weight) * a.q + weight * b.q;
    state.u = (1 - weight) * a.u + weight * b.u;
    state.t_s = (1 - weight) * a.t_s + weight * b.t_s;
    return state;
}

/// Where the straight line from a to b changes sides, to rounding.
State crossing(const Suspect& suspect, const State& a, const State& b)
{
    const double side_a = side_of(suspect, a);
    double low = 0, high = 1;
    for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        (same_side(suspect, side_of(suspect, between(a, b, middle)), side_a) ? low : high) = middle;
    }
    return between(a, b, high);
}

/// The exponent a in |difference of accelerations| ~ distance^a across a state, the smallest over some
/// directions.
double exponent_at(Dynamics& dynamics, const State& at, const State& towards)
{
    const Eigen::Index n = at.q.size();
    detail::Dice dice(3);
    double smallest = 1;
    constexpr int most = 24;
    for (int k = 0; k < most; ++k) {
        // along the line that crossed first, then along the axes, then anywhere
        Eigen::VectorXd direction = dice.vector(2 * n);
        if (k == 0) direction << towards.q - at.q, towards.u - at.u;
        if (k > 0 && k <= 2 * n && 2 * n < most) direction = Eigen::VectorXd::Unit(2 * n, k - 1);
        if (!(direction.norm() > 0)) continue;
        direction.normalize();
        const auto difference = [&](double distance) {
            State ahead = at, behind = at;
            ahead.q += distance * direction.head(n), ahead.u += distance * direction.tail(n);
            behind.q -= distance * direction.head(n), behind.u -= distance * direction.tail(n);
            const Eigen::VectorXd a = dynamics.acceleration(ahead), b = dynamics.acceleration(behind);
            const Eigen::VectorXd middle = dynamics.acceleration(at);
            const double rounding = 1e-14 * (a.norm() + b.norm());
            const double seen = std::max((a - b).norm(), middle.allFinite() ? (a - middle).norm() : 0.0);
            return seen > rounding ? seen : 0.0;
        };
        const double wide = difference(1e-5), narrow = difference(1e-9);
        if (narrow > 0 && wide > 0) smallest = std::min(smallest, std::log10(wide / narrow) / 4);
    }
    return std::max(0.0, smallest);
}

std::string name_of_function(Op op)
{
    switch (op) {
    case Op::Abs: return "abs";
    case Op::Sign: return "sign";
    case Op::Min: return "min";
    case Op::Max: return "max";
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal: return "a comparison";
    case Op::Select: return "if";
    case Op::Lookup: return "table";
    case Op::Divide:
    case Op::Reciprocal:
    case Op::IntegerPower: return "a quotient";
    case Op::RealPower:
    case Op::Power: return "a power";
    case Op::Sqrt: return "sqrt";
    case Op::Log: return "log";
    case Op::Asin: return "asin";
    case Op::Acos: return "acos";
    case Op::Tan: return "tan";
    case Op::Hypot: return "hypot";
    default: return "atan2";
    }
}

/// Looks from the start, then from the samples, until both sides were seen.
Singularity examine(const Suspect& suspect, const NamedFormula& formula, const State& start,
                    std::span<const State> samples, Dynamics& dynamics)
{
    const Op op = suspect.term->tape().instructions()[static_cast<std::size_t>(suspect.place)].op;
    Singularity found{.kind = suspect.kind,
                      .reach = Reach::NotSeen,
                      .formula = formula.key,
                      .text = formula.formula->text(),
                      .function = name_of_function(op),
                      .time_only = suspect.time_only,
                      .exponent = {}};
    const bool of_forces = !formula.is_gap && !suspect.time_only;
    const double side = side_of(suspect, start);
    if (suspect.kind == Kind::Edge ? !(side > 0) : side == 0) {
        found.reach = Reach::AtStart;
        if (of_forces) found.exponent = exponent_at(dynamics, start, start);
        return found;
    }
    for (const State& sample : samples) {
        const double other = side_of(suspect, sample);
        if (std::isnan(other) || same_side(suspect, side, other)) continue;
        found.reach = Reach::Crossed;
        if (of_forces) found.exponent = exponent_at(dynamics, crossing(suspect, start, sample), sample);
        break;
    }
    return found;
}

bool says_the_same(const Singularity& x, const Singularity& y)
{
    return x.formula == y.formula && x.function == y.function && x.kind == y.kind && x.reach == y.reach &&
           x.time_only == y.time_only && x.exponent == y.exponent;
}

}  // namespace

std::vector<Singularity> find_singularities(const Model& model, const State& start,
                                            const WellPosednessSettings& settings)
{
    const std::vector<State> samples = detail::sampled_states(model, start, settings);
    Dynamics dynamics(model);
    std::vector<Singularity> found;
    for (const NamedFormula& formula : formulas_of(model)) {
        for (const Suspect& suspect : suspects_of(*formula.formula)) {
            Singularity here = examine(suspect, formula, start, samples, dynamics);
            const bool known =
                std::ranges::any_of(found, [&](const auto& x) { return says_the_same(x, here); });
            if (!known) found.push_back(std::move(here));
        }
    }
    return found;
}

}  // namespace carom
