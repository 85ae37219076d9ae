#pragma once

#include "carom/law/impact.hpp"
#include "carom/ledger/certificate.hpp"
#include "carom/ledger/event.hpp"
#include "carom/solver/solve.hpp"
#include "carom/stepping/settings.hpp"
#include "ledger/energy_watch.hpp"

#include <array>
#include <vector>

namespace carom {

/// What a step of any scheme reports.

/// One contact that was active in a step. Components are (normal, t1, t2); those it lacks are zero.
struct ContactStep {
    int contact = 0;
    int dimension = 1;
    std::array<double, 3> U_minus{}, U_free{}, U_plus{};  ///< m/s
    std::array<double, 3> P{};                            ///< N s, of the step, with that of an impact map
    double energy_J = 0;     ///< what the normal percussion did to the kinetic energy: P at the mean of U
    double friction_J = 0;   ///< what the tangential one did
    double held_J = 0;       ///< the part of it that holds, which is no work in theory (LE-26)
    double from_free_J = 0;  ///< what both did relative to the free velocity, without the work of forces
    double W_1_kg = 0;       ///< W_NN: what a percussion of 1 N s alone changes of U_N
    double W_tangential_1_kg = 0;  ///< largest diagonal entry of W_TT
    double sliding_margin = 1;     ///< 1 - mu |W_NT| / W_NN: below zero sliding has none or several motions
    double restitution = 0;
    double rounding_m_s = 0;  ///< bound of the rounding error of U_N, from its terms
    bool persists = false;  ///< it touched before and stays closed: its percussion is that of a force (MS-8)
    double shift_m_s = 0;   ///< of a contact that persists: U_N + shift = 0 while it acts (MS-9)
    double bend_m_s = 0;    ///< what curvature makes of U_N in a step, h kappa
    bool singular = false;  ///< sliding has no continuation in this step: a frictional catastrophe (FR-6)
    bool sticks = false;    ///< friction is strictly inside its bound
    double zero = 1e-9;     ///< velocities below this part of those that met count as zero,
    double left_m_s = 0;    ///< and those that the tolerance of the solver may have left
};

struct StepReport {
    StepStatus status = StepStatus::Solved;
    SolveReport solve;
    EnergyLines energy;
    Energies at_end;               ///< kinetic and potential energy after the step
    double max_penetration_m = 0;  ///< over all contacts, at the end of the step
    double max_violation = 0;      ///< over all positions that constraints hold, in their own units
    StepAccuracy accuracy;         ///< for the energy rule of the certificate
    double h_s = 0;
    bool until = false;             ///< the until formula became >= 0 at the end of this step, h_s long
    bool map_acted = false;         ///< an impact map was called
    Admissibility map;              ///< and how far its result is from what theory requires
    std::vector<Finding> findings;  ///< what theory says about this step; where it failed, why, comes last
};

}  // namespace carom
