#include "series_drivers.hpp"

#include "orbit_drivers.hpp"

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
    Entry{"B-CE1", series_cube_root},
    Entry{"B-CE2", series_blow_up},
    Entry{"B-EX4-1", series_follower},
    Entry{"B-CE6", series_pressed_particle},
    Entry{"B-ZENO", series_bouncing_ball},
    Entry{"B-CE7", series_smooth_force},
    Entry{"B-EX8-1", series_double_pendulum},
    Entry{"B-EX8-MULTI", drive_double_impact},
    Entry{"C-PI", series_collision_count},
    Entry{"C-BILL-1", series_square_billiard},
    Entry{"C-BILL-3", series_triangle_billiard},
    Entry{"C-PARAB", series_parabola},
    Entry{"C-IMPOSC", series_impact_oscillator},
    Entry{"C-BTABLE", series_bouncing_table},
    Entry{"C-COLLAPSE", series_collapse},
    Entry{"M88-LEAVE", series_cylinder},
    Entry{"CB-STATUS-1", series_status_line},
    Entry{"CB-STATUS-2", series_status_plane},
    Entry{"CB-STATUS-3", series_status_cascade},
    Entry{"CB-IMP", series_particle_impact},
    Entry{"CB-BOUNCE", series_thrown_particle},
    Entry{"CB-INCLINE3D", series_inclined_plane},
    Entry{"CB-BOWL", series_bowl},
    Entry{"CB-CYL", series_rough_cylinder},
    Entry{"CB-KLAR", series_klarbring},
    Entry{"CB-CHAIN", series_spring_chain},
    Entry{"C-DENHART", series_coulomb_oscillator},
    Entry{"C-BELT", series_belt},
};
// clang-format on

}  // namespace

Driver series_driver_of(std::string_view family) noexcept
{
    const auto found =
        std::ranges::find_if(registry, [&](const Entry& entry) { return entry.family == family; });
    return found == registry.end() ? orbit_driver_of(family) : found->driver;
}

}  // namespace carom::reference
