#pragma once

#include "carom/scene/scene.hpp"
#include "run/progress.hpp"
#include "run/run_loop.hpp"

namespace carom::detail {

/// Steps of a scene of any kind, from where the run is. Scene, solver and run must live as long as they do.
[[nodiscard]] std::unique_ptr<Steps> steps_of(const Scene& scene, const SolverSettings& solver,
                                              RunSoFar& run);

/// Goes on with it to its end.
[[nodiscard]] RunReport resume_run(const Scene& scene, const SolverSettings& solver, RunSoFar& run,
                                   const StepListener& listener);

}  // namespace carom::detail
