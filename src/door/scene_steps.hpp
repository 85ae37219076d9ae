#pragma once

#include "carom/scene/scene.hpp"
#include "run/progress.hpp"
#include "run/run_loop.hpp"

namespace carom::detail {

/// A run of a scene of any kind between two steps.
struct SceneRun {
    RunSoFar run;
    BodyState bodies;  ///< where they are, in a scene that has them
};

/// Before the first step, from the start of the scene.
[[nodiscard]] SceneRun start_of(const Scene& scene);

/// Its steps, from where it is. Scene, solver and run must live as long as they do.
[[nodiscard]] std::unique_ptr<Steps> steps_of(const Scene& scene, const SolverSettings& solver,
                                              SceneRun& so_far);

/// Goes on with it to its end.
[[nodiscard]] RunReport resume_run(const Scene& scene, const SolverSettings& solver, SceneRun& so_far,
                                   const StepListener& listener);

}  // namespace carom::detail
