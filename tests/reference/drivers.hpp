#pragma once

#include "answers.hpp"
#include "reference_case.hpp"

#include <string_view>

namespace carom::reference {

/// A driver sets up the system of one family through the interfaces that users have, runs it, and measures
/// what the outputs ask for. It knows no formula of an answer, and a Task holds no reference.
using Driver = void (*)(const Task& task, Answers& answers);

/// The driver of a family; null when there is none.
[[nodiscard]] Driver driver_of(std::string_view family) noexcept;

// one driver a file, in drivers/
void drive_cone(const Task& task, Answers& answers);
void drive_shock(const Task& task, Answers& answers);
void drive_corner(const Task& task, Answers& answers);
void drive_speed_bound(const Task& task, Answers& answers);
void drive_power_balance(const Task& task, Answers& answers);
void drive_falling_steps(const Task& task, Answers& answers);
void drive_correction(const Task& task, Answers& answers);
void drive_dissipation_index(const Task& task, Answers& answers);
void drive_viability(const Task& task, Answers& answers);
void drive_no_jump(const Task& task, Answers& answers);
void drive_double_pendulum(const Task& task, Answers& answers);
void drive_double_impact(const Task& task, Answers& answers);
void drive_cradle(const Task& task, Answers& answers);
void drive_bouncing_particle(const Task& task, Answers& answers);
void drive_bouncing_ball(const Task& task, Answers& answers);
void drive_grazing(const Task& task, Answers& answers);
void drive_energy_inequality(const Task& task, Answers& answers);
void drive_pendulum_wall(const Task& task, Answers& answers);
void drive_wedge(const Task& task, Answers& answers);
void drive_delassus(const Task& task, Answers& answers);
void drive_string(const Task& task, Answers& answers);
void drive_slack_string(const Task& task, Answers& answers);
void drive_cylinder(const Task& task, Answers& answers);
void drive_blow_up(const Task& task, Answers& answers);
void drive_follower_pendulum(const Task& task, Answers& answers);
void drive_flutter(const Task& task, Answers& answers);
void drive_reversed_particle(const Task& task, Answers& answers);
void drive_stack(const Task& task, Answers& answers);
void drive_chain(const Task& task, Answers& answers);
void drive_atwood(const Task& task, Answers& answers);
void drive_ladder(const Task& task, Answers& answers);
void drive_square_billiard(const Task& task, Answers& answers);
void drive_triangle_billiard(const Task& task, Answers& answers);
void drive_parabola_billiard(const Task& task, Answers& answers);
void drive_collision_count(const Task& task, Answers& answers);
void drive_impact_oscillator(const Task& task, Answers& answers);
void drive_bouncing_table(const Task& task, Answers& answers);
void drive_oblique_impact(const Task& task, Answers& answers);
void drive_rolling(const Task& task, Answers& answers);
void drive_disc_on_incline(const Task& task, Answers& answers);
void drive_block_on_incline(const Task& task, Answers& answers);
void drive_masse(const Task& task, Answers& answers);
void drive_coulomb_oscillator(const Task& task, Answers& answers);
void drive_belt(const Task& task, Answers& answers);
void drive_rod_impact(const Task& task, Answers& answers);
void drive_kerb(const Task& task, Answers& answers);
void drive_falling_rod(const Task& task, Answers& answers);
void drive_painleve_rod(const Task& task, Answers& answers);
void drive_woodpecker(const Task& task, Answers& answers);
void drive_slider_crank(const Task& task, Answers& answers);
void drive_rocking_block(const Task& task, Answers& answers);
void drive_cards(const Task& task, Answers& answers);
void drive_tilted_block(const Task& task, Answers& answers);
void drive_three_cylinders(const Task& task, Answers& answers);
void drive_friction_steps(const Task& task, Answers& answers);
void drive_incline_steps(const Task& task, Answers& answers);
void drive_frictional_jump(const Task& task, Answers& answers);
void drive_locking_threshold(const Task& task, Answers& answers);
void drive_projected_cone(const Task& task, Answers& answers);
void drive_particle_impact(const Task& task, Answers& answers);
void drive_thrown_particle(const Task& task, Answers& answers);
void drive_inclined_plane(const Task& task, Answers& answers);
void drive_bowl(const Task& task, Answers& answers);
void drive_rough_cylinder(const Task& task, Answers& answers);
void drive_klarbring(const Task& task, Answers& answers);
void drive_spring_chain(const Task& task, Answers& answers);
void drive_catastrophe(const Task& task, Answers& answers);
void drive_vibrating_table(const Task& task, Answers& answers);
void drive_table_slide(const Task& task, Answers& answers);
void drive_contact_work(const Task& task, Answers& answers);
void drive_moving_disc(const Task& task, Answers& answers);
void drive_turning_half_plane(const Task& task, Answers& answers);
void drive_play(const Task& task, Answers& answers);
void drive_regularised_landing(const Task& task, Answers& answers);
void drive_dependent_constraints(const Task& task, Answers& answers);
void drive_rolling_ball(const Task& task, Answers& answers);
void drive_ball_holonomy(const Task& task, Answers& answers);
void drive_freewheel(const Task& task, Answers& answers);
void drive_particle_on_cylinder(const Task& task, Answers& answers);
void drive_particle_on_paraboloid(const Task& task, Answers& answers);
void drive_table_feet(const Task& task, Answers& answers);
void drive_sliding_bar(const Task& task, Answers& answers);
void drive_bar_between_rails(const Task& task, Answers& answers);

}  // namespace carom::reference
