#pragma once

#include "carom/ledger/certificate.hpp"
#include "carom/system/lagrangian/model.hpp"

namespace carom {

/// Oscillations that an implicit scheme passes over (LE-24): it keeps their energy, and their velocity
/// changes back and forth from step to step.
class UnresolvedMotion {
public:
    /// `smooth`: without events. `fastest`: the largest velocity of a coordinate in the run.
    void after_step(const Model& model, const State& before, const State& after, bool smooth, double fastest,
                    double tolerance, Workspace& work, Certifier& certifier);

private:
    Eigen::VectorXd change_, other_;  ///< of the velocity in the last step; none after an event
};

}  // namespace carom
