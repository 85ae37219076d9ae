#pragma once

#include "solver/block_lu.hpp"
#include "solver/budget.hpp"

#include <span>
#include <vector>

namespace carom {

/// Alternating direction method of multipliers with a spectral penalty (SO-17):
///
///     (W + (rho + eta) I) r = -(q + s) + xi + rho y + eta r_old,      s = mu |xi_T| e_N
///     y = proj_K(r - xi / rho),        xi <- xi - rho (r - y)
///
/// One factorisation per value of rho, which is sqrt(m L) (L / m)^p with the largest eigenvalue L of W and a
/// floor m; p follows the ratio of the two residuals. Good on standing structures.
///
/// Theory     docs/theory/solvers.md, (SO-17)
/// Papers     [CarpentierLeLidecMontaut 2024]
class Admm {
public:
    /// `lu` has analysed the problem and serves until the next load.
    void load(const FlatProblem& problem, BlockLu& lu);

    /// x becomes the best y seen; returns the iterations.
    int run(const FlatProblem& problem, const Budget& budget, std::span<double> x);

private:
    void factorise(const FlatProblem& problem);
    [[nodiscard]] double largest_eigenvalue(const FlatProblem& problem);

    BlockLu* lu_ = nullptr;
    double rho_ = 1, exponent_ = 0, largest_ = 1;
    std::vector<double> r_, y_, y_last_, xi_, right_, u_;
};

/// Accelerated projected gradients (SO-18): Nesterov's extrapolation with restarts and a step found by
/// backtracking, the shift s taken from the point where the gradient is. Only products with W and
/// projections.
///
/// Theory     docs/theory/solvers.md, (SO-18)
/// Papers     [MazharHeynNegrutTasora 2015], [ODonoghueCandes 2015]
class AcceleratedGradients {
public:
    int run(const FlatProblem& problem, const Budget& budget, std::span<double> x);

private:
    std::vector<double> y_, next_, gradient_, Wnext_, u_, last_;
};

}  // namespace carom
