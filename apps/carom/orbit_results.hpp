#pragma once

#include "report/orbit_files.hpp"

#include <string>

namespace carom::app {

/// What commands about derivatives and orbits say to people.

[[nodiscard]] std::string text_of(const Scene& scene, const Sensitivities& result);

[[nodiscard]] std::string text_of(const Scene& scene, const OrbitOptions& options, const Orbit& orbit);

/// The first branch, and those that were switched to.
[[nodiscard]] std::string text_of(const Scene& scene, const std::vector<FollowedBranch>& branches);

[[nodiscard]] std::string text_of(const Scene& scene, const EquilibriumOptions& options,
                                  const Equilibria& found);

[[nodiscard]] std::string text_of(const Scene& scene, const Lyapunov& result);

}  // namespace carom::app
