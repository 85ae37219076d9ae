#pragma once

#include <Eigen/Core>

namespace carom {

/// Detects rest: all velocities below 1e-9 of the largest so far, in three consecutive steps. At the top of a
/// throw one step may look like rest; three do not: the force would have moved it.
struct RestWatch {
    double fastest = 0;   ///< largest |u_i| so far
    int still_steps = 0;  ///< consecutive, up to now

    /// What starts fast and is stopped by its first step has moved.
    void at_start(const Eigen::VectorXd& u);
    void after_step(const Eigen::VectorXd& u);
    void note(double speed);
    [[nodiscard]] bool at_rest() const noexcept { return still_steps >= 3; }
};

}  // namespace carom
