#pragma once

#include "carom/core/expected.hpp"

namespace carom {

/// The theta scheme of Moreau and Jean: Moreau's contacts with forces that may be implicit, for stiff springs
/// and damping.
///
/// Symbols    theta   1/2: second order, energy kept by linear systems; 1: first order, fast modes damped
/// Theory     docs/theory/moreau_jean.md, (MJ-1) equation, (MJ-2) iteration, (MJ-3) energy
/// Papers     [Jean 1999]; [Moreau 1988] 11 for the contacts
struct MoreauJeanSettings {
    double time_step_s = 1e-3;  ///< h; > 0
    double theta = 0.5;         ///< in [0.5, 1]
    double activation_gap_m =
        1e-9;                ///< a gap not above it counts as closed; >= 0. Scenes: 1e-9 of their length
    bool correction = true;  ///< project the violation of contacts that stay out of the configuration
    double force_tolerance =
        1e-12;                 ///< the iteration ends when the relative change of velocities is below it; > 0
    int max_iterations = 50;   ///< of the implicit forces; >= 2
    double max_overlap = 0.1;  ///< > 0; in a certified run, relative to the largest gap of the contact
};

[[nodiscard]] Expected<void> check(const MoreauJeanSettings& settings);

}  // namespace carom
