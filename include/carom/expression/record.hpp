#pragma once

#include "carom/expression/formula.hpp"
#include "carom/expression/vocabulary.hpp"

#include <cstdint>
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

class Graph;                   // of the recording
enum class Op : std::uint8_t;  // what the operations become

/// A number, or an expression of a recording.
class Symbol {
public:
    Symbol(double number = 0) noexcept : number_(number) {}
    Symbol(std::shared_ptr<Graph> graph, int node) noexcept : graph_(std::move(graph)), node_(node) {}

    Symbol& operator+=(const Symbol& y) { return *this = *this + y; }
    Symbol& operator-=(const Symbol& y) { return *this = *this - y; }
    Symbol& operator*=(const Symbol& y) { return *this = *this * y; }
    Symbol& operator/=(const Symbol& y) { return *this = *this / y; }

    friend Symbol operator+(const Symbol& x, const Symbol& y);
    friend Symbol operator-(const Symbol& x, const Symbol& y);
    friend Symbol operator*(const Symbol& x, const Symbol& y);
    friend Symbol operator/(const Symbol& x, const Symbol& y);
    friend Symbol operator-(const Symbol& x);
    friend Symbol operator+(const Symbol& x) { return x; }

    friend Symbol pow(const Symbol& x, const Symbol& y);
    friend Symbol sqrt(const Symbol& x);
    friend Symbol exp(const Symbol& x);
    friend Symbol log(const Symbol& x);
    friend Symbol sin(const Symbol& x);
    friend Symbol cos(const Symbol& x);
    friend Symbol tan(const Symbol& x);
    friend Symbol asin(const Symbol& x);
    friend Symbol acos(const Symbol& x);
    friend Symbol atan(const Symbol& x);
    friend Symbol sinh(const Symbol& x);
    friend Symbol cosh(const Symbol& x);
    friend Symbol tanh(const Symbol& x);
    friend Symbol atan2(const Symbol& y, const Symbol& x);
    friend Symbol hypot(const Symbol& x, const Symbol& y);
    friend Symbol abs(const Symbol& x);
    friend Symbol fabs(const Symbol& x);
    friend Symbol sign(const Symbol& x);
    friend Symbol min(const Symbol& x, const Symbol& y);
    friend Symbol max(const Symbol& x, const Symbol& y);
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
    Condition(const Symbol& x, const Symbol& y, Op op);

    friend Condition operator&&(const Condition& x, const Condition& y);
    friend Condition operator||(const Condition& x, const Condition& y);
    friend Condition operator!(const Condition& x);

    [[nodiscard]] Symbol chosen(const Symbol& x, const Symbol& y) const;

private:
    Symbol truth_;
};

[[nodiscard]] Condition operator<(const Symbol& x, const Symbol& y);
[[nodiscard]] Condition operator<=(const Symbol& x, const Symbol& y);
[[nodiscard]] Condition equal(const Symbol& x, const Symbol& y);  ///< == is for numbers
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
[[nodiscard]] double sign(double x) noexcept;

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
