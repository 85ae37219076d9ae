#pragma once

#include "carom/ledger/certificate.hpp"

#include <array>

namespace carom::detail {

/// A line of the ledger and its name in files.
struct EnergyName {
    const char* name;
    double EnergyLines::* line;
};

/// All lines; recordings keep this order. The first two are changes in the ledger, and values in frames.
inline constexpr std::array<EnergyName, 10> energy_names{{
    {"kinetic_J", &EnergyLines::kinetic_J},
    {"potential_J", &EnergyLines::potential_J},
    {"given_forces_J", &EnergyLines::given_forces_J},
    {"prescribed_motions_J", &EnergyLines::prescribed_motions_J},
    {"impact_J", &EnergyLines::impact_J},
    {"friction_J", &EnergyLines::friction_J},
    {"non_firm_J", &EnergyLines::non_firm_J},
    {"joint_J", &EnergyLines::joint_J},
    {"correction_J", &EnergyLines::correction_J},
    {"scheme_J", &EnergyLines::scheme_J},
}};

}  // namespace carom::detail
