#include "carom/door/inspect.hpp"

#include "carom/scene/sweeping_scene.hpp"
#include "inspections.hpp"
#include "trace/recorded_status.hpp"

#include <cmath>

namespace carom {

using detail::inspect_coordinates;

SceneInspection detail::inspect_coordinates(const Scene& scene)
{
    const WellPosednessSettings settings{.length_m = scene.length_m,
                                         .duration_s = scene.plan.duration_s,
                                         .gap_tolerance_m = 1e-9 * scene.length_m};
    SceneInspection result{diagnose_well_posedness(scene.model, scene.start, settings), {}};
    if (const auto* series = std::get_if<SeriesSettings>(&scene.integrator)) {
        if (auto statuses = explain_statuses(scene.model, *series, scene.start)) result.statuses = *statuses;
    }
    return result;
}

Inspection inspect(const Scene& scene)
{
    switch (kind_of(scene)) {
    case SceneKind::Sweeping: return SweepInspection{.one_solution = !scene.sweeping->depends_on_point};
    case SceneKind::Bodies: return detail::inspect_bodies(scene);
    case SceneKind::Coordinates: break;
    }
    return inspect_coordinates(scene);
}

bool is_good(const Inspection& inspection)
{
    if (const auto* sweep = std::get_if<SweepInspection>(&inspection)) return sweep->one_solution;
    if (const auto* bodies = std::get_if<BodyInspection>(&inspection)) return !bodies->overlaps;
    return std::get<SceneInspection>(inspection).theory.well_posed();
}

RunInspection inspect(const Recording& recording)
{
    RunInspection run{.status = status_of(recording),
                      .certificate = certificate_of(recording),
                      .findings = findings_of(recording),
                      .worst_step = 0,
                      .reached_s = recording.start_s,
                      .tolerance = {},
                      .theory = {},
                      .is_sweep = false};
    if (recording.frames() > 0) run.reached_s = recording.time_s[recording.frames() - 1];

    // certificates know when the worst step ended; steps end at start + n h, the last one perhaps earlier
    const double steps = (run.certificate.max_residual_time_s - recording.start_s) / recording.time_step_s;
    if (run.certificate.max_residual > 0) run.worst_step = std::lround(std::ceil(steps - 1e-6));

    // a scene with tables in files cannot be read from its text alone; then its promise is left out
    if (const auto scene = read_scene_text(recording.scene_text, "scene of the recording")) {
        run.is_sweep = scene->sweeping != nullptr;
        if (run.is_sweep) return run;
        run.tolerance = scene->solver.tolerance;
        if (!scene->bodies) run.theory = inspect_coordinates(*scene).theory;
    }
    return run;
}

}  // namespace carom
