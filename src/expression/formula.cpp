#include "carom/expression/formula.hpp"

#include "expression/homogeneity.hpp"
#include "expression/term.hpp"
#include "series/dual.hpp"

#include <algorithm>

namespace carom {

namespace {

/// Doubles that one evaluation may take; longer duals are computed in several passes of few directions
/// (EX-8).
constexpr std::size_t memory_limit = std::size_t{1} << 22U;
constexpr int pass_width = 6;  ///< directions of such a pass: the widest dual whose loops unroll

[[noreturn, gnu::cold, gnu::noinline]] void throw_too_few()
{
    throw InternalError("a formula is evaluated at a point with too few coordinates");
}

inline double input(const Variable& variable, const Point& at)
{
    if (variable.kind == Variable::Kind::Time) return at.t_s;
    const std::span<const double>& values = variable.kind == Variable::Kind::Coordinate ? at.q : at.u;
    const auto index = static_cast<std::size_t>(variable.index);
    if (index >= values.size()) throw_too_few();
    return values[index];
}

/// Values of the variables at the start of the workspace; behind them room for the registers.
inline double* inputs_at(const Term& term, const Point& at, Workspace& work, std::size_t doubles_per_register)
{
    const auto variables = term.variables();
    const std::size_t needed =
        variables.size() + static_cast<std::size_t>(term.tape().size()) * doubles_per_register;
    if (work.registers.size() < needed) work.registers.resize(needed);
    double* const registers = work.registers.data();
    double* next = registers;
    for (const Variable& variable : variables)
        *next++ = input(variable, at);
    return registers;
}

/// A term that is one variable alone, or one number: no tape has to run.
inline bool is_single(const Term& term)
{
    return term.tape().size() == 1;
}
inline double single_value(const Term& term, const Point& at)
{
    const Instruction& it = term.tape().instructions().front();
    return it.op == Op::Variable ? input(term.variables()[static_cast<std::size_t>(it.a)], at) : it.number;
}

/// Calls f with registers of the width that fits, known at compile time up to six.
template <int Order, class F>
void with_registers(double* memory, const double* inputs, Directions directions, F f)
{
    const auto call = [&]<int Width>() {
        DualRegisters<Order, Width> registers(memory, inputs, directions);
        f(registers);
    };
    switch (directions.width()) {
    case 1: return call.template operator()<1>();
    case 2: return call.template operator()<2>();
    case 3: return call.template operator()<3>();
    case 4: return call.template operator()<4>();
    case 5: return call.template operator()<5>();
    case 6: return call.template operator()<6>();
    default: return call.template operator()<any_width>();
    }
}

/// One run in the given directions; returns the value, hands the result's derivatives to `take`.
template <int Order, class Take>
double differentiate(const Term& term, const Point& at, Workspace& work, Directions directions, Take take)
{
    const int k = static_cast<int>(term.variables().size());
    double* const inputs =
        inputs_at(term, at, work, dual_size(Order, static_cast<std::size_t>(directions.width())));
    double value = 0;
    with_registers<Order>(inputs + k, inputs, directions, [&](auto& registers) {
        run(term.tape(), registers);
        const int result = term.tape().size() - 1;
        value = registers.value(result);
        take(registers.first(result), registers.second(result));
    });
    return value;
}

bool fits_in_one_pass(const Term& term, int order)
{
    return static_cast<std::size_t>(term.tape().size()) * dual_size(order, term.variables().size()) <=
           memory_limit;
}

double gradient_in_passes(const Term& term, const Point& at, Workspace& work, std::span<double> first)
{
    const int k = static_cast<int>(term.variables().size());
    double value = 0;
    for (int begin = 0; begin < k; begin += pass_width) {
        const Directions directions{.first = begin, .count = std::min(pass_width, k - begin)};
        value = differentiate<1>(term, at, work, directions, [&](const double* f_r, const double*) {
            std::copy_n(f_r, directions.count, first.begin() + begin);
        });
    }
    return value;
}

/// Second derivatives of all pairs of variables, half of each pass's directions from one block, half from
/// another.
double hessian_in_passes(const Term& term, const Point& at, Workspace& work, std::span<double> first,
                         std::span<double> second)
{
    const int k = static_cast<int>(term.variables().size());
    constexpr int block = pass_width / 2;
    const auto store = [&](const Directions& directions, const double* f_r, const double* f_rs) {
        for (int r = 0; r < directions.width(); ++r) {
            const auto input_of = [&](int d) {
                return static_cast<std::size_t>(
                    d < directions.count ? directions.first + d : directions.second + d - directions.count);
            };
            const std::size_t i = input_of(r);
            first[i] = f_r[r];
            for (int s = 0; s <= r; ++s)
                second[i * (i + 1) / 2 + input_of(s)] = *f_rs++;
        }
    };
    double value = 0;
    for (int low = 0; low + block < k; low += block) {
        for (int high = low + block; high < k; high += block) {
            const Directions directions{
                .first = low, .count = block, .second = high, .second_count = std::min(block, k - high)};
            value = differentiate<2>(term, at, work, directions, [&](const double* f_r, const double* f_rs) {
                store(directions, f_r, f_rs);
            });
        }
    }
    return value;
}

/// Value and both derivatives of a term like m/2 x^2: one variable, squared or not, times and over numbers.
/// Its numbers stay out of memory. False for any other term.
bool monomial(const Term& term, const Point& at, double& value, double& first, double& second)
{
    constexpr int longest = 5;
    if (term.variables().size() != 1 || term.tape().size() > longest) return false;
    double x = 0, x_r = 0, x_rr = 0;
    std::int32_t last = -1;
    for (const Instruction& it : term.tape().instructions()) {
        if (it.op != Op::Variable && it.a != last) return false;
        switch (it.op) {
        case Op::Variable:
            if (last >= 0) return false;
            x = input(term.variables().front(), at);
            x_r = 1;
            break;
        case Op::Square:
            x_rr = 2 * x_r * x_r + 2 * x * x_rr;
            x_r = 2 * x * x_r;
            x = x * x;
            break;
        case Op::Scale:
            x = it.number * x;
            x_r = it.number * x_r;
            x_rr = it.number * x_rr;
            break;
        case Op::DivideBy:
            x = x / it.number;
            x_r = x_r / it.number;
            x_rr = x_rr / it.number;
            break;
        default: return false;
        }
        ++last;
    }
    value = x;
    first = x_r;
    second = x_rr;
    return true;
}

}  // namespace

Term::Term(Tape tape, std::vector<Variable> variables)
    : tape_(std::move(tape)), variables_(std::move(variables))
{
    for (const Instruction& it : tape_.instructions()) {
        if (it.op == Op::Variable && (it.a < 0 || static_cast<std::size_t>(it.a) >= variables_.size()))
            throw InternalError("a tape reads an input that its term does not name");
    }
}

double Term::value(const Point& at, Workspace& work) const
{
    if (is_single(*this)) return single_value(*this, at);
    double* const inputs = inputs_at(*this, at, work, 1);
    DualRegisters<0> registers(inputs + variables_.size(), inputs);
    run(tape_, registers);
    return registers.value(tape_.size() - 1);
}

double Term::gradient(const Point& at, Workspace& work, std::span<double> first) const
{
    const std::size_t k = variables_.size();
    if (first.size() < k) throw InternalError("too little room for a gradient");
    if (k == 0) return value(at, work);
    if (is_single(*this)) {
        first[0] = 1;
        return single_value(*this, at);
    }
    if (!fits_in_one_pass(*this, 1)) return gradient_in_passes(*this, at, work, first);
    return differentiate<1>(*this, at, work, {.count = static_cast<int>(k)},
                            [&](const double* f_r, const double*) { std::copy_n(f_r, k, first.begin()); });
}

double Term::hessian(const Point& at, Workspace& work, std::span<double> first,
                     std::span<double> second) const
{
    const std::size_t k = variables_.size();
    if (first.size() < k || second.size() < k * (k + 1) / 2)
        throw InternalError("too little room for a Hessian");
    if (k == 0) return value(at, work);
    if (double f = 0; monomial(*this, at, f, first[0], second[0])) return f;
    if (!fits_in_one_pass(*this, 2)) return hessian_in_passes(*this, at, work, first, second);
    return differentiate<2>(*this, at, work, {.count = static_cast<int>(k)},
                            [&](const double* f_r, const double* f_rs) {
                                std::copy_n(f_r, k, first.begin());
                                std::copy_n(f_rs, k * (k + 1) / 2, second.begin());
                            });
}

Formula::Formula(std::vector<Term> terms, std::string text)
    : terms_(std::make_shared<const std::vector<Term>>(std::move(terms))), text_(std::move(text))
{
}

Formula Formula::constant(double value)
{
    std::vector<Term> terms;
    terms.emplace_back(Tape({{.op = Op::Constant, .number = value}}, {}), std::vector<Variable>{});
    return {std::move(terms), {}};
}

std::span<const Term> Formula::terms() const noexcept
{
    return terms_ ? std::span<const Term>(*terms_) : std::span<const Term>{};
}

double Formula::value(const Point& at) const
{
    Workspace work;
    return value(at, work);
}

double Formula::value(const Point& at, Workspace& work) const
{
    double sum = 0;
    for (const Term& term : terms())
        sum += term.value(at, work);
    return sum;
}

bool Formula::analytic() const noexcept
{
    return std::ranges::all_of(terms(), [](const Term& term) { return term.tape().analytic(); });
}

bool Formula::depends_on(Variable::Kind kind) const noexcept
{
    const auto names_kind = [kind](const Term& term) {
        return std::ranges::any_of(term.variables(), [kind](const Variable& v) { return v.kind == kind; });
    };
    return std::ranges::any_of(terms(), names_kind);
}

bool Formula::quadratic_in_velocities() const noexcept
{
    return std::ranges::all_of(terms(), [](const Term& term) { return homogeneous_in_velocities(term, 2); });
}

}  // namespace carom
