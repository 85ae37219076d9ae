#pragma once

#include "carom/expression/graph.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace carom {

/// Formulas from C++: a generic callable f(q, u, t) is called once with symbols in place of numbers, and the
/// operations that it performs become the same terms and tapes as those of a parsed formula.
///
///     const auto energy = [](const auto& q, const auto& u, auto t) {
///         using std::cos;
///         return u[0] * u[0] / 2 - 9.81 * cos(q[0]) + 0 * t;
///     };
///     const Formula formula = record(1, energy);                     // derivatives of any kind
///     const double value = energy(std::array{0.3}, std::array{1.0}, 0.0);  // the same text on numbers
///
/// Branches that depend on q, u or t have to be written as select(condition, a, b), min, max, abs or sign: an
/// `if` statement would be decided once. Symbols of different recordings do not mix (InternalError).

/// A number, or an expression of a recording.
class Symbol {
public:
    Symbol(double number = 0) noexcept : number_(number) {}
    Symbol(std::shared_ptr<Graph> graph, int node) noexcept : graph_(std::move(graph)), node_(node) {}

    Symbol& operator+=(const Symbol& y) { return *this = *this + y; }
    Symbol& operator-=(const Symbol& y) { return *this = *this - y; }
    Symbol& operator*=(const Symbol& y) { return *this = *this * y; }
    Symbol& operator/=(const Symbol& y) { return *this = *this / y; }

    friend Symbol operator+(const Symbol& x, const Symbol& y) { return combine(x, y, Op::Add); }
    friend Symbol operator-(const Symbol& x, const Symbol& y) { return combine(x, y, Op::Subtract); }
    friend Symbol operator*(const Symbol& x, const Symbol& y) { return combine(x, y, Op::Multiply); }
    friend Symbol operator/(const Symbol& x, const Symbol& y) { return combine(x, y, Op::Divide); }
    friend Symbol operator-(const Symbol& x) { return combine(x, Op::Negate); }
    friend Symbol operator+(const Symbol& x) { return x; }

    friend Symbol pow(const Symbol& x, const Symbol& y) { return combine(x, y, Op::Power); }
    friend Symbol sqrt(const Symbol& x) { return combine(x, Op::Sqrt); }
    friend Symbol exp(const Symbol& x) { return combine(x, Op::Exp); }
    friend Symbol log(const Symbol& x) { return combine(x, Op::Log); }
    friend Symbol sin(const Symbol& x) { return combine(x, Op::Sin); }
    friend Symbol cos(const Symbol& x) { return combine(x, Op::Cos); }
    friend Symbol tan(const Symbol& x) { return combine(x, Op::Tan); }
    friend Symbol asin(const Symbol& x) { return combine(x, Op::Asin); }
    friend Symbol acos(const Symbol& x) { return combine(x, Op::Acos); }
    friend Symbol atan(const Symbol& x) { return combine(x, Op::Atan); }
    friend Symbol sinh(const Symbol& x) { return combine(x, Op::Sinh); }
    friend Symbol cosh(const Symbol& x) { return combine(x, Op::Cosh); }
    friend Symbol tanh(const Symbol& x) { return combine(x, Op::Tanh); }
    friend Symbol atan2(const Symbol& y, const Symbol& x) { return combine(y, x, Op::Atan2); }
    friend Symbol hypot(const Symbol& x, const Symbol& y) { return combine(x, y, Op::Hypot); }
    friend Symbol abs(const Symbol& x) { return combine(x, Op::Abs); }
    friend Symbol fabs(const Symbol& x) { return combine(x, Op::Abs); }
    friend Symbol sign(const Symbol& x);
    friend Symbol min(const Symbol& x, const Symbol& y) { return combine(x, y, Op::Min); }
    friend Symbol max(const Symbol& x, const Symbol& y) { return combine(x, y, Op::Max); }
    [[nodiscard]] Symbol lookup(const std::shared_ptr<const Table>& table) const;

private:
    friend class Condition;
    friend Formula formula_of(const Symbol& result);

    static Symbol combine(const Symbol& x, Op op);
    static Symbol combine(const Symbol& x, const Symbol& y, Op op);
    static Symbol combine(const Symbol& x, const Symbol& y, const Symbol& z, Op op);

    /// Its node in a graph, where a plain number becomes a constant.
    [[nodiscard]] int node_in(const std::shared_ptr<Graph>& graph) const;

    std::shared_ptr<Graph> graph_;  ///< none for plain numbers
    int node_ = 0;
    double number_ = 0;
};

/// True or false, decided whenever the formula is evaluated; for select().
class Condition {
public:
    Condition(const Symbol& x, const Symbol& y, Op op) : truth_(Symbol::combine(x, y, op)) {}

    friend Condition operator&&(const Condition& x, const Condition& y)
    {
        return {x.truth_, y.truth_, Op::And};
    }
    friend Condition operator||(const Condition& x, const Condition& y)
    {
        return {x.truth_, y.truth_, Op::Or};
    }
    friend Condition operator!(const Condition& x) { return {x.truth_, Symbol(0), Op::Equal}; }

    [[nodiscard]] Symbol chosen(const Symbol& x, const Symbol& y) const
    {
        return Symbol::combine(truth_, x, y, Op::Select);
    }

private:
    Symbol truth_;
};

[[nodiscard]] inline Condition operator<(const Symbol& x, const Symbol& y)
{
    return {x, y, Op::Less};
}
[[nodiscard]] inline Condition operator<=(const Symbol& x, const Symbol& y)
{
    return {x, y, Op::LessEqual};
}
[[nodiscard]] inline Condition operator>(const Symbol& x, const Symbol& y)
{
    return y < x;
}
[[nodiscard]] inline Condition operator>=(const Symbol& x, const Symbol& y)
{
    return y <= x;
}

/// x where the condition holds, y elsewhere; and -1, 0 or 1. On symbols and on numbers, so that one text
/// serves both.
[[nodiscard]] inline Symbol select(const Condition& condition, const Symbol& x, const Symbol& y)
{
    return condition.chosen(x, y);
}
[[nodiscard]] inline double select(bool condition, double x, double y) noexcept
{
    return condition ? x : y;
}
[[nodiscard]] Symbol sign(const Symbol& x);
[[nodiscard]] inline double sign(double x) noexcept
{
    return detail::sign(x);
}

/// The formula that ends in `result`.
[[nodiscard]] Formula formula_of(const Symbol& result);

/// The symbols of one recording: q[i], u[i] and t.
struct Symbols {
    std::vector<Symbol> q;
    std::vector<Symbol> u;
    Symbol t;
};
[[nodiscard]] Symbols symbols(int coordinates);

/// The formula that the generic callable f(q, u, t) computes for a system of this many coordinates.
template <class F>
[[nodiscard]] Formula record(int coordinates, F&& f)
{
    const Symbols s = symbols(coordinates);
    return formula_of(Symbol(std::forward<F>(f)(s.q, s.u, s.t)));
}

}  // namespace carom
