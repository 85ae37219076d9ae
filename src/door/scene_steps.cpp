#include "scene_steps.hpp"

#include "scene/scene_bodies.hpp"
#include "scene/sweeping_steps.hpp"

namespace carom::detail {

SceneRun start_of(const Scene& scene)
{
    return {.run = start_run(scene.model, scene.start),
            .bodies = scene.bodies ? scene.bodies->start : BodyState{}};
}

std::unique_ptr<Steps> steps_of(const Scene& scene, const SolverSettings& solver, SceneRun& so_far)
{
    switch (kind_of(scene)) {
    case SceneKind::Sweeping:
        return sweep_steps(scene.model, *scene.sweeping, so_far.run, scene.plan.duration_s);
    case SceneKind::Bodies:
        return body_steps(scene.model, scene.integrator, solver, scene.plan, so_far.bodies, so_far.run,
                          scene.start);
    case SceneKind::Coordinates: break;
    }
    return coordinate_steps(scene.model, scene.integrator, solver, scene.plan, so_far.run, scene.start);
}

RunReport resume_run(const Scene& scene, const SolverSettings& solver, SceneRun& so_far,
                     const StepListener& listener)
{
    const auto steps = steps_of(scene, solver, so_far);
    return run_to_end(*steps, {scene.model, solver, scene.plan, listener}, so_far.run);
}

}  // namespace carom::detail
