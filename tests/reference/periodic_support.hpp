#pragma once

#include "answers.hpp"
#include "orbit_scenes.hpp"

#include "carom/orbit/periodic.hpp"

#include <complex>
#include <vector>

namespace carom::reference {

/// The orbit; DriverFailure where there is none.
[[nodiscard]] Orbit orbit_or_fail(const Scene& scene, const OrbitOptions& options);

/// Events of one kind behind the start, in the order of time.
[[nodiscard]] std::vector<SensitiveEvent> events_of(const Orbit& orbit, EventKind kind);

/// As many multipliers as are asked for, [re, im] each; directions that closed contacts forbid count as 0.
[[nodiscard]] Json multipliers_json(std::vector<std::complex<double>> multipliers, std::size_t count);

/// Fold and period doubling of the one-impact orbits of a ball on a table.
void give_table_limits(const Task& task, const OrbitScene& family, Answers& answers);

}  // namespace carom::reference
