#pragma once

#include "carom/solver/solve.hpp"
#include "solver/budget.hpp"

#include <array>
#include <memory>
#include <span>

namespace carom {

/// Problems whose operator is factors (OS-14), by kernels that need no more of W: round contacts four at once
/// (SO-23), others by their arms (SO-21), structures that stand by Newton's method in the space of the blocks
/// (SO-37). Kernels and their memory are private; made on first use.
///
/// Theory     docs/theory/solvers.md, (SO-20) to (SO-24), (SO-37); docs/theory/bodies.md, (BO-26)
class FactorSweeps {
public:
    /// Fewer interactions are solved quicker, and better, by methods that factorise.
    static constexpr std::size_t min_interactions = 200;

    FactorSweeps();
    ~FactorSweeps();
    FactorSweeps(FactorSweeps&&) noexcept;
    FactorSweeps& operator=(FactorSweeps&&) noexcept;

    /// P for U_free and laws of the problem, good or not; the report gets what was done. False where no
    /// kernel takes it: laws other than contacts with an isotropic cone, or rows between what does not move.
    [[nodiscard]] bool solve(const OneStepProblem& problem, const SolverSettings& settings,
                             std::span<double> P, SolveReport& report);

    /// A heap that all else left unsolved, from P on, by Newton's method in the space of the blocks, where
    /// counted factorisations are affordable (SO-37). False, with P as it was, where that does not reach the
    /// tolerance.
    [[nodiscard]] bool refine(const OneStepProblem& problem, const SolverSettings& settings,
                              std::span<double> P, SolveReport& report);

    /// Sweeps from P on, and nothing else. False as above.
    [[nodiscard]] bool sweep(const OneStepProblem& problem, const Budget& budget, std::span<double> P);

    /// Velocity of a block after that.
    [[nodiscard]] std::array<double, 3> velocity(int block) const;

private:
    struct Memory;
    [[nodiscard]] bool load(const OneStepProblem& problem, std::span<const double> P);
    [[nodiscard]] bool hold_structure(const OneStepProblem& problem, const SolverSettings& settings,
                                      std::span<double> P, SolveReport& report);

    std::unique_ptr<Memory> memory_;
};

}  // namespace carom
