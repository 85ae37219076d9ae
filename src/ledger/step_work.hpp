#pragma once

#include "carom/law/law.hpp"
#include "carom/ledger/certificate.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <span>

namespace carom {

/// What acted during one step, evaluated at its midpoint.
struct StepWork {
    double h_s = 0;
    std::span<const double> u_start;          ///< velocity when the step began
    std::span<const double> u_minus, u_plus;  ///< after an impact map, if one acted; at the end
    const MassMatrix* A = nullptr;
    std::span<const double> velocity_terms, given_forces, potential_gradient;
    double potential_rate_W = 0;  ///< dV/dt
    std::span<const Law> laws;
    std::span<const int> offsets;                   ///< one more than laws: where an interaction begins
    std::span<const double> P, U_minus, U_plus, b;  ///< flat, by offsets
    std::span<const double> map_P, U_start;         ///< percussions of an impact map; U before it
    std::span<const char> persists;                 ///< per law: a contact that persists (MS-8)
};

/// The lines of one step before its correction (LE-2), (LE-3). What contacts that persist did is in the line
/// of corrections.
[[nodiscard]] EnergyLines account_step(const StepWork& step, const Energies& start,
                                       const Energies& end) noexcept;

}  // namespace carom
