#pragma once

#include "carom/onestep/problem.hpp"

#include <span>

namespace carom {

/// P_c of an interaction while all others keep theirs (SO-3), exactly where its law has a closed form. `U` is
/// its velocity with P as it is. Of the problem its law, U_minus and the diagonal block of W are read.
void solve_interaction(const OneStepProblem& problem, int c, std::span<const double> U, std::span<double> P);

}  // namespace carom
