#pragma once

#include "carom/model/model.hpp"

namespace carom {

/// Friction of constraints as the reactions are, and as Ballard generalises it.
///
///     R = R_T alpha + R_N dphi = R_T alpha_1 + R_N^0 dphi,     alpha_1 = alpha + k dphi orthogonal to dphi
///     R_N = R_N^0 + k R_T                                                      (CO-8)
///     |R_T| <= mu |R_N^0 + k R_T|                                              (CO-9)
///
/// R_N^0 is the generalised normal reaction, which friction does not change. The set (CO-9) of Coulomb's law
/// is an interval where mu |k| < 1 and the complement of one where not: then a motion may be missing, or not
/// the only one, or lock.
///
/// Theory     docs/theory/constraints.md
/// Papers     [Ballard 2002] 6.3, examples 13 and 14

/// k of the velocity row of a constraint with one, for the limit that is pressed: how the tangential reaction
/// changes the normal one, all firm constraints taken together.
[[nodiscard]] double coulomb_coupling_at(const Model& model, const State& state, int constraint);

/// The interval (CO-9) for mu |k| < 1.
[[nodiscard]] Limited coulomb_interval(double mu, double R_N0, double k);

}  // namespace carom
