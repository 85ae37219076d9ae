#pragma once

#include "carom/onestep/problem.hpp"

#include <optional>
#include <string>

namespace carom {

/// A proof that a one-step problem has no solution (Farkas): weights d with
///
///     d_N >= 0 at unilateral interactions,  any sign at firm ones,  zero elsewhere,
///     W d = 0   and   d . (U_free + s) < 0                                     (OS-11)
///
/// Whatever P acts, d . (U + s) = d . (U_free + s) < 0: some contact closes, or some constraint is not held.
/// s is the shift of restitution; friction takes no part, since it does not say how fast a contact may close.
///
/// Theory     docs/theory/one_step_problem.md, (OS-11) proof, (OS-12) what rounding leaves of it
struct NoSolutionProof {
    std::vector<double> d;          ///< flat, as P; the sum of the sizes is one
    std::vector<int> interactions;  ///< that contradict each other: those with a weight that counts
    double closing_m_s = 0;         ///< -d . (U_free + s): one of them is violated by at least this much
};

/// What an interaction asks of the velocity in its row k, whatever else acts.
enum class VelocityBound : char { None, NotNegative, NotPositive, Zero };

[[nodiscard]] VelocityBound velocity_bound(const Law& law, int k) noexcept;

/// U_free + s in its normal row, with the shift of restitution.
[[nodiscard]] double free_normal_velocity(const OneStepProblem& problem, int c) noexcept;

/// The proof given by `d`, or nothing. Rounding leaves W d small, not zero: it must be below 1e-13 of its
/// terms, and a solution would need percussions beyond 1e10 of those that stop the free velocities (OS-12).
[[nodiscard]] std::optional<NoSolutionProof> verified(const OneStepProblem& problem,
                                                      std::span<const double> d);

/// In words: "a, b and c contradict each other: whatever acts, ...". `names` are those of proof.interactions.
[[nodiscard]] std::string in_words(const NoSolutionProof& proof, std::span<const std::string> names);

}  // namespace carom
