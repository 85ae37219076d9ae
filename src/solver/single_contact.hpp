#pragma once

#include "carom/onestep/problem.hpp"
#include "solver/one_contact.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace carom {

/// A contact that nothing else acts on, exactly (OC-4). False where it has no such solution: P_c is of no use
/// then.
inline bool solve_single(const OneStepProblem& problem, int c, std::span<double> P)
{
    const auto W = problem.W.diagonal(c);
    const auto P_c = problem.part(P, c);
    const auto first = static_cast<std::size_t>(problem.offsets[c]);
    const auto d = P_c.size();
    if (!is_unilateral(problem.laws[c]) || !(W[0] > 0) || d > 3) return false;
    std::array<double, 3> b{};
    std::copy_n(problem.U_free.begin() + static_cast<std::ptrdiff_t>(first), d, b.begin());
    b[0] += restitution(problem.laws[c]) * std::min(problem.U_minus[first], 0.0);
    const auto* coulomb = std::get_if<Coulomb>(&problem.laws[c]);
    if (coulomb == nullptr) {
        P_c[0] = std::max(0.0, -b[0] / W[0]);
        return d == 1;
    }
    for (std::size_t k = 1; k < d; ++k) {
        b[k] += coulomb->tangential_restitution * problem.U_minus[first + k];
    }
    return solve_one_contact(*coulomb, W, std::span(b).first(d), P_c) != ContactStatus::None;
}

}  // namespace carom
