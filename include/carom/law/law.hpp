#pragma once

#include "carom/core/expected.hpp"

#include <span>
#include <variant>

namespace carom {

/// Laws of interactions. Every law is one normal-cone inclusion
///
///     -(U + s) in N_C(P)                                                       (LA-1)
///
/// with a closed convex set C of percussions and a shift s of the local velocity. A law holds numbers;
/// the model evaluates formulas (a restitution that depends on q and u-) before the step.
///
/// Symbols    U    local velocity after the step, m/s;  U > 0 separates
///            U^-  local velocity before, with the same H and b;  P  percussion, N s;  P >= 0 pushes apart
///            e    restitution in [0, 1], dimensionless
/// Theory     docs/theory/laws.md, (LA-1) inclusion, (LA-2) unilateral, (LA-3) bilateral, (LA-4) dissipation
/// index Papers     [Moreau 1983] 5, [Moreau 1988] 8-10, [Ballard 2002] 3

/// Frictionless unilateral contact (LA-2):  C = { P >= 0 },  s = e min(U^-, 0).
/// e = 0 is Moreau's standard inelastic shock; one e for all contacts is Ballard's canonical law.
struct Unilateral {
    double restitution = 0;  ///< e, in [0, 1]
};

/// Firm bilateral constraint (LA-3):  C = R,  s = 0, hence U = 0 whatever P it takes.
struct Bilateral {};

using Law = std::variant<Unilateral, Bilateral>;

/// Number of components of U and P.
[[nodiscard]] int dimension(const Law& law) noexcept;

/// Refuses numbers outside their range: e > 1 would create energy and lose uniqueness (B02, counter-example
/// 6).
[[nodiscard]] Expected<void> check(const Law& law);

/// Nearest point of C to P, Euclidean norm, in place.
void project_on_set(const Law& law, std::span<double> P) noexcept;

/// The shift s of (LA-1) for the velocity before and after.
void velocity_shift(const Law& law, std::span<const double> U_minus, std::span<const double> U,
                    std::span<double> s) noexcept;

/// e = (1 - delta) / (1 + delta) of Moreau's dissipation index delta in [0, 1] (LA-4): 1 is soft, 0 elastic.
[[nodiscard]] Expected<double> restitution_of_dissipation_index(double delta);

}  // namespace carom
