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
};
// clang-format on

}  // namespace

Driver orbit_driver_of(std::string_view family) noexcept
{
    const auto* found = std::ranges::find(registry, family, &Entry::family);
    return found == registry.end() ? nullptr : found->driver;
}

}  // namespace carom::reference
