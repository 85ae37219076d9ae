#pragma once

#include "simulation.hpp"

/// Systems that time-stepping and series drive alike; their numbers are those of the task.
namespace carom::reference {

/// A unit mass in the unit square with elastic walls.
[[nodiscard]] Model square_billiard(const Task& task);

/// A unit mass under gravity above the elastic floor y = x^2 / 2.
[[nodiscard]] Model parabola_billiard(const Task& task);

/// A unit mass in space above the rough plane z = 0, no force.
[[nodiscard]] Model particle_on_obstacle(const Task& task);

/// A mass on a spring, pressed by N on a belt of the velocity vb.
[[nodiscard]] Model mass_on_belt(const Task& task);

/// The contact's tangent points along +u_t where its obstacle is above: n = -e_n.
[[nodiscard]] Model klarbring_particle(const Task& task);

/// n unit masses in a row on a floor, neighbours joined by springs, the first to a support that moves.
[[nodiscard]] Model row_of_masses(const Task& task, int n);

}  // namespace carom::reference
