#pragma once

#include "carom/onestep/problem.hpp"

#include <array>
#include <span>

namespace carom::detail {

/// The errors of contacts with isotropic friction in space, four at once. Every number is computed as it
/// would be for one contact, by the same operations in the same order.

/// What the errors of (OS-5) need of four contacts, and what (OS-9) needs afterwards.
struct DiscErrors {
    using Lanes = std::array<double, 4>;
    std::array<Lanes, 3> s;                                 ///< shifts
    Lanes d;                                                ///< scaling
    Lanes raw, scaled;                                      ///< |F|^2
    Lanes U_free2, P2, U2;                                  ///< |.|^2
    Lanes scaled_U_free2, scaled_P2, scaled_U2, scaled_s2;  ///< of s the part of restitution
    Lanes outside, approach;  ///< distance of P from its cone; -(U + s)_N without friction
};

/// Whether c and the three interactions behind it are such contacts; there are as many.
[[nodiscard]] bool are_discs(const OneStepProblem& problem, int c);

void measure_discs(const OneStepProblem& problem, int c, std::span<const double> P, std::span<const double> U,
                   DiscErrors& result);

/// |F^v|^2 of (OS-9), with the shifts and scalings that measure_discs has found.
[[nodiscard]] std::array<double, 4> velocity_errors2(const OneStepProblem& problem, int c,
                                                     std::span<const double> P, std::span<const double> U,
                                                     std::span<const double> s, std::span<const double> d,
                                                     double velocities);

}  // namespace carom::detail
