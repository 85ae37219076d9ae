#pragma once

#include "carom/core/expected.hpp"

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

struct Workspace;  // memory of evaluations
class Term;        // of the sum, with its program

/// A sum of terms. Copying is cheap: terms are shared and never change.
class Formula {
public:
    Formula() = default;  ///< the sum of no terms: zero
    Formula(std::vector<Term> terms, std::string text);

    [[nodiscard]] static Formula constant(double value);

    [[nodiscard]] std::span<const Term> terms() const noexcept;
    [[nodiscard]] double value(const Point& at) const;
    [[nodiscard]] double value(const Point& at, Workspace& work) const;  ///< without allocating

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
