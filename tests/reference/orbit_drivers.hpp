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

}  // namespace carom::reference
