#pragma once

#include "carom/run/run.hpp"
#include "ledger/certifier.hpp"
#include "stepping/rank_watch.hpp"
#include "stepping/scratch.hpp"

namespace carom {

/// What theory asks of a whole run, looked at step by step beside the solution of each step.
///
/// - Firm constraints keep their rank (rank_watch.hpp).
/// - Firm constraints that depend on each other keep right-hand sides that do (CO-13).
/// - Contacts that act together leave V(q) an interior: percussions that cancel each other are looked into.
///
/// Theory     docs/theory/constraints.md; docs/theory/well_posedness.md, (WP-12) pinched contacts
/// Papers     [Ballard 2002] 2, hypothesis I;  [Moreau 1983] (2.6)-(2.10)
class RunWatch {
public:
    /// `step_s`: length of the step before, 0 at the start of a run.
    RunWatch(const Model& model, State begin, double step_s);

    /// What the start alone tells; for the first step of a run.
    void at_start(const State& start, double duration_s, Certifier& certifier) const;

    void after_step(const State& before, const State& after, const Scratch& scratch, Certifier& certifier);

private:
    void look_at_contacts(const State& before, const State& after, const Scratch& scratch,
                          Certifier& certifier);

    const Model& model_;
    std::vector<int> firm_;                ///< interactions of independent firm rows
    RankWatch rank_;                       ///< of firm_
    std::vector<int> acting_, looked_at_;  ///< contacts
    double looked_cancellation_ = 1;
};

}  // namespace carom
