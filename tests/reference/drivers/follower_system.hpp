#pragma once

#include "double_pendulum_system.hpp"

namespace carom::reference {

/// The double pendulum without obstacle, with spiral springs k1, k2, dampers eta1, eta2 in parallel to them
/// and the follower force lam (Ballard 2002, example 4).
[[nodiscard]] inline SystemText follower_system()
{
    SystemText text = double_pendulum_system("0");
    text.potential = "k1/2*q1^2 + k2/2*(q2 - q1)^2";
    text.forces = {"lam*l1*sin(q1 - q2) - eta1*q1' - eta2*(q1' - q2')", "-eta2*(q2' - q1')"};
    text.contacts.clear();
    return text;
}

}  // namespace carom::reference
