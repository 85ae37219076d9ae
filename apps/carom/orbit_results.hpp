#pragma once

#include "carom/carom.hpp"

#include <string>

namespace carom::app {

/// What commands about derivatives and orbits print and write.

[[nodiscard]] std::string json_of(const Scene& scene, const Sensitivities& result);
[[nodiscard]] std::string text_of(const Scene& scene, const Sensitivities& result);

[[nodiscard]] std::string json_of(const Scene& scene, const OrbitOptions& options, const Orbit& orbit);
[[nodiscard]] std::string text_of(const Scene& scene, const OrbitOptions& options, const Orbit& orbit);

[[nodiscard]] std::string json_of(const Scene& scene, const BranchOptions& options, const Branch& branch);
[[nodiscard]] std::string text_of(const Scene& scene, const BranchOptions& options, const Branch& branch);

[[nodiscard]] std::string json_of(const Scene& scene, const Lyapunov& result);
[[nodiscard]] std::string text_of(const Scene& scene, const Lyapunov& result);

/// One line per orbit: parameter, period, stability, extrema, multipliers.
[[nodiscard]] std::string csv_of(const Scene& scene, const BranchOptions& options, const Branch& branch);

/// The bifurcation diagram of the first coordinate: its largest values, unstable orbits dashed, special
/// points marked.
[[nodiscard]] std::string svg_of(const Scene& scene, const BranchOptions& options, const Branch& branch);

}  // namespace carom::app
