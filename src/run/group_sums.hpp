#pragma once

#include "carom/ledger/certificate.hpp"
#include "ledger/energy_watch.hpp"
#include "ledger/group_step.hpp"
#include "run/obstacle_visit.hpp"
#include "run/rest_watch.hpp"

#include <string>
#include <vector>

namespace carom {

/// What a run remembers of a group that moves by itself, from step to step: of coordinates or of bodies.
///
/// Theory     docs/theory/energy_ledger.md, (LE-27) coordinates, (LE-28) bodies
struct GroupSums {
    EnergyWatch energy;       ///< (LE-5) to (LE-7)
    double scale_J = 0;       ///< the largest |T| + |V| so far
    double too_long = 0;      ///< 1: (LE-7) was broken
    SlipWork slip;            ///< (LE-20)
    RestWatch rest;           ///< of coordinates
    double follows = 0;       ///< 1: the last step had no event of the group
    double phase_rad = 0;     ///< (LE-25)
    double alternating = 0;   ///< steps that violate (LE-24) less those that do not
    double alternates = 0;    ///< by how much of the energy, where there were too many of them;
    double alternates_s = 0;  ///< since then

    /// Two groups that meet are one from there on: energies and works are sums.
    GroupSums& operator+=(const GroupSums& other) noexcept;
};

/// What all groups of a system have in common.
struct GroupRules {
    double tolerance = default_energy_tolerance;
    bool keeps_energy = false;  ///< the scheme conserves the energy of oscillations that it does not resolve
};

/// A step that is over (LE-7).
void note_energies(const GroupStep& step, const GroupRules& rules, double time_s, long number,
                   GroupSums& sums) noexcept;

/// `turned_J`: the kinetic energy of u_{n+1} - 2 u_n + u_{n-1}, of two steps without events (LE-24), (LE-25).
void note_turn(double turned_J, const GroupRules& rules, double time_s, GroupSums& sums) noexcept;

/// Where groups are judged.
struct GroupEnd {
    double time_s = 0, h_s = 0;
    std::string other_remedy;  ///< beside a shorter step
    bool told = false;         ///< step_too_long, of the whole: only (LE-24) is left to be asked
};

/// What costs the certificate of a run that ends here.
void look_at_group(const GroupSums& sums, const std::string& name, const GroupRules& rules,
                   const GroupEnd& end, std::vector<Finding>& findings);

}  // namespace carom
