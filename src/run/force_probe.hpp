#pragma once

#include "run/step_view.hpp"

#include <string>

namespace carom {

/// A force that a recording shows among its probes, its mean since the previous frame: that of all contacts
/// of a body or of those with one other body, or what a joint does to its first body.
struct ContactForceProbe {
    std::string name;
    int on = 0;
    int from = -1;            ///< -1: all others
    int joint = -1;           ///< a joint instead of contacts
    bool moment = false;      ///< of the joint, N m about its point, instead of the force
    Vec3 direction{0, 0, 0};  ///< unit vector of the component shown; zero: the magnitude
};

/// What the contacts or the joint of the probe did in a step, N s or N m s, world axes.
[[nodiscard]] Vec3 percussion_Ns(const ContactForceProbe& probe, const StepView& step);

/// The component or magnitude of a force that the probe asks for.
[[nodiscard]] double shown_by(const ContactForceProbe& probe, const Vec3& force_N);

}  // namespace carom
