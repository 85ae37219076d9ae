#pragma once

#include "carom/expression/formula.hpp"
#include "expression/tape.hpp"
#include "expression/workspace.hpp"

#include <span>
#include <vector>

namespace carom {

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

}  // namespace carom
