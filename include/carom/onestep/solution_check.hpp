#pragma once

#include "carom/onestep/problem.hpp"

#include <optional>
#include <string>

namespace carom {

/// What can be proved about percussions P that are claimed to solve a one-step problem, from
/// (P, W P + U_free) alone. Cones, errors and estimates are computed here a second time, by code that no
/// solver and no stopping test uses.
///
/// Symbols    F   natural map of (OS-3), after the scaling (OS-5)
///            b   bipotential: b(-U, P) + U.P = mu P_N |U_T| + U.P >= 0, zero where the law holds (OS-7)
/// Theory     docs/theory/one_step_problem.md, (OS-7) gap in joules, (OS-8) error hidden by a residual
/// Papers     [DeSaxceFeng 1998] for the bipotential

/// An interaction and its part of the residual.
struct ResidualCarrier {
    int interaction = -1;
    double share = 0;  ///< of |F|^2, in [0, 1]
};

struct SolutionCheck {
    bool finite = true;                     ///< false: NaN or infinity in P or U, and errors are infinite
    double unit_free = 0;                   ///< e_d (OS-5)
    double velocity = 0;                    ///< e_v (OS-9)
    double siconos = 0;                     ///< e_S (OS-4)
    double cone_violation_Ns = 0;           ///< worst |P_T| - mu P_N, or -P_N where that is more
    double penetration_m_s = 0;             ///< worst closing speed left
    double joint_speed_m_s = 0;             ///< worst speed left at a bilateral interaction
    double gap_J = 0;                       ///< sum of |b(-U, P) + U.P| over interactions (OS-7)
    std::vector<ResidualCarrier> carriers;  ///< the fewest that hold 90 % of |F|^2, the largest first
};

[[nodiscard]] SolutionCheck check_solution(const OneStepProblem& problem, std::span<const double> P);

/// Properties of W. In theory it is symmetric and positive semidefinite; data from elsewhere need not be.
struct OperatorCheck {
    double asymmetry = 0;  ///< |W - W^T| / |W|, Frobenius
    double largest = 0;    ///< eigenvalue of the symmetric part, scaled by (OS-5)
    double smallest = 0;   ///< likewise; above 1000 rows its power of ten only
    int negative = 0;      ///< eigenvalues below -1e-12 of the largest
};

[[nodiscard]] OperatorCheck check_operator(const OneStepProblem& problem);

/// How far the velocities of the solution may be from those of P although the residual is small (OS-8):
/// |W dP| / max(|U|, |U_free|) in the scaled norms, for the shortest step dP that would make the linearised
/// natural map vanish. A value near one means that the residual proves nothing. Absent above
/// `max_rows_for_hidden_error` rows, where the estimate would cost more than the solution.
inline constexpr int max_rows_for_hidden_error = 20000;
[[nodiscard]] std::optional<double> hidden_velocity_error(const OneStepProblem& problem,
                                                          std::span<const double> P);

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

/// What an interaction requires of the velocity in its row k, whatever else acts.
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
