#pragma once

#include "carom/run/run.hpp"
#include "stepping/scratch.hpp"

namespace carom {

/// One step by the scheme of the settings.
[[nodiscard]] StepReport step(const Model& model, const IntegratorSettings& settings,
                              const SolverSettings& solver, State& state, Scratch& scratch);

}  // namespace carom
