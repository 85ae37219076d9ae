#pragma once

#include "carom/onestep/problem.hpp"

#include <string>

namespace carom {

/// How far given percussions are from solving the one-step problem. Computed from (P, W P + U_free) alone, by
/// code that no solver uses. With the natural map of every interaction
///
///     F_c = P_c - proj_C(P_c - rho (U_c + s_c))                                (OS-3)
///
/// Theory     docs/theory/one_step_problem.md, (OS-3) natural map, (OS-4) both errors, (OS-5) scaling,
///            (OS-9) velocity error, (OS-10) what counts as solved

struct Residual {
    double unit_free = 0;  ///< e_d: |F| / max(|U_free|, |P|, |U|) after scaling every interaction (OS-5)
    double velocity = 0;   ///< e_v: the same against velocities alone (OS-9), which percussions cannot hide
    double siconos = 0;    ///< e_S: the same with rho = 1 on the raw data, as Siconos reports it; mixes units
    double cone_violation_Ns = 0;  ///< worst distance of a P_c from C_c
    double approach_m_s = 0;       ///< worst closing speed U + s < 0 left at a unilateral interaction
    int worst = -1;                ///< interaction with the largest part of e_d; -1 when there is none
    bool finite = true;            ///< false: NaN or infinity somewhere, and all numbers above are infinite
};

/// Velocities must meet this many tolerances relative to their own size (OS-10): relative to the percussions
/// of high piles any error is small, and where no solution exists percussions grow without limit.
inline constexpr double velocity_tolerances = 10;

/// The smallest tolerance that both errors meet:  max(e_d, e_v / 10)  (OS-10).
[[nodiscard]] constexpr double solved_to(double unit_free, double velocity) noexcept
{
    const double by_velocity = velocity / velocity_tolerances;
    return unit_free > by_velocity ? unit_free : by_velocity;
}
[[nodiscard]] constexpr double solved_to(const Residual& residual) noexcept
{
    return solved_to(residual.unit_free, residual.velocity);
}

/// What "solved" means, for every solver and every system (OS-10).
[[nodiscard]] constexpr bool is_solved(const Residual& residual, double tolerance) noexcept
{
    return residual.finite && solved_to(residual) <= tolerance;
}

/// Which errors missed their tolerance, in words: "the velocity error is 2.1e-03, the limit is 1e-07".
[[nodiscard]] std::string shortfall(const Residual& residual, double tolerance);

[[nodiscard]] Residual residual(const OneStepProblem& problem, std::span<const double> P);

}  // namespace carom
