#pragma once

#include "carom/system/lagrangian/model.hpp"

#include <string>
#include <vector>

namespace carom {

/// The power-series integrator: between events the motion is analytic, and its series is computed order by
/// order together with the statuses of the contacts; events are located on the series, impacts follow the
/// laws and maps of the model.
///
/// Theory     docs/theory/series.md, (PS-4) one order, (PS-5) statuses, (PS-6) slip onset, (PS-7) step and
///            events, (PS-8) impacts, (PS-9) accumulation
/// Papers     [Ballard 2002] propositions 12 and 18, [CharlesBallard 2014] 3, 4
struct SeriesSettings {
    double time_step_s = 1e-2;       ///< reporting interval: the motion does not depend on it; > 0
    double activation_gap_m = 1e-9;  ///< where a run begins: a gap not above it is closed; >= 0
    int order = 24;                  ///< of the series, from 6 to 60

    /// Statuses that are open at the last order are decided with longer series, up to this order (PS-14);
    /// from 6 to 200. What is open there is `undecided`, and the run is not certified
    int max_order = 64;
    double tolerance = 1e-16;  ///< of one expansion, relative to the state; > 0

    /// Impacts slower than this one accumulate (PS-9), m/s; 0: 1e-8 (1 - e) sqrt(L a), with the scene's
    /// length L = 1e9 activation_gap_m and the acceleration a towards the obstacle. Contacts that strike in
    /// turns are summed earlier where no accuracy is lost
    double accumulation_speed_m_s = 0;
    int max_events = 1000000;  ///< and expansions, between two reports; >= 1
};

[[nodiscard]] Expected<void> check(const SeriesSettings& settings);

/// What the series integrator cannot run: tables, friction shapes that are neither an interval nor a disc.
/// All at once; empty: it can.
[[nodiscard]] Errors check_for_series(const Model& model);

/// How one contact was decided at an instant (PS-5).
struct StatusDecision {
    int contact = 0;
    std::string normal;         ///< "active", "inactive", "undecided"
    int normal_order = -1;      ///< order of the series at which it was decided; -1: known before or never
    double normal_leading = 0;  ///< coefficient that decided: of the reaction, or of the acceleration
    std::string friction;       ///< "stick", "slip", "undecided", or empty without friction
    int friction_order = -1;
    double friction_leading = 0;  ///< margin against the threshold, or sliding acceleration
};

/// The decisions at a state: what carom inspect explains.
[[nodiscard]] Expected<std::vector<StatusDecision>>
explain_statuses(const Model& model, const SeriesSettings& settings, const State& state);

}  // namespace carom
