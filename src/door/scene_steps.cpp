#include "scene_steps.hpp"

#include "scene/sweeping_steps.hpp"

namespace carom::detail {

std::unique_ptr<Steps> steps_of(const Scene& scene, const SolverSettings& solver, RunSoFar& run)
{
    if (scene.sweeping) return sweep_steps(scene.model, *scene.sweeping, run, scene.plan.duration_s);
    return carom::steps_of(scene.model, scene.integrator, solver, scene.plan, run, scene.start);
}

RunReport resume_run(const Scene& scene, const SolverSettings& solver, RunSoFar& run,
                     const StepListener& listener)
{
    const auto steps = steps_of(scene, solver, run);
    return run_to_end(*steps, {scene.model, solver, scene.plan, listener}, run);
}

}  // namespace carom::detail
