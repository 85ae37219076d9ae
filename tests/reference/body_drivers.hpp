#pragma once

#include "drivers.hpp"

namespace carom::reference {

/// The driver of a family that computes with bodies, as shapes instead of coordinates; null when there is
/// none.
[[nodiscard]] Driver body_driver_of(std::string_view family) noexcept;

/// Whether that driver takes more than some seconds.
[[nodiscard]] bool is_slow(std::string_view family) noexcept;

// in drivers/body_statics.cpp
void body_ball_column(const Task& task, Answers& answers);
void body_three_cylinders(const Task& task, Answers& answers);
void body_cards(const Task& task, Answers& answers);
void body_tilted_block(const Task& task, Answers& answers);
void body_overhang(const Task& task, Answers& answers);

// in drivers/body_impacts.cpp
void body_oblique_impact(const Task& task, Answers& answers);
void body_cradle(const Task& task, Answers& answers);
void body_kerb(const Task& task, Answers& answers);

// in drivers/body_crank.cpp
void body_slider_crank(const Task& task, Answers& answers);

// in drivers/body_rocking.cpp
void body_rocking_block(const Task& task, Answers& answers);

// in drivers/body_rolling.cpp
void body_rolling(const Task& task, Answers& answers);
void body_rolling_ball(const Task& task, Answers& answers);
void body_ball_holonomy(const Task& task, Answers& answers);
void body_table_feet(const Task& task, Answers& answers);

// in drivers/body_arch.cpp
void body_arch(const Task& task, Answers& answers);

// in drivers/body_disc.cpp
void body_euler_disc(const Task& task, Answers& answers);

// in drivers/body_collapse.cpp
void body_column_collapse(const Task& task, Answers& answers);

// in drivers/body_packing.cpp
void body_packing(const Task& task, Answers& answers);

}  // namespace carom::reference
