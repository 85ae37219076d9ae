#pragma once

#include "constraint_parts.hpp"

namespace carom {

/// size times a set of R as its two ends, the law of one component.
[[nodiscard]] Limited interval_of(const ConvexSet& set, double size);

/// Solves s.problem as it is.
void solve_once(const SolverSettings& solver, Scratch& scratch, StepReport& report);

/// Solves s.problem; where reactions press limits, the quasi-variational inequality (CO-8), by a fixed point:
/// without contacts the generalised normal reactions do not depend on friction, and one pass is exact.
void solve_with_pressures(const Model& model, const ConstraintSolve& step, const SolverSettings& solver,
                          Scratch& scratch, StepReport& report);

}  // namespace carom
