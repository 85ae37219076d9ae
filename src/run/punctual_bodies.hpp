#pragma once

#include "carom/run/run.hpp"
#include "run_parts.hpp"
#include "stepping/body_parts.hpp"
#include "struck_groups.hpp"

#include <functional>
#include <vector>

namespace carom {
struct BodyStepMemory;  // of the step: stepping/body_memory.hpp
}  // namespace carom

namespace carom::detail {

/// A run of bodies and what it was asked for.
struct BodyOrder {
    const BodyModel& model;
    const MoreauSettings& settings;  ///< what all schemes have
    const RunPlan& plan;
    StepGrid grid;
    std::function<StepReport(const BodyModel& model, double h_s, State& state, BodyStepMemory& memory)> step;
    const State& start;  ///< as coordinates; without any: not known
    const State& end;
    double exchanged_J;               ///< energy that takes part in the run (LE-5)
    std::vector<StruckGroup> groups;  ///< bodies that have struck each other
};

/// Compares a run whose impacts are late beside its motion with its punctual copy (LE-23), of the groups of
/// bodies whose impacts are late. Stops of joints and strings stay where steps see them.
void look_at_punctual_bodies(const BodyOrder& order, const RunSoFar& run, std::vector<Finding>& findings);

/// Compares the impacts of a run whose bodies oscillate out of phase with those of a copy whose smooth steps
/// are of higher order (LE-25). Finding `impact_instants`.
void look_at_phases_of_bodies(const BodyOrder& order, const RunSoFar& run, std::vector<Finding>& findings);

}  // namespace carom::detail
