#pragma once

#include "carom/solver/block_lu.hpp"

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
    /// Chooses the elimination order; once per problem.
    void load(const FlatProblem& problem);

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
    void linearise(const FlatProblem& problem, int c, const double* x, const double* u, double* Phi, double* E,
                   double* C) const noexcept;

    BlockLu lu_;
    std::vector<double> rho_;  ///< normal and tangential, per contact
    std::vector<double> u_, dx_;
};

}  // namespace carom
