#pragma once

#include "carom/system/lagrangian/model.hpp"

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
/// How large R_N is must not depend on how phi is written: it is measured as a force, by the lengths that phi
/// changes with (CO-12).
///
/// Theory     docs/theory/constraints.md
/// Papers     [Ballard 2002] 6.1, 6.3, examples 11, 13 and 14

/// k of the velocity row of a constraint with one, for the limit that is pressed: how the tangential reaction
/// changes the normal one, all firm constraints taken together.
[[nodiscard]] double coulomb_coupling_at(const Model& model, const State& state, int constraint);

/// F with |R_N|^2 = lambda^T F lambda, in newtons, for the reactions lambda of the positions that `normal`
/// holds: F = G G^T, G the derivatives of phi by the coordinates that are lengths. Where two bodies meet,
/// coordinates whose derivatives are opposite in all rows of both constraints count once: what acts on one
/// reacts on the other. Without any length reactions count as they are written. (CO-12)
[[nodiscard]] Eigen::MatrixXd normal_force_metric(const Model& model, const Point& at, int normal,
                                                  int rubbing, Workspace& work);

/// The same from rows that are known: of the held positions of `normal` and of the velocities of `rubbing`,
/// each in the order of the support of its constraint.
using KnownRows = std::span<const std::span<const double>>;
[[nodiscard]] Eigen::MatrixXd normal_force_metric(const Model& model, int normal, KnownRows N, int rubbing,
                                                  KnownRows T);

/// The interval (CO-9) for mu |k| < 1.
[[nodiscard]] Limited coulomb_interval(double mu, double R_N0, double k);

}  // namespace carom
