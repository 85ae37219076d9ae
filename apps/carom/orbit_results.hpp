#pragma once

#include "orbit_files.hpp"

#include <string>

namespace carom::app {

/// What commands about derivatives and orbits print and write.

[[nodiscard]] std::string json_of(const Scene& scene, const Sensitivities& result);
[[nodiscard]] std::string text_of(const Scene& scene, const Sensitivities& result);

[[nodiscard]] std::string json_of(const Scene& scene, const OrbitOptions& options, const Orbit& orbit);
[[nodiscard]] std::string text_of(const Scene& scene, const OrbitOptions& options, const Orbit& orbit);

/// The first branch, and those that were switched to.
[[nodiscard]] std::string json_of(const Scene& scene, const std::vector<FollowedBranch>& branches);
[[nodiscard]] std::string text_of(const Scene& scene, const std::vector<FollowedBranch>& branches);

[[nodiscard]] std::string json_of(const Scene& scene, const EquilibriumOptions& options,
                                  const Equilibria& found);
[[nodiscard]] std::string text_of(const Scene& scene, const EquilibriumOptions& options,
                                  const Equilibria& found);

[[nodiscard]] std::string json_of(const Scene& scene, const Lyapunov& result);
[[nodiscard]] std::string text_of(const Scene& scene, const Lyapunov& result);

}  // namespace carom::app
