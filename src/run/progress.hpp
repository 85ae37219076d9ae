#pragma once

#include "carom/run/run.hpp"
#include "carom/sweeping/catching_up.hpp"
#include "ledger/certifier.hpp"
#include "run/group_sums.hpp"
#include "run/obstacle_visit.hpp"
#include "run/rest_watch.hpp"

#include <optional>
#include <vector>

namespace carom {

/// A run between two steps, and how it goes on.

/// What a run carries from step to step besides its state: with both it continues bit for bit.
struct RunProgress {
    double start_s = 0;  ///< instants are start_s + n h, not sums
    long steps = 0;      ///< taken so far
    Certifier certifier{Energies{}};
    RestWatch rest;
    std::optional<RunEnd> end;  ///< set by the last step
    std::vector<ObstacleVisit>
        visits;                        ///< per contact of systems in coordinates; empty before the first step
    std::vector<GapReach> reaches;     ///< the same
    std::vector<ImpactDelays> delays;  ///< the same
    std::vector<ContactDrive> drives;  ///< the same; empty where nothing moves by itself
    std::vector<PairDelays> pairs;     ///< of bodies, sorted, while there are few
    std::vector<double> moved_m;       ///< per body: the farthest from its start, while there are few pairs
    SlipWork slip;                     ///< of all contacts of systems in coordinates
    PhaseError phase;                  ///< of systems in coordinates with contacts
    std::vector<BodyPhase> body_phases;  ///< per body, where there are few
    std::vector<GroupSums> groups;       ///< that move by themselves; empty: all is one
    std::vector<int> in_group, met;      ///< of bodies: the lowest member now, and of what has met lately
    std::vector<double> group_change;    ///< of velocities in the last step
    std::optional<SweepProgress> sweep;  ///< of a sweeping process, from its start on
};

/// The names of what events refer to, by Event::contact: contacts of formulas, joint stops and the set of a
/// sweeping process; then constraints, joint motors and joint friction. Contacts of pairs are numbered later.
[[nodiscard]] EventPlaces event_places(const Model& model);

/// A run between two steps.
struct RunSoFar {
    State state;
    RunProgress progress;
    std::vector<Event> events;
};

/// A run before its first step.
[[nodiscard]] RunSoFar start_run(const Model& model, State start);

/// Continues a run to its end, which `run` then holds. A run resumed between any two steps, from a
/// checkpoint for example, ends bit for bit as if it had never been interrupted. A run of full steps can
/// continue with a longer plan; a shortened last step must not have been taken.
[[nodiscard]] RunReport resume_run(const Model& model, const IntegratorSettings& settings,
                                   const SolverSettings& solver, const RunPlan& plan, RunSoFar& run,
                                   const StepListener& listener = {});

}  // namespace carom
