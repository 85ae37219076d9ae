#pragma once

#include "carom/scene/sweeping_scene.hpp"
#include "run/run_loop.hpp"

namespace carom::detail {

/// Steps of a sweeping process. What they are given must live as long as they do.
[[nodiscard]] std::unique_ptr<Steps> sweep_steps(const Model& model, const SweepingPlan& sweeping,
                                                 const RunSoFar& run, double duration_s);

}  // namespace carom::detail
