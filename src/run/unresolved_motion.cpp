#include "unresolved_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom {
namespace {

/// A velocity that jumps, or begins to grow, changes back and forth in up to three steps.
constexpr double lasting_steps = 4;

}  // namespace

bool UnresolvedMotion::after_step(const Eigen::VectorXd& before, const Eigen::VectorXd& after, bool smooth,
                                  double fastest, double tolerance)
{
    std::swap(change_, other_);
    if (!smooth) {
        other_.resize(0);
        change_.resize(0);
        return false;
    }
    change_ = after - before;
    if (other_.size() != change_.size() || change_.size() == 0) return false;
    other_ = (change_ - other_) / 4;  // of a velocity that alternates, the velocity itself
    // where none of them alternates by the part tau of the fastest, their energy is below the limit as well,
    // but for masses that differ much: those are looked at from a tenth of it on
    if (other_.cwiseAbs().maxCoeff() > 0.1 * tolerance * fastest) return true;
    steps_ = std::max(0.0, steps_ - 1);
    return false;
}

void UnresolvedMotion::judge(double alternating_J, double scale_J, double tolerance, double ended_s,
                             double h_s, Certifier& certifier)
{
    if (goes_on_alternating(alternating_J, scale_J, tolerance, steps_))
        certifier.add_finding(unresolved_finding(alternating_J / scale_J, ended_s, h_s, {}));
}

bool goes_on_alternating(double alternating_J, double scale_J, double tolerance, double& steps) noexcept
{
    if (!(alternating_J > tolerance * tolerance * scale_J)) {
        steps = std::max(0.0, steps - 1);
        return false;
    }
    steps = std::min(steps + 1, lasting_steps);
    return steps >= lasting_steps;
}

Finding unresolved_finding(double part, double ended_s, double h_s, const std::string& of)
{
    return {.code = "step_too_long",
            .time_s = ended_s,
            .message = fmt::format(
                "velocities{} change back and forth from step to step, with {:.2g} of the energy in "
                "the run: an oscillation with fewer than ten steps per period, whose energy the "
                "scheme conserves and whose phase it does not; take a step well below {:.1e} s",
                of.empty() ? "" : " of " + of, part, h_s),
            .count = 1,
            .uncertifies = true,
            .about = "motion"};
}

}  // namespace carom
