#pragma once

#include "carom/run/run.hpp"
#include "ledger/certifier.hpp"
#include "stepping/scratch.hpp"

#include <vector>

namespace carom {

/// Obstacles of formulas that jump: what they strike is thrown with a velocity that grows as the step shrinks.
///
/// Theory     docs/theory/energy_ledger.md, (LE-29)
class JumpingObstacles {
public:
    explicit JumpingObstacles(const Model& model);

    /// Those that acted in a step that is over. Finding `path_jumps`.
    void after_step(const State& before, const State& after, double activation_gap_m, Scratch& scratch,
                    Certifier& certifier) const;

private:
    const Model& model_;
    std::vector<char> in_time_;  ///< per contact: its gap names the time
    bool any_ = false;
};

}  // namespace carom
