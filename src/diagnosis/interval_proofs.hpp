#pragma once

#include "carom/diagnosis/well_posedness.hpp"

#include <initializer_list>

namespace carom::detail {

/// What intervals prove for all admissible configurations, not only for those that a search met (WP-9).
///
/// Boxes of configurations are halved until, in each of them, a position that constraints hold cannot vanish,
/// a gap is negative, or elimination with intervals shows that the gradients of everything that may be closed
/// there are independent. Coordinates are unbounded; those that occur only below sin and cos run through one
/// turn. What is not shown within the budget of boxes is not refuted by that.
struct Proofs {
    bool gradients_independent = false;  ///< of closed contacts together with all firm constraints (WP-1)
    bool metric_positive = false;        ///< A(q) is positive definite for every q
    bool metric_bounded = false;         ///< and so are A and its inverse, by one number for all q
};

[[nodiscard]] Proofs prove_hypotheses(const Model& model, const State& start,
                                      const WellPosednessSettings& settings);

/// The derivatives in all variables of these kinds are numbers: intervals show it for all values of all
/// variables.
[[nodiscard]] bool has_constant_gradient(const Formula& formula, std::initializer_list<Variable::Kind> kinds);

/// A bound of the power with which F - dV/dq grows with distance and speed (WP-6), from the structure of the
/// formulas; infinity where it tells nothing. For a metric that is bounded.
[[nodiscard]] double degree_of_forces(const Model& model);

}  // namespace carom::detail
