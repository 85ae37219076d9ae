#pragma once

#include "carom/run/run.hpp"
#include "stepping/scratch.hpp"

#include <vector>

namespace carom {

/// What overlaps and impacts mean where a run of coordinates ends: of its whole way (LE-11), (LE-17), and of
/// the state that it leaves (LE-12). A run that goes on has another end, so these findings belong to the
/// report, not to what the run carries on.
///
/// Theory     docs/theory/energy_ledger.md, (LE-11) overlap beside the motion, (LE-12) impacts that the end
///            has not seen, (LE-17) instants of impacts

/// Gaps and impacts of a step that is over, as its scratch has left them.
void note_gaps(const State& after, std::span<const double> gap_m, RunProgress& progress);

/// Impacts of a contact (LE-17).
struct ImpactTimes {
    double jumps2_m2_s2 = 0;  ///< sum of (U_N^+ - U_N^-)^2
    int count = 0;
};

/// Adds the impacts of a step, contact by contact.
void note_impacts(std::span<const Event> events, std::vector<ImpactTimes>& impacts);

/// The same where a run begins.
[[nodiscard]] std::vector<GapReach> reaches_at_start(const Model& model, const State& start, Workspace& work);

/// Findings of a run that ends here. `stopped`: by a listener, so that it has not come to the end that was
/// asked for, and its last instant means nothing. `impacts`: by note_impacts.
[[nodiscard]] std::vector<Finding> findings_of_end(const Model& model, const IntegratorSettings& settings,
                                                   const RunSoFar& run, bool stopped,
                                                   std::span<const ImpactTimes> impacts, Scratch& scratch);

}  // namespace carom
