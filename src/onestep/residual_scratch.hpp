#pragma once

#include "carom/onestep/residual.hpp"

#include <vector>

namespace carom {

/// Memory for residual(); reused between steps.
struct ResidualScratch {
    std::vector<double> U, s, F, d;
    std::vector<Factors::Block> blocks;  ///< with percussions in their velocities
};

[[nodiscard]] Residual residual(const OneStepProblem& problem, std::span<const double> P,
                                ResidualScratch& scratch);

/// The same for velocities U that are known otherwise, e.g. from those of the bodies: only the diagonal of W
/// is read.
[[nodiscard]] Residual residual_at(const OneStepProblem& problem, std::span<const double> P,
                                   std::span<const double> U, ResidualScratch& scratch);

}  // namespace carom
