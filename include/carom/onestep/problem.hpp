#pragma once

#include "carom/core/expected.hpp"
#include "carom/law/law.hpp"
#include "carom/onestep/block_sparse.hpp"

#include <Eigen/Dense>

#include <span>
#include <vector>

namespace carom {

/// The one-step problem: find the percussions P of one step with
///
///     U = W P + U_free                                                         (OS-1)
///     -(U_c + s_c) in N_{C_c}(P_c)      for every interaction c                (OS-2)
///
/// Symbols    W = H A^-1 H^T   Delassus operator, 1/kg, symmetric, positive semidefinite
///            U_free           local velocities if nothing acted, m/s;  U_minus  those before the step
///            P                percussions, N s; flat, interaction c at offsets[c] .. offsets[c + 1]
/// Theory     docs/theory/one_step_problem.md
struct OneStepProblem {
    std::vector<Law> laws;
    std::vector<int> offsets{0};  ///< one more than laws
    BlockSparse W;
    std::vector<double> U_free;
    std::vector<double> U_minus;

    [[nodiscard]] int interactions() const noexcept { return static_cast<int>(laws.size()); }
    [[nodiscard]] int size() const noexcept { return offsets.back(); }

    /// The part of a flat vector that belongs to interaction c.
    template <class T>
    [[nodiscard]] std::span<T> part(std::span<T> flat, int c) const noexcept
    {
        return flat.subspan(static_cast<std::size_t>(offsets[c]),
                            static_cast<std::size_t>(offsets[c + 1] - offsets[c]));
    }
};

/// A problem from dense data, as tests, small studies and bindings write it; sizes and laws are checked.
[[nodiscard]] Expected<OneStepProblem> make_problem(const Eigen::MatrixXd& W, const Eigen::VectorXd& U_free,
                                                    const Eigen::VectorXd& U_minus, std::vector<Law> laws);

/// U = W P + U_free.
void local_velocity(const OneStepProblem& problem, std::span<const double> P, std::span<double> U) noexcept;

}  // namespace carom
