#pragma once

#include "impact_delays.hpp"
#include "run/progress.hpp"

namespace carom {

/// A motion that is late meets an obstacle that moves by itself, or a force, at another phase.
///
/// With l the lag of the motion before an impact (LE-18), a(t) its normal acceleration as a function of time
/// alone, A the amplitude of a and w its rate,
///
///     l A  <=  max_overlap max(|U_N^-|, A/w) (LE-19)
///
/// at every impact after which the contact does not rest for a whole period 2 pi/w.
///
/// Theory     docs/theory/energy_ledger.md

/// One per contact; none where nothing moves by itself.
[[nodiscard]] std::vector<ContactDrive> drives_of(const Model& model);

/// A step of the run, as the rule needs it.
struct DrivenStep {
    const State& before;
    double h_s, start_s, duration_s;
};

/// An impact of this contact, before its own delay is added to those of `progress`.
void note_driven_impact(const Model& model, const DrivenStep& step, const Event& impact, double U_minus_m_s,
                        Scratch& scratch, RunProgress& progress);

/// A contact that is made, or lost, in a step of the length h_s.
void note_driven_rest(const Event& event, double h_s, ContactDrive& drive, ImpactDelays& delays);

/// The parts of note_driven_impact that ask nothing of a system: what a rest has forgotten, and how much a
/// lag changes an impact.
void begin_driven_impact(double time_s, ContactDrive& drive);
void note_late_impact(double late_s, double U_minus_m_s, double time_s, ContactDrive& drive);

/// How late the motion of a contact is, by its last impacts.
[[nodiscard]] double recent_lag_s(const ImpactDelays& delays, double h_s);

/// Finding `impact_instants` of a run that ends here.
void look_at_drives(const Model& model, const SchemeOfRun& scheme, std::span<const ContactScale> scales,
                    const RunSoFar& run, std::vector<Finding>& findings);
void look_at_drive(const std::string& name, double max_overlap, double h_s, double end_s, ContactDrive drive,
                   std::vector<Finding>& findings);

}  // namespace carom
