#pragma once

#include "carom/run/run.hpp"
#include "end_rules.hpp"
#include "stepping/scratch.hpp"

#include <vector>

namespace carom {

/// Impacts are seen where steps look, not where they are: what that does to places, by chance and on average.
///
/// Theory     docs/theory/energy_ledger.md, (LE-17) scatter of instants, (LE-18) delays that add up

/// What the rules need to know of a scheme.
struct SchemeOfRun {
    double h_s, activation_gap_m, max_overlap;
};

/// Adds the impacts of a step of length `h_s`, contact by contact.
void note_impacts(const Model& model, const State& before, double h_s, Scratch& scratch,
                  RunProgress& progress);

/// Findings of a run that ends here; `largest_gap_m`: of any contact in the run.
void look_at_delays(const Model& model, const SchemeOfRun& scheme, double largest_gap_m, const RunSoFar& run,
                    std::vector<Finding>& findings);

}  // namespace carom
