#pragma once

#include "drivers.hpp"

namespace carom::reference {

/// The driver of a family of derivatives, orbits, bifurcations or exponents; null when there is none.
[[nodiscard]] Driver orbit_driver_of(std::string_view family) noexcept;

// sensitivity_drivers.cpp
void sens_free(const Task& task, Answers& answers);
void sens_wall(const Task& task, Answers& answers);
void sens_ball(const Task& task, Answers& answers);
void sens_two_balls(const Task& task, Answers& answers);
void sens_oblique(const Task& task, Answers& answers);
void sens_stick_slip(const Task& task, Answers& answers);
void sens_chain(const Task& task, Answers& answers);
void sens_parabola(const Task& task, Answers& answers);
void sens_table(const Task& task, Answers& answers);
void sens_oscillator(const Task& task, Answers& answers);
void sens_slide(const Task& task, Answers& answers);
void sens_double_pendulum(const Task& task, Answers& answers);

// periodic_drivers.cpp
void orbit_oscillator(const Task& task, Answers& answers);
void orbit_table(const Task& task, Answers& answers);
void orbit_belt(const Task& task, Answers& answers);
void orbit_forced_belt(const Task& task, Answers& answers);
void orbit_rimless(const Task& task, Answers& answers);
void orbit_rocking(const Task& task, Answers& answers);
void orbit_chatter(const Task& task, Answers& answers);
void orbit_elastic(const Task& task, Answers& answers);

// branch_drivers.cpp
void flip_table(const Task& task, Answers& answers);
void fold_table(const Task& task, Answers& answers);
void branch_table(const Task& task, Answers& answers);
void branch_two_impacts(const Task& task, Answers& answers);
void flip_oscillator(const Task& task, Answers& answers);
void fold_oscillator(const Task& task, Answers& answers);
void branch_oscillator(const Task& task, Answers& answers);
void graze_orbit(const Task& task, Answers& answers);
void graze_oscillator(const Task& task, Answers& answers);
void stick_coulomb(const Task& task, Answers& answers);
void stick_inelastic(const Task& task, Answers& answers);

// lyapunov_drivers.cpp
void lyapunov_oscillator(const Task& task, Answers& answers);
void lyapunov_wedge(const Task& task, Answers& answers);

}  // namespace carom::reference
