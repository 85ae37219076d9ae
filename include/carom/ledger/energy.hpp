#pragma once

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

/// Sums lines over a run, compensated, so that a long sum is as exact as a short one. All its numbers are
/// here: a resumed run starts from a copy.
struct EnergyLedger {
    EnergyLines sums, compensation;   ///< their sum is the total
    double worst_step_balance_J = 0;  ///< largest |balance| of a single step
    double largest_step_J = 0;        ///< largest magnitude of the lines of a step

    void add(const EnergyLines& step) noexcept;
    [[nodiscard]] EnergyLines totals() const noexcept;
};

}  // namespace carom
