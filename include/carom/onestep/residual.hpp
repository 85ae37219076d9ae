#pragma once

#include "carom/onestep/problem.hpp"

namespace carom {

/// How far given percussions are from solving the one-step problem. Computed from (P, W P + U_free) alone, by
/// code that no solver uses. With the natural map of every interaction
///
///     F_c = P_c - proj_C(P_c - rho (U_c + s_c))                                (OS-3)
///
/// Theory     docs/theory/one_step_problem.md, (OS-3) natural map, (OS-4) both errors, (OS-5) scaling

struct Residual {
    double unit_free = 0;  ///< e_d: |F| / max(|U_free|, |P|, |U|) after scaling every interaction (OS-5)
    double velocity = 0;   ///< |F| / max(|U_free|, |U|, |s|), scaled: large percussions do not hide it
    double siconos = 0;    ///< e_S: the same with rho = 1 on the raw data, as Siconos reports it; mixes units
    double cone_violation_Ns = 0;  ///< worst distance of a P_c from C_c
    double approach_m_s = 0;       ///< worst closing speed U + s < 0 left at a unilateral interaction
    int worst = -1;                ///< interaction with the largest part of e_d; -1 when there is none
    bool finite = true;            ///< false: NaN or infinity somewhere, and all numbers above are infinite
};

/// Memory for residual(); reused between steps.
struct ResidualScratch {
    std::vector<double> U, s, F;
};

[[nodiscard]] Residual residual(const OneStepProblem& problem, std::span<const double> P,
                                ResidualScratch& scratch);
[[nodiscard]] Residual residual(const OneStepProblem& problem, std::span<const double> P);

/// The same for velocities U that are known otherwise, e.g. from those of the bodies: of W only the diagonal
/// is read, so nothing else of it need be there.
[[nodiscard]] Residual residual_at(const OneStepProblem& problem, std::span<const double> P,
                                   std::span<const double> U, ResidualScratch& scratch);

}  // namespace carom
