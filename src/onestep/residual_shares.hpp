#pragma once

#include "onestep/residual_scratch.hpp"

namespace carom {

/// How the interactions share the unit-free error: |F_c| over the scale of e_d, one number each, so that the
/// squares sum to e_d^2 (OS-4). Velocities as in residual_at(). Empty where something is not finite.
void residual_shares(const OneStepProblem& problem, std::span<const double> P, std::span<const double> U,
                     ResidualScratch& scratch, std::vector<double>& shares);

}  // namespace carom
