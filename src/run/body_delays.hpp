#pragma once

#include "account.hpp"
#include "body_groups.hpp"
#include "impact_delays.hpp"
#include "run/progress.hpp"
#include "stepping/finished_body_step.hpp"
#include "system/bodies/body_model.hpp"

#include <span>

namespace carom::detail {

/// Delays of impacts between bodies, pair by pair: what they do to places, to meetings with what moves by
/// itself and to meetings that are missed. The rules are those of contacts of coordinates.
///
/// A body shares the lag of a pair as it shares its motion: with w = (1/m_i)/(1/m_i + 1/m_j) body i is behind
/// by w b. Bodies whose lags add up are those of one body's pairs.
///
/// Theory     docs/theory/energy_ledger.md, (LE-18), (LE-19), (LE-22)

/// A step of a run of bodies, as the rules need it.
struct BodyDelayStep {
    const BodyModel& model;
    const TakenStep& step;
    const State& after;
    double duration_s;  ///< of the whole run
};

/// Adds the impacts of a step. False where more pairs have struck each other than are followed.
[[nodiscard]] bool note_impacts(const BodyDelayStep& step, const FinishedBodyStep& bodies,
                                RunProgress& progress);

/// (LE-22): two bodies that come nearer to each other than their places are known, and part without having
/// touched.
void look_for_near_misses(const BodyDelayStep& step, double activation_gap_m, const BodyGroups& groups,
                          FinishedBodyStep& bodies, RunProgress& progress);

/// Findings of a run that ends here; `moved_m`: of each body, the farthest that one of its group has moved.
void look_at_delays(const BodyModel& model, const SchemeOfRun& scheme, std::span<const double> moved_m,
                    const RunSoFar& run, std::vector<Finding>& findings);

/// Acceleration of a point of a body by these forces, or on its path.
[[nodiscard]] Vec3 free_acceleration_at(const BodyModel& model, const State& at, double h_s,
                                        std::span<const Wrench> wrenches, int body, const Vec3& arm);

/// Forces on the bodies in a state, those of contacts and joints left out.
[[nodiscard]] std::vector<Wrench> wrenches_at(const BodyModel& model, const State& at);

}  // namespace carom::detail
