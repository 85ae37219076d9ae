#pragma once

#include "onestep/residual_scratch.hpp"

#include <memory>
#include <span>

namespace carom {

/// Newton's method on the natural map (OS-3) of a small problem with any laws (SO-22):
///
///     F_c = P_c - proj_C(P_c - rho_c (U_c + s_c)) = 0,     J = dF/dP + dF/dU W
///
/// dF/dP and dF/dU of a block are closed forms where it has one component and differences elsewhere, so that
/// a new set needs nothing but its projection. It is meant for a start near the solution, after sweeps.
///
/// Theory     docs/theory/solvers.md, (SO-22)
class NaturalNewton {
public:
    NaturalNewton();
    ~NaturalNewton();
    NaturalNewton(NaturalNewton&&) noexcept;
    NaturalNewton& operator=(NaturalNewton&&) noexcept;

    /// Rows that are worth a dense factor.
    static constexpr int max_rows = 400;

    /// Brings P nearer to the solution, or leaves it as it was.
    void polish(const OneStepProblem& problem, std::span<double> P, ResidualScratch& scratch);

private:
    struct Memory;
    std::unique_ptr<Memory> memory_;
};

}  // namespace carom
