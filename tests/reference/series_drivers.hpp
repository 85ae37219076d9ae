#pragma once

#include "drivers.hpp"

namespace carom::reference {

/// The driver of a family that uses the series integrator; null when there is none.
[[nodiscard]] Driver series_driver_of(std::string_view family) noexcept;

// in drivers/series_smooth.cpp
void series_cube_root(const Task& task, Answers& answers);
void series_blow_up(const Task& task, Answers& answers);
void series_follower(const Task& task, Answers& answers);
void series_cylinder(const Task& task, Answers& answers);

// in drivers/series_bounces.cpp
void series_pressed_particle(const Task& task, Answers& answers);
void series_bouncing_ball(const Task& task, Answers& answers);
void series_double_pendulum(const Task& task, Answers& answers);
void series_impact_oscillator(const Task& task, Answers& answers);

// in drivers/series_billiards.cpp
void series_collision_count(const Task& task, Answers& answers);
void series_square_billiard(const Task& task, Answers& answers);
void series_triangle_billiard(const Task& task, Answers& answers);
void series_parabola(const Task& task, Answers& answers);

// in drivers/series_table.cpp and drivers/series_collapse.cpp
void series_bouncing_table(const Task& task, Answers& answers);
void series_collapse(const Task& task, Answers& answers);

// in drivers/series_friction.cpp
void series_smooth_force(const Task& task, Answers& answers);
void series_status_line(const Task& task, Answers& answers);
void series_status_plane(const Task& task, Answers& answers);
void series_status_cascade(const Task& task, Answers& answers);
void series_particle_impact(const Task& task, Answers& answers);
void series_thrown_particle(const Task& task, Answers& answers);
void series_inclined_plane(const Task& task, Answers& answers);
void series_bowl(const Task& task, Answers& answers);
void series_rough_cylinder(const Task& task, Answers& answers);
void series_klarbring(const Task& task, Answers& answers);
void series_spring_chain(const Task& task, Answers& answers);
void series_coulomb_oscillator(const Task& task, Answers& answers);
void series_belt(const Task& task, Answers& answers);

}  // namespace carom::reference
