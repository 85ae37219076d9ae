#pragma once

#include "carom/onestep/residual.hpp"

#include <string>
#include <vector>

namespace carom {

/// The energy ledger. Each step closes the identity (LE-1)
///
///     kinetic + potential = given_forces + prescribed_motions + impact + friction + non_firm + joint
///                           + correction + scheme
///
/// to roundoff, all powers taken at the mean velocity (u- + u+) / 2. No line is a remainder: `balance_J` is
/// what is left when all of them have been computed from their own formulas, and it can fail.
///
/// Theory     docs/theory/energy_ledger.md, (LE-1) identity, (LE-2) lines, (LE-3) scheme
/// Papers     [Ballard 2002] proposition 11, [CharlesBallard 2014] appendix A
struct EnergyLines {
    double kinetic_J = 0;             ///< change of kinetic energy
    double potential_J = 0;           ///< change of potential energy
    double given_forces_J = 0;        ///< work of the given forces
    double prescribed_motions_J = 0;  ///< work of moving obstacles and of a potential that depends on time
    double impact_J = 0;    ///< P_N U_N of contacts that collide; <= 0 but for O(h^2) where a status changes
    double friction_J = 0;  ///< P_T.U_T of contacts and of constraints with friction; <= 0 for particles, not
                            ///< for every coupled system
    double non_firm_J = 0;  ///< P.U of constraints that yield; <= 0 but for O(h^2) where U changes its sign
    double joint_J = 0;     ///< P.U of bilateral constraints: zero, but where one begins to act
    double correction_J = 0;  ///< of moving overlapping parts out of each other, and P_N U_N of contacts that
                              ///< persist: what keeps them on their obstacles
    double scheme_J = 0;      ///< of the discretisation: metric and potential against their linearisation

    [[nodiscard]] double balance_J() const noexcept;

    /// Sum of the magnitudes of all lines: the scale for balances.
    [[nodiscard]] double magnitude_J() const noexcept;
};

/// Kinetic and potential energy of one state.
struct Energies {
    double kinetic_J = 0;
    double potential_J = 0;
};

/// How far a run can be trusted; every number was measured after the fact, by code independent of the solver.
struct Certificate {
    double max_residual = 0;         ///< worst error of a step: the tolerance that it meets (OS-10)
    double max_residual_time_s = 0;  ///< and when
    double max_penetration_m = 0;    ///< deepest overlap at the end of a step
    double max_cone_violation_Ns = 0;
    double energy_balance_J = 0;  ///< what the ledger of the whole run leaves unexplained
    EnergyLines energy;           ///< by line
    long steps = 0;
    long unsolved_steps = 0;
    double max_violation =
        0;  ///< of positions that constraints hold, in their own units, at the end of a step
    double energy_error = 0;         ///< largest part of the energies that scheme and correction made (LE-7)
    double energy_error_time_s = 0;  ///< and when
    long selected_steps = 0;    ///< percussions were not determined, and the rule (SO-31) chose among them
    long unexamined_steps = 0;  ///< contacts in groups too large for that question
};

/// A statement of theory about the run that the user should know.
struct Finding {
    std::string code;   ///< stable, e.g. "energy_created"
    double time_s = 0;  ///< when it was seen first
    std::string message;
    long count = 1;            ///< how often
    bool uncertifies = false;  ///< the run cannot be certified because of it
    std::string about{};       ///< names; findings of one code about different items are kept apart
};

/// Of the rule (LE-7): an oscillation that is followed with ten steps a period or more keeps it.
inline constexpr double default_energy_tolerance = 0.1;

}  // namespace carom
