#include "drivers.hpp"

#include <algorithm>
#include <array>

namespace carom::reference {
namespace {

struct Entry {
    std::string_view family;
    Driver driver;
};

// clang-format off
constexpr std::array registry = {
    Entry{"M83-CONE-1", drive_cone},
    Entry{"M83-SHOCK", drive_shock},
    Entry{"M83-CORNER", drive_corner},
    Entry{"M83-SPEED", drive_speed_bound},
    Entry{"M83-POWER", drive_power_balance},
    Entry{"M88-SCHEME-1", drive_falling_steps},
    Entry{"M88-CORR", drive_correction},
    Entry{"M88-DISS-1", drive_dissipation_index},
    Entry{"M88-VIAB", drive_viability},
    Entry{"M88-NOJUMP", drive_no_jump},
    Entry{"B-EX8-1", drive_double_pendulum},
    Entry{"B-EX8-MULTI", drive_double_impact},
    Entry{"B-CRADLE", drive_cradle},
    Entry{"B-CE6", drive_bouncing_particle},
    Entry{"B-ZENO", drive_bouncing_ball},
    Entry{"B-P10", drive_grazing},
    Entry{"B-P11", drive_energy_inequality},
    Entry{"C-PEND", drive_pendulum_wall},
    Entry{"C-WEDGE", drive_wedge},
    Entry{"C-DELASSUS", drive_delassus},
    Entry{"M83-STRING", drive_string},
    Entry{"M83-SLACK", drive_slack_string},
    Entry{"M88-LEAVE", drive_cylinder},
    Entry{"B-CE2", drive_blow_up},
    Entry{"B-EX4-1", drive_follower_pendulum},
    Entry{"B-EX4-FLUTTER", drive_flutter},
    Entry{"B-CE6R", drive_reversed_particle},
    Entry{"C-STACK-1", drive_stack},
    Entry{"C-CHAIN", drive_chain},
    Entry{"C-ATWOOD", drive_atwood},
    Entry{"C-LADDER", drive_ladder},
    Entry{"C-BILL-1", drive_square_billiard},
    Entry{"C-BILL-3", drive_triangle_billiard},
    Entry{"C-PARAB", drive_parabola_billiard},
    Entry{"C-PI", drive_collision_count},
    Entry{"C-IMPOSC", drive_impact_oscillator},
    Entry{"C-BTABLE", drive_bouncing_table},
    Entry{"C-OBL", drive_oblique_impact},
    Entry{"C-ROLL", drive_rolling},
    Entry{"C-INCL", drive_disc_on_incline},
    Entry{"C-BLOCK", drive_block_on_incline},
    Entry{"C-MASSE", drive_masse},
    Entry{"C-DENHART", drive_coulomb_oscillator},
    Entry{"C-BELT", drive_belt},
    Entry{"C-ROD", drive_rod_impact},
    Entry{"C-STEP", drive_kerb},
    Entry{"C-FALLROD", drive_falling_rod},
    Entry{"C-PAIN-1", drive_painleve_rod},
    Entry{"C-WOOD", drive_woodpecker},
    Entry{"C-CRANK", drive_slider_crank},
    Entry{"C-ROCK", drive_rocking_block},
    Entry{"C-CARDS", drive_cards},
    Entry{"C-TOPPLE", drive_tilted_block},
    Entry{"C-3CYL", drive_three_cylinders},
    Entry{"M88-SCHEME-4", drive_friction_steps},
    Entry{"M88-SCHEME-5", drive_incline_steps},
    Entry{"M88-JUMP-1", drive_frictional_jump},
    Entry{"M88-JUMP-CAT", drive_locking_threshold},
    Entry{"M88-PROJ", drive_projected_cone},
    Entry{"CB-IMP", drive_particle_impact},
    Entry{"CB-BOUNCE", drive_thrown_particle},
    Entry{"CB-INCLINE3D", drive_inclined_plane},
    Entry{"CB-BOWL", drive_bowl},
    Entry{"CB-CYL", drive_rough_cylinder},
    Entry{"CB-KLAR", drive_klarbring},
    Entry{"CB-CHAIN", drive_spring_chain},
    Entry{"M88-CAT", drive_catastrophe},
    Entry{"M88-TABLE-M", drive_vibrating_table},
    Entry{"M88-TABLE-M5", drive_table_slide},
    Entry{"CB-ENERGY", drive_contact_work},
    Entry{"M83-SWEEP-1", drive_moving_disc},
    Entry{"M83-SWEEP-3", drive_turning_half_plane},
    Entry{"M83-SWEEP-4", drive_play},
    Entry{"M83-YOSIDA", drive_regularised_landing},
    Entry{"B-CE3", drive_dependent_constraints},
    Entry{"B-EX9-1", drive_rolling_ball},
    Entry{"B-EX9-HOL", drive_ball_holonomy},
    Entry{"B-EX10", drive_freewheel},
    Entry{"B-EX11-1", drive_particle_on_cylinder},
    Entry{"B-EX11-3", drive_particle_on_paraboloid},
    Entry{"B-EX12", drive_table_feet},
    Entry{"B-EX13", drive_sliding_bar},
    Entry{"B-EX14", drive_bar_between_rails},
};
// clang-format on

}  // namespace

Driver driver_of(std::string_view family) noexcept
{
    const auto* found = std::find_if(registry.begin(), registry.end(),
                                     [&](const Entry& entry) { return entry.family == family; });
    return found == registry.end() ? nullptr : found->driver;
}

}  // namespace carom::reference
