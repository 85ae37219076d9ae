#include "expression/range_tape.hpp"
#include "singular_instants.hpp"
#include "state_samples.hpp"

#include "series/dual.hpp"
#include "system/lagrangian/constraint_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace carom {
namespace {

using Kind = Singularity::Kind;
using Reach = Singularity::Reach;
using detail::Dynamics;
using detail::Range;
using detail::registers_at;
using detail::Suspect;

/// Differences of the arguments below this part of their size count as zero.
constexpr double on_it = 1e-12;

using Role = Singularity::Role;

struct NamedFormula {
    std::string key;
    const Formula* formula = nullptr;
    Role role = Role::Forces;
    int owner = -1;                             ///< contact or constraint that the formula belongs to
    const ContactParticle* particle = nullptr;  ///< the formula is one of x, y, z where this particle is
};

void add_contact(const Contact& contact, int number, std::vector<NamedFormula>& list)
{
    const std::string key = "contact." + contact.name;
    const auto add = [&](const std::string& name, const Formula& formula, const ContactParticle* particle) {
        list.push_back({key + name, &formula, Role::Contact, number, particle});
    };
    if (contact.particle) {
        const ContactParticle& particle = *contact.particle;
        for (const Formula& component : particle.position)
            add(".position", component, nullptr);
        add(".surface", particle.surface, &particle);
        for (const Formula& component : particle.obstacle_velocity)
            add(".obstacle_velocity", component, &particle);
        for (const Formula& component : particle.tangent)
            add(".tangent", component, &particle);
    } else {
        add(".gap", contact.gap, nullptr);
        for (const Formula& component : contact.sliding)
            add(".sliding", component, nullptr);
    }
    if (!contact.friction) return;
    add(".law.friction", contact.friction->coefficient, nullptr);
    if (contact.friction->static_coefficient)
        add(".law.static_friction", *contact.friction->static_coefficient, nullptr);
}

void add_constraint(const Constraint& constraint, int number, std::vector<NamedFormula>& list)
{
    const std::string key = "constraint." + constraint.name;
    const auto add = [&](const char* name, const Formula& formula, Role role) {
        list.push_back({key + name, &formula, role, number, nullptr});
    };
    for (const Formula& phi : constraint.zero)
        add(".zero", phi, Role::Position);
    for (const Formula& velocity : constraint.velocity)
        add(".velocity", velocity, Role::Velocity);
    for (const auto& row : constraint.map) {
        for (const Formula& entry : row)
            add(".map", entry, Role::Velocity);
    }
    for (const ReactionLimit& limit : constraint.limits)
        add(".law", limit.size, Role::Limit);
}

std::vector<NamedFormula> formulas_of(const Model& model)
{
    const LagrangianSystem& system = model.system();
    std::vector<NamedFormula> list{{"lagrangian.kinetic", &system.kinetic},
                                   {"lagrangian.potential", &system.potential}};
    for (std::size_t i = 0; i < system.forces.size(); ++i)
        list.push_back({"lagrangian.forces." + system.coordinates[i].name, &system.forces[i]});
    for (std::size_t c = 0; c < system.contacts.size(); ++c)
        add_contact(system.contacts[c], static_cast<int>(c), list);
    for (std::size_t j = 0; j < system.constraints.size(); ++j)
        add_constraint(system.constraints[j], static_cast<int>(j), list);
    return list;
}

/// The state as a formula sees it: those of an obstacle see the place of the particle.
State seen_by(const NamedFormula& formula, const State& at)
{
    if (formula.particle == nullptr) return at;
    Workspace work;
    State place = at;
    const auto& position = formula.particle->position;
    place.q.resize(static_cast<Eigen::Index>(position.size()));
    for (std::size_t i = 0; i < position.size(); ++i)
        place.q[static_cast<Eigen::Index>(i)] = position[i].value(point_of(at), work);
    place.u = Eigen::VectorXd::Zero(place.q.size());
    return place;
}

bool is_comparison(Op op)
{
    return op == Op::Less || op == Op::LessEqual || op == Op::Equal;
}

/// Whether the ranges of the arguments let them come to a kink of this instruction.
bool may_kink(const Instruction& it, std::span<const Instruction> all, std::span<const Range> range)
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
bool may_have_edge(const Instruction& it, std::span<const Range> range)
{
    const auto of = [&](int a) { return range[static_cast<std::size_t>(a)]; };
    switch (it.op) {
    case Op::Divide: return of(it.b).contains(0);
    case Op::Reciprocal: return of(it.a).contains(0);
    case Op::IntegerPower: return it.b < 0 && of(it.a).contains(0);
    case Op::RealPower:  // whole exponents beyond those of IntegerPower are powers all the same
        if (it.number == std::trunc(it.number)) return it.number < 0 && of(it.a).contains(0);
        return of(it.a).low <= 0;
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
        const auto ranges = detail::ranges_everywhere(term.tape());
        const auto depends = depend_on_state(term);
        const auto all = term.tape().instructions();
        for (int i = 0; i < term.tape().size(); ++i) {
            const Instruction& it = all[static_cast<std::size_t>(i)];
            const bool kink = may_kink(it, all, ranges);
            if (!kink && !may_have_edge(it, ranges)) continue;
            // a quotient has its poles where the denominator says
            const int decides = it.op == Op::Select ? it.a : it.op == Op::Divide ? it.b : i;
            suspects.push_back({.term = &term,
                                .place = i,
                                .kind = kink ? Kind::Kink : Kind::Edge,
                                .time_only = depends[static_cast<std::size_t>(decides)] == 0});
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
    case Op::RealPower:
        return it.number == std::trunc(it.number) ? std::abs(difference(x, 0)) : difference(x, 0);
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

/// What is asked to be smooth across a singularity: accelerations, rows of a constraint and what it holds, a
/// limit itself, or the gap of a contact.
Eigen::VectorXd smooth_quantity(const Model& model, const NamedFormula& formula, const State& at,
                                Dynamics& dynamics)
{
    Workspace work;
    switch (formula.role) {
    case Role::Limit: return Eigen::VectorXd::Constant(1, formula.formula->value(point_of(at), work));
    case Role::Contact: return Eigen::VectorXd::Constant(1, model.gap_m(formula.owner, point_of(at), work));
    case Role::Position:
    case Role::Velocity: {
        const ConstraintGeometry& geometry = model.constraint(formula.owner);
        const auto rows = static_cast<std::size_t>(geometry.size());
        std::vector<double> H(rows * geometry.support().size()), b(rows);
        model.constraint_rows(formula.owner, point_of(at), H, b, work);
        H.insert(H.end(), b.begin(), b.end());
        if (formula.role == Role::Position) H.push_back(formula.formula->value(point_of(at), work));
        return Eigen::Map<Eigen::VectorXd>(H.data(), static_cast<Eigen::Index>(H.size()));
    }
    default: return dynamics.acceleration(at);
    }
}

/// The exponent a in |difference| ~ distance^a across a state, the smallest over some directions.
double exponent_at(const Model& model, const NamedFormula& formula, Dynamics& dynamics, const State& at,
                   const State& towards)
{
    const Eigen::Index n = at.q.size();
    detail::Dice dice(3);
    double smallest = 1;
    constexpr int largest = 24;
    const auto quantity = [&](const State& there) {
        return smooth_quantity(model, formula, there, dynamics);
    };
    for (int k = 0; k < largest; ++k) {
        // along the line that crossed first, then along the axes, then anywhere
        Eigen::VectorXd direction = dice.vector(2 * n);
        if (k == 0) direction << towards.q - at.q, towards.u - at.u;
        if (k > 0 && k <= 2 * n && 2 * n < largest) direction = Eigen::VectorXd::Unit(2 * n, k - 1);
        if (!(direction.norm() > 0)) continue;
        direction.normalize();
        const auto difference = [&](double distance) {
            State ahead = at, behind = at;
            ahead.q += distance * direction.head(n), ahead.u += distance * direction.tail(n);
            behind.q -= distance * direction.head(n), behind.u -= distance * direction.tail(n);
            const Eigen::VectorXd a = quantity(ahead), b = quantity(behind);
            const Eigen::VectorXd middle = quantity(at);
            // a tenth of what counts: the exponent is known to log10(1.1)/4 = 0.01
            const double rounding = 1e-13 * (a.norm() + b.norm());
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

/// The first instant of the run at which a formula changes its piece, where the time alone decides.
std::optional<double> instant_of_kink(const Suspect& suspect, const State& start, double duration_s)
{
    constexpr int pieces = 4000;
    State before = start;
    for (int k = 1; k <= pieces; ++k) {
        State here = start;
        here.t_s += duration_s * k / pieces;
        if (!same_side(suspect, side_of(suspect, before), side_of(suspect, here)))
            return crossing(suspect, before, here).t_s;
        before = here;
    }
    return std::nullopt;
}

/// Whether the rows of a constraint, or a gap, jump at an instant, or right after the start: a difference across
/// it beside which those on either side vanish.
bool jumps_at(const Model& model, const NamedFormula& formula, const State& start, double t_s,
              double duration_s, Dynamics& dynamics)
{
    const double near = 1e-8 * duration_s;
    const auto later = [&](double by) {
        State at = start;
        at.t_s = t_s + by;
        return smooth_quantity(model, formula, at, dynamics);
    };
    const double before = t_s > start.t_s ? -near : 0;
    const Eigen::VectorXd left = later(before), right = later(near);
    const double across = (right - left).norm();
    const double beside = (later(2 * near) - right).norm() + (later(2 * before) - left).norm();
    return across > 1e-12 * (left.norm() + right.norm()) && across > 10 * beside;
}

/// Whether a formula grows without bound towards an instant.
bool is_unbounded_near(const NamedFormula& formula, const State& start, double t_s, double duration_s)
{
    Workspace work;
    double size = 0, wide = 0;
    for (const double side : {1.0, -1.0}) {
        State at = seen_by(formula, start);
        at.t_s = t_s + side * 1e-3 * duration_s;
        const double away = formula.formula->value(point_of(at), work);
        if (std::isfinite(away)) wide = std::max(wide, std::abs(away));
        for (const double near : {1e-7, 1e-9}) {
            at.t_s = t_s + side * near * duration_s;
            const double value = formula.formula->value(point_of(at), work);
            if (std::isinf(value)) return true;
            if (std::isfinite(value)) size = std::max(size, std::abs(value));
        }
    }
    return size > 100 * (wide + 1e-300);
}

/// Whether a formula has values all around a state, and these stay bounded near it: no edge of what it means, and
/// no pole. Where it grows without bound, so do the steps of its values at distances that shrink by a hundred.
bool is_bounded_around(const NamedFormula& formula, const State& at)
{
    Workspace work;
    detail::Dice dice(5);
    const Eigen::Index n = at.q.size();
    for (int k = 0; k < 8; ++k) {
        const Eigen::VectorXd direction = dice.vector(2 * n).normalized();
        std::array<double, 3> value{};
        for (std::size_t i = 0; i < value.size(); ++i) {
            State beside = at;
            const double distance = std::array{1e-5, 1e-7, 1e-9}[i];
            beside.q += distance * direction.head(n);
            beside.u += distance * direction.tail(n);
            value[i] = formula.formula->value(point_of(beside), work);
            if (!std::isfinite(value[i])) return false;
        }
        const double last = std::abs(value[2] - value[1]), before = std::abs(value[1] - value[0]);
        if (last > before / 2 && last > 1e-9 * std::abs(value[2])) return false;
    }
    return true;
}

/// An edge that was reached, and a state beyond it.
struct Met {
    State at, towards;
};

/// (WP-13): where a straight line from the start to a sample touches an edge around which the formula has values.
std::optional<Met> touched_edge(const Model& model, const Suspect& suspect, const NamedFormula& formula,
                                const State& start, std::span<const State> samples,
                                const WellPosednessSettings& settings, long& budget)
{
    constexpr std::size_t lines = 24;
    const detail::AdmissibleSet admissible(model);
    const State from = seen_by(formula, start);
    for (const State& sample : samples.first(std::min(lines, samples.size()))) {
        const State to = seen_by(formula, sample);
        const auto edge = detail::first_edge_on_line(suspect, from, to, budget);
        if (!edge.weight || !is_bounded_around(formula, between(from, to, *edge.weight))) continue;
        const State at = between(start, sample, *edge.weight);
        if (admissible.contains(at.q, at.t_s, settings.gap_tolerance_m))
            return Met{.at = at, .towards = sample};
    }
    return std::nullopt;
}

/// Looks from the start, then from the samples, until both sides were seen; then for edges that have one side only.
Singularity examine(const Model& model, const Suspect& suspect, const NamedFormula& formula,
                    const State& start, std::span<const State> samples, const WellPosednessSettings& settings,
                    Dynamics& dynamics, long& budget)
{
    const Op op = suspect.term->tape().instructions()[static_cast<std::size_t>(suspect.place)].op;
    Singularity found{.kind = suspect.kind,
                      .reach = Reach::NotSeen,
                      .role = formula.role,
                      .formula = formula.key,
                      .text = formula.formula->text(),
                      .function = name_of_function(op),
                      .time_only = suspect.time_only,
                      .exponent = {}};
    const bool measured = formula.role != Role::Contact && !suspect.time_only;
    const bool prescribes = suspect.kind == Kind::Kink && suspect.time_only && formula.role != Role::Forces &&
                            formula.role != Role::Limit;
    const auto look_for_jump = [&] {
        if (jumps_at(model, formula, start, *found.instant_s, settings.duration_s, dynamics))
            found.exponent = 0;
    };
    const double side = side_of(suspect, seen_by(formula, start));
    if (suspect.kind == Kind::Edge ? !(side > 0) : side == 0) {
        found.reach = Reach::AtStart;
        if (prescribes) {
            found.instant_s = start.t_s;
            look_for_jump();
        }
        if (measured) found.exponent = exponent_at(model, formula, dynamics, start, start);
        return found;
    }
    if (suspect.kind == Kind::Edge && suspect.time_only) {
        const detail::EdgeOnWay edge =
            detail::first_edge_in_time(suspect, seen_by(formula, start), settings.duration_s, budget);
        if (edge.weight) found.instant_s = start.t_s + *edge.weight * settings.duration_s;
        found.search_cut = edge.cut;
        if (found.instant_s) {
            found.reach = Reach::Crossed;
            found.unbounded = is_unbounded_near(formula, start, *found.instant_s, settings.duration_s);
        }
        return found;
    }
    if (prescribes) {
        found.instant_s = instant_of_kink(suspect, seen_by(formula, start), settings.duration_s);
        if (found.instant_s) {
            found.reach = Reach::Crossed;
            look_for_jump();
        }
        return found;
    }
    for (const State& sample : samples) {
        const double other = side_of(suspect, seen_by(formula, sample));
        if (std::isnan(other) || same_side(suspect, side, other)) continue;
        found.reach = Reach::Crossed;
        if (measured) {
            found.exponent = exponent_at(model, formula, dynamics, crossing(suspect, start, sample), sample);
        }
        break;
    }
    if (suspect.kind != Kind::Edge || found.reach != Reach::NotSeen) return found;
    if (const auto met = touched_edge(model, suspect, formula, start, samples, settings, budget)) {
        found.reach = Reach::Touched;
        if (measured) found.exponent = exponent_at(model, formula, dynamics, met->at, met->towards);
    }
    return found;
}

bool says_the_same(const Singularity& x, const Singularity& y)
{
    return x.formula == y.formula && x.function == y.function && x.kind == y.kind && x.reach == y.reach &&
           x.time_only == y.time_only && x.exponent == y.exponent && x.instant_s == y.instant_s &&
           x.search_cut == y.search_cut;
}

/// What a formula has in common with what was found is found of the same key, which comes last.
bool is_known(std::span<const Singularity> found, const Singularity& here)
{
    for (std::size_t k = found.size(); k > 0 && found[k - 1].formula == here.formula; --k) {
        if (says_the_same(found[k - 1], here)) return true;
    }
    return false;
}

}  // namespace

std::vector<Singularity> find_singularities(const Model& model, const State& start,
                                            const WellPosednessSettings& settings)
{
    const std::vector<State> samples = detail::sampled_states(model, start, settings);
    Dynamics dynamics(model);
    std::vector<Singularity> found;
    long budget = detail::instants_budget;
    for (const NamedFormula& formula : formulas_of(model)) {
        for (const Suspect& suspect : suspects_of(*formula.formula)) {
            Singularity here = examine(model, suspect, formula, start, samples, settings, dynamics, budget);
            if (!is_known(found, here)) found.push_back(std::move(here));
        }
    }
    return found;
}

std::vector<Singularity> find_singular_instants(const Model& model, const State& start, double duration_s)
{
    const WellPosednessSettings settings{.duration_s = duration_s, .samples = 0};
    Dynamics dynamics(model);
    std::vector<Singularity> found;
    long budget = detail::instants_budget;
    for (const NamedFormula& formula : formulas_of(model)) {
        for (const Suspect& suspect : suspects_of(*formula.formula)) {
            if (!suspect.time_only || suspect.kind != Kind::Edge) continue;
            Singularity here = examine(model, suspect, formula, start, {}, settings, dynamics, budget);
            if ((here.instant_s || here.search_cut) && !is_known(found, here))
                found.push_back(std::move(here));
        }
    }
    return found;
}

}  // namespace carom
