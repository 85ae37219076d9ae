#pragma once

#include "carom/scene/sweeping_scene.hpp"
#include "run/run_loop.hpp"

namespace carom {

/// Continues a sweep to the end of its plan and calls listeners after every step; an instant of a jump
/// belongs to the step that ends there. The certificate: `max_penetration_m` is the largest distance of the
/// point to its set, in units of the point; `Certified` that every nearest point was found and every
/// controlled step met its tolerance. Events: the set starts and stops pushing (SW-11). A run resumed between
/// any two steps ends bit for bit as if it had never been interrupted.
[[nodiscard]] RunReport sweep(const Model& model, const SweepingPlan& sweeping, const RunPlan& plan,
                              RunSoFar& run, const StepListener& listener = {});

}  // namespace carom

namespace carom::detail {

/// Steps of a sweeping process. What they are given must live as long as they do.
[[nodiscard]] std::unique_ptr<Steps> sweep_steps(const Model& model, const SweepingPlan& sweeping,
                                                 const RunSoFar& run, double duration_s);

}  // namespace carom::detail
