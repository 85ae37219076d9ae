#pragma once

#include "carom/core/expected.hpp"
#include "carom/expression/tape.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// Formulas of the configuration q, the velocity u and the time t: text of scenes and generic callables of
/// C++ both become one `Formula`, a sum of terms, each with a tape that runs on several scalars.
///
/// Symbols    q_i  coordinate, in formulas by its name;  u_i  its velocity, in formulas name'
///            t    time, s
/// Theory     docs/theory/expressions.md, (EX-1) grammar, (EX-2) tape, (EX-3) chain rules

/// One variable of a formula.
struct Variable {
    enum class Kind { Coordinate, Velocity, Time };
    Kind kind{};
    int index = 0;  ///< of the coordinate; 0 for time

    friend bool operator==(const Variable&, const Variable&) = default;
    friend auto operator<=>(const Variable&, const Variable&) = default;
};

/// Where formulas are evaluated. The spans are indexed by coordinate.
struct Point {
    std::span<const double> q;
    std::span<const double> u;
    double t_s = 0;
};

/// Memory that evaluations need; kept by the caller so that repeated evaluation allocates nothing.
struct Workspace {
    std::vector<double> registers;
    std::vector<double> first, second;  ///< for callers of gradient() and hessian()

    /// Makes `first` and `second` large enough for the derivatives of a term of that many variables.
    void make_room(std::size_t variables)
    {
        if (first.size() < variables) first.resize(variables);
        const std::size_t pairs = variables * (variables + 1) / 2;
        if (second.size() < pairs) second.resize(pairs);
    }
};

/// One term of a sum: it is differentiated only in the variables that it names.
class Term {
public:
    Term(Tape tape, std::vector<Variable> variables);

    /// What the term names, sorted: coordinates by index, then velocities, then time.
    [[nodiscard]] std::span<const Variable> variables() const noexcept { return variables_; }
    [[nodiscard]] const Tape& tape() const noexcept { return tape_; }

    [[nodiscard]] double value(const Point& at, Workspace& work) const;

    /// Value, and the k first derivatives in the order of variables().
    double gradient(const Point& at, Workspace& work, std::span<double> first) const;

    /// Value, k first and k (k + 1) / 2 second derivatives; second holds the lower triangle by rows:
    /// (0,0), (1,0), (1,1), (2,0), ...
    double hessian(const Point& at, Workspace& work, std::span<double> first, std::span<double> second) const;

private:
    Tape tape_;
    std::vector<Variable> variables_;
};

/// A sum of terms. Copying is cheap: terms are shared and never change.
class Formula {
public:
    Formula() = default;  ///< the sum of no terms: zero
    Formula(std::vector<Term> terms, std::string text);

    [[nodiscard]] static Formula constant(double value);

    [[nodiscard]] std::span<const Term> terms() const noexcept;
    [[nodiscard]] double value(const Point& at, Workspace& work) const;

    /// The text it was read from; empty for formulas recorded from C++.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// Only functions that have a power series everywhere in their domain (no abs, min, max, sign, if,
    /// table).
    [[nodiscard]] bool analytic() const noexcept;
    [[nodiscard]] bool depends_on(Variable::Kind kind) const noexcept;

    /// Every term is homogeneous of degree two in the velocities, by its structure.
    [[nodiscard]] bool quadratic_in_velocities() const noexcept;

private:
    std::shared_ptr<const std::vector<Term>> terms_;
    std::string text_;
};

}  // namespace carom
