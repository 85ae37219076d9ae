#pragma once

#include "carom/run/run.hpp"
#include "impact_delays.hpp"
#include "motion_groups.hpp"

#include <vector>

namespace carom {

/// A run in coordinates and what it was asked for.
struct CoordinateOrder {
    const Model& model;
    const IntegratorSettings& settings;
    const SolverSettings& solver;
    const RunPlan& plan;
    SchemeOfRun scheme;
    const State& start;  ///< of the run; without coordinates: not known
    MotionGroups groups;
    std::vector<ContactScale> scales;  ///< of each contact, by its group in the run
    std::vector<double> run_scales_J;  ///< energies that take part in each group; none where all is one
    double phase_rad;                  ///< (LE-25)
};

/// Compares a run whose impacts are late beside its motion with its punctual copy (LE-23).
void look_at_punctual_run(const CoordinateOrder& order, const RunSoFar& run, std::vector<Finding>& findings);

/// Compares the impacts of a run whose oscillations are out of phase with those of a copy whose smooth steps
/// are of higher order (LE-25). Finding `impact_instants`.
void look_at_phases(const CoordinateOrder& order, const RunSoFar& run, std::vector<Finding>& findings);

}  // namespace carom
