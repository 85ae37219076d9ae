#pragma once

#include "simulation.hpp"

namespace carom::reference {

/// Two homogeneous bars (l1, m1), (l2, m2), angles q1, q2 from a fixed axis (Ballard 2002, example 4), that
/// an obstacle on the axis keeps on one side (example 8): contact 0 the joint, contact 1 the tip. Springs and
/// the follower force are added by the caller.
[[nodiscard]] inline SystemText double_pendulum_system(const std::string& restitution)
{
    return {
        .coordinates = {"q1", "q2"},
        .kinetic = "(m1/3 + m2)*l1^2/2*q1'^2 + m2*l2^2/6*q2'^2 + m2*l1*l2/2*cos(q1 - q2)*q1'*q2'",
        .potential = "0",
        .forces = {},
        .contacts = {{"joint", "l1*sin(q1)", restitution}, {"tip", "l1*sin(q1) + l2*sin(q2)", restitution}}};
}

}  // namespace carom::reference
