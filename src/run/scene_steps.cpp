#include "scene_steps.hpp"

#include "carom/scene/sweeping_scene.hpp"

namespace carom::detail {

SceneRun start_of(const Scene& scene)
{
    return {.run = start_run(scene.model, scene.start),
            .bodies = scene.bodies ? scene.bodies->start : BodyState{}};
}

RunReport go_on(const Scene& scene, const SolverSettings& solver, SceneRun& so_far,
                const StepListener& listener)
{
    switch (kind_of(scene)) {
    case SceneKind::Sweeping: return sweep(scene.model, *scene.sweeping, scene.plan, so_far.run, listener);
    case SceneKind::Bodies:
        return carom::go_on(scene.bodies->model, scene.model, scene.bodies->integrator, solver, scene.plan,
                            so_far.bodies, so_far.run, listener);
    case SceneKind::Coordinates: break;
    }
    return carom::go_on(scene.model, scene.integrator, solver, scene.plan, so_far.run, listener);
}

}  // namespace carom::detail
