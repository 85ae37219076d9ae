#pragma once

#include <algorithm>
#include <limits>

namespace carom {

/// What is left of |F^v| (OS-9) above the rounding of U = W P + U_free, all in the units of (OS-5):
///
///     max(0, |F^v| - r),    r = 4 eps |P|,    where r <= 1e-6 V (OS-13)
///
/// Percussions are known to eps of themselves, and so are the velocities that they make. Under what is 1e8
/// times as heavy no better velocity can be written down. Where r is more than that, nothing is taken off:
/// percussions that large hide velocities, and may be those of a problem without a solution.
///
/// Theory     docs/theory/one_step_problem.md, (OS-13)
[[nodiscard]] inline double above_rounding(double F, double percussions, double velocities) noexcept
{
    // a component of W P is a sum of some tens of terms, whose roundings add up as their root
    constexpr double roundings = 4, largest = 1e-6;
    const double rounding = roundings * std::numeric_limits<double>::epsilon() * percussions;
    return rounding <= largest * velocities ? std::max(0.0, F - rounding) : F;
}

}  // namespace carom
