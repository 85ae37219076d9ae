#pragma once

#include "carom/run/run.hpp"
#include "end_rules.hpp"
#include "motion_groups.hpp"
#include "run/progress.hpp"
#include "stepping/scratch.hpp"

#include <span>
#include <vector>

namespace carom {

/// Impacts are seen where steps look, not where they are: what that does to places, by chance and on average.
///
/// Theory     docs/theory/energy_ledger.md, (LE-17) scatter of instants, (LE-18) delays that add up

/// What the rules need to know of a scheme.
struct SchemeOfRun {
    double h_s, activation_gap_m, max_overlap;
    double small_m = min_overlap * activation_gap_m;  ///< places may be off by this

    /// The same, beside the motion of a contact.
    [[nodiscard]] SchemeOfRun beside(const ContactScale& scale) const
    {
        return {h_s, activation_gap_m, max_overlap, scale.small_m};
    }
};

/// An impact as a step sees it.
struct ImpactSeen {
    double U_minus_m_s = 0, U_plus_m_s = 0;
    double gap_before_m = 0, gap_after_m = 0;  ///< at the ends of the step
    double dragged_m_s = 0;                    ///< what friction made of the velocity along the surface
    double slides_m_s = 0;                     ///< velocity along the surface since the last impact
    double h_s = 0, time_s = 0, start_s = 0;   ///< of the step; when; of the run
};

/// How late the step has seen it, from the gaps at its ends and the velocities before and after.
void note_impact(const ImpactSeen& impact, ImpactDelays& delays);

/// Adds the impacts of a step of length `h_s`, contact by contact. `duration_s`: of the whole run.
void note_impacts(const Model& model, const State& before, double h_s, double duration_s, Scratch& scratch,
                  RunProgress& progress);

/// (LE-22): a contact that comes nearer to its obstacle than the place of its motion is known, and turns back
/// without having touched. Finding `impact_instants`.
struct NearMisses {
    const Model& model;
    const MotionGroups& groups;
    double activation_gap_m;
};
void look_for_near_misses(const NearMisses& at, const State& before, Scratch& scratch, RunSoFar& run);

/// How late the motion of a contact is; an impact adds no more than two steps.
[[nodiscard]] double lag_s(const ImpactDelays& delays, double h_s);

/// Rules for one contact, or for the bodies that it is named after; the last is silent where the place is
/// known to `max_overlap` of `scale_m`.
[[nodiscard]] Finding near_miss(const std::string& name, double gap_m, double off_m, double time_s);
void look_at_slip(const std::string& name, const SchemeOfRun& scheme, const ImpactDelays& impacts,
                  double path_m, double time_s, std::vector<Finding>& findings);
void look_at_place(const std::string& name, const SchemeOfRun& scheme, double off_m, double scale_m,
                   double time_s, std::vector<Finding>& findings);

/// For each contact the first one that shares coordinates with it, directly or through others.
[[nodiscard]] std::vector<int> first_of_motion(const Model& model);

/// Findings of a run that ends here.
void look_at_delays(const Model& model, const SchemeOfRun& scheme, std::span<const ContactScale> scales,
                    const RunSoFar& run, std::vector<Finding>& findings);

}  // namespace carom
