#pragma once

#include "solver/block_lu.hpp"
#include "solver/budget.hpp"

#include <span>
#include <vector>

namespace carom {

/// Semismooth Newton steps on the function of Alart and Curnier, of the problem with a proximal term:
///
///     u = (W + sigma I) x + q - sigma centre
///     Phi_N = x_N - max(0, tau_N),              tau = x - rho u                                  (SO-8)
///     Phi_T = x_T - proj_{mu max(0, tau_N) D}(tau_T)
///
/// sigma > 0 makes the steps well defined where W is singular (redundant contacts).
///
/// Theory     docs/theory/solvers.md, (SO-8) function, (SO-9) proximal point
/// Papers     [AlartCurnier 1991], [JourdanAlartJean 1998]
class NewtonSteps {
public:
    /// `lu` has analysed the problem and serves until the next load.
    void load(const FlatProblem& problem, BlockLu& lu);

    /// x <- x + the full step; u is scratch. False where the matrix gave no finite step.
    [[nodiscard]] bool step(const FlatProblem& problem, double sigma, std::span<const double> centre,
                            std::span<double> x);

    /// The step alone, and |Phi|^2 at x: for a search along it.
    [[nodiscard]] bool direction(const FlatProblem& problem, double sigma, std::span<const double> centre,
                                 std::span<const double> x, std::span<double> dx);
    [[nodiscard]] double merit(const FlatProblem& problem, double sigma, std::span<const double> centre,
                               std::span<const double> x);

private:
    /// Phi of one contact, and the blocks of  dPhi = E dx + C du.
    void linearise(const FlatProblem& problem, int c, const double* x, const double* u, double* Phi,
                   double* E, double* C) const noexcept;

    BlockLu* lu_ = nullptr;
    std::vector<double> rho_;  ///< normal and tangential, per contact
    std::vector<double> u_, dx_;
};

/// Proximal point iteration with Newton inside (SO-9):
///
///     x_{k+1} solves the problem with  W + sigma I,  q - sigma x_k;      sigma falls while that succeeds
///
/// Where the iteration drifts (the error stays, x moves on), steps are lengthened in its direction (SO-10).
class ProximalNewton {
public:
    void load(const FlatProblem& problem, BlockLu& lu);

    static constexpr double first_sigma = 1e-2;

    /// x becomes the best point seen; returns the factorisations.
    int run(const FlatProblem& problem, const Budget& budget, std::span<double> x,
            double sigma = first_sigma);

    /// Follows the proximal points from `point`, with leaps along their drift, while the error does not rise
    /// much; `best` is replaced where a better point is met. Returns the factorisations.
    int follow(const FlatProblem& problem, const Budget& budget, double sigma, std::span<double> point,
               std::span<double> best);

    /// Full steps on one proximal problem, without a search: x becomes the best point seen if it is better.
    int full_steps(const FlatProblem& problem, double sigma, double tolerance, int max_steps,
                   std::span<double> x);

private:
    /// Minimises |Phi| from y with the centre there; y is in its cones after a success.
    bool solve_proximal(const FlatProblem& problem, double sigma, double goal, int& steps_left,
                        std::span<double> y);

    NewtonSteps steps_;
    std::vector<double> x_, y_, z_, centre_, dx_, trial_, best_, u_;
};

}  // namespace carom
