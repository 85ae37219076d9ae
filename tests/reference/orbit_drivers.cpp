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
    Entry{"SENS-FREE", sens_free},
    Entry{"SENS-PENDWALL", sens_wall},
    Entry{"SENS-BALL", sens_ball},
    Entry{"SENS-TWOBALL", sens_two_balls},
    Entry{"SENS-OBLIQUE", sens_oblique},
    Entry{"SENS-STICKSLIP", sens_stick_slip},
    Entry{"SENS-CHAIN", sens_chain},
    Entry{"SENS-SYMPLECTIC", sens_parabola},
    Entry{"SENS-TABLE", sens_table},
    Entry{"SENS-PARAM", sens_oscillator},
    Entry{"SENS-SLIDE", sens_slide},
    Entry{"SENS-DPEND", sens_double_pendulum},
    Entry{"ORBIT-IMPOSC", orbit_oscillator},
    Entry{"ORBIT-BTABLE", orbit_table},
    Entry{"ORBIT-BELT", orbit_belt},
    Entry{"ORBIT-BELTF", orbit_forced_belt},
    Entry{"ORBIT-RIMLESS", orbit_rimless},
    Entry{"ORBIT-ROCK", orbit_rocking},
    Entry{"ORBIT-CHATTER", orbit_chatter},
    Entry{"ORBIT-CHATINEL", orbit_chatter},
    Entry{"ORBIT-CONS", orbit_elastic},
    Entry{"BIF-FLIP-TABLE", flip_table},
    Entry{"BIF-FOLD-TABLE", fold_table},
    Entry{"BIF-BRANCH-TABLE", branch_table},
    Entry{"BIF-BRANCH-P2", branch_two_impacts},
    Entry{"BIF-FLIP-OSC", flip_oscillator},
    Entry{"BIF-FOLD-OSC", fold_oscillator},
    Entry{"BIF-BRANCH-OSC", branch_oscillator},
    Entry{"BIF-GRAZE-ORBIT", graze_orbit},
    Entry{"BIF-GRAZE-OSC", graze_oscillator},
    Entry{"BIF-STICK-DH", stick_coulomb},
    Entry{"BIF-STICK-INEL", stick_inelastic},
    Entry{"LYAP-OSC", lyapunov_oscillator},
    Entry{"LYAP-WEDGE", lyapunov_wedge},
};
// clang-format on

}  // namespace

Driver orbit_driver_of(std::string_view family) noexcept
{
    const auto* found = std::ranges::find(registry, family, &Entry::family);
    return found == registry.end() ? nullptr : found->driver;
}

}  // namespace carom::reference
