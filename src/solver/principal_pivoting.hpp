#pragma once

#include "carom/onestep/problem.hpp"
#include "solver/passive_factor.hpp"

#include <atomic>
#include <span>
#include <vector>

namespace carom {

/// Exact solver for one-step problems whose laws have one component, unilateral, bilateral or limited: the
/// mixed complementarity problem
///
///     0 <= P_i  perp  U_i + s_i >= 0  (unilateral),     U_i = 0  (bilateral),     U = W P + U_free
///     low <= P_i <= high,   U_i >= 0 at low,  U_i <= 0 at high,  U_i = 0 between   (limited)
///
/// W may be singular (redundant contacts). A proximal point iteration (SO-2) makes each subproblem strictly
/// convex, block principal pivoting (SO-1) solves it in finitely many sparse factorisations; the set of
/// acting contacts found last is where the next solve begins.
///
/// Theory     docs/theory/solvers.md;  method of [Judice Pires 1994] with Murty's least-index rule as a
///            safeguard
class PrincipalPivoting {
public:
    /// Solves in place, warm started by P; returns the number of factorisations. Whether it succeeded is for
    /// residual() to say. `stop` ends it between two factorisations.
    int solve(const OneStepProblem& problem, std::span<double> P, const std::atomic<bool>* stop = nullptr);

    /// Where no solution exists: the direction in which the percussions of (SO-2) grow for ever, and the
    /// velocities at which interactions are violated meanwhile, the least there are (SO-25). False where they
    /// settle instead.
    bool growth(const OneStepProblem& problem, std::span<double> direction, std::span<double> velocities);

private:
    void load(const OneStepProblem& problem, std::span<const double> P);
    int pivot(std::span<const double> b);
    void solve_on_passive(std::span<const double> b);
    void collect_infeasible(double tolerance);
    void exchange(std::size_t first);
    void load_law(const Law& law, std::size_t i);
    [[nodiscard]] double error() const;
    [[nodiscard]] double row_sum(double first, std::size_t i) const;

    SymmetricCsr W_;             ///< scaled so that the diagonal is one
    std::vector<double> scale_;  ///< x = P / scale, b = scale (U_free + s)
    std::vector<double> b_, b_prox_, x_, y_;
    std::vector<double> low_, high_;  ///< bounds of x
    std::vector<char> place_;         ///< where x_i is, see the source
    bool has_limits_ = false;         ///< some bound is neither zero nor infinite
    std::vector<int> passive_, infeasible_;
    PassiveFactor factor_;
    const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace carom
