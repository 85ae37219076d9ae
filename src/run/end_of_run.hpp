#pragma once

#include "carom/run/run.hpp"
#include "end_rules.hpp"
#include "impact_delays.hpp"
#include "run/progress.hpp"
#include "stepping/scratch.hpp"

#include <optional>
#include <span>
#include <vector>

namespace carom {

/// What overlaps and impacts mean where a run of coordinates ends: of its whole way (LE-11), (LE-17),
/// (LE-18), and of the state that it leaves (LE-12). A run that goes on has another end, so these findings
/// belong to the report, not to what the run carries on.
///
/// Theory     docs/theory/energy_ledger.md, (LE-11) overlap beside the motion, (LE-12) impacts that the end
///            has not seen, (LE-17) instants of impacts, (LE-18) delays of impacts that add up

/// What the rules need to know of a time-stepping scheme; nothing of series.
[[nodiscard]] std::optional<SchemeOfRun> scheme_of(const IntegratorSettings& settings);

/// Gaps and impacts of a step that is over, as its scratch has left them.
void note_gaps(const State& after, std::span<const double> gap_m, RunProgress& progress);

/// The same where a run begins.
[[nodiscard]] std::vector<GapReach> reaches_at_start(const Model& model, const State& start, Workspace& work);

/// Findings of a run that ends here. `stopped`: by a listener, so that it has not come to the end that was
/// asked for, and its last instant means nothing.
[[nodiscard]] std::vector<Finding> findings_of_end(const Model& model, const IntegratorSettings& settings,
                                                   const RunSoFar& run, bool stopped, Scratch& scratch);

}  // namespace carom
