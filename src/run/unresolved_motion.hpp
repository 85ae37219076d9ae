#pragma once

#include "ledger/certifier.hpp"

#include <Eigen/Core>

#include <string>

namespace carom {

/// Whether an alternating velocity has too much of the energy `scale_J` that takes part, and goes on having it
/// (LE-24). `steps`: those in which it had, less those in which it had not.
[[nodiscard]] bool goes_on_alternating(double alternating_J, double scale_J, double tolerance,
                                       double& steps) noexcept;

/// Finding `step_too_long`. `part`: of the energy. `of`: whose velocities they are, if not all.
[[nodiscard]] Finding unresolved_finding(double part, double ended_s, double h_s, const std::string& of);

/// Oscillations that an implicit scheme passes over (LE-24): it keeps their energy, and their velocity
/// changes back and forth from step to step. A force that sets in changes it once. Of coordinates and of
/// bodies.
class UnresolvedMotion {
public:
    /// `smooth`: a step without events. `fastest`: the largest velocity of a coordinate in the run. True
    /// where alternating() may have enough energy to count.
    [[nodiscard]] bool after_step(const Eigen::VectorXd& before, const Eigen::VectorXd& after, bool smooth,
                                  double fastest, double tolerance);

    /// The part of the velocities that changes back and forth.
    [[nodiscard]] const Eigen::VectorXd& alternating() const noexcept { return other_; }

    /// Finding `step_too_long` where they have too much of the energy `scale_J` that takes part, and go on
    /// having it.
    void judge(double alternating_J, double scale_J, double tolerance, double ended_s, double h_s,
               Certifier& certifier);

private:
    Eigen::VectorXd change_, other_;  ///< of the velocity in the last step; none after an event
    double steps_ = 0;                ///< with too much energy, minus those without
};

}  // namespace carom
