#pragma once

#include "simulation.hpp"

namespace carom::reference {

/// Unit mass between the floor q2 >= 0 (contact 0) and the wall q1 cos(theta) + q2 sin(theta) <= 0 (contact
/// 1), theta from the parameter theta_deg (Moreau 1983, example of 5). The caller adds what drives it.
[[nodiscard]] inline SystemText corner_system(const std::string& restitution)
{
    return {.coordinates = {"q1", "q2"},
            .kinetic = "(q1'^2 + q2'^2)/2",
            .potential = "0",
            .forces = {},
            .contacts = {{"floor", "q2", restitution},
                         {"wall", "-q1*cos(theta_deg*pi/180) - q2*sin(theta_deg*pi/180)", restitution}}};
}

}  // namespace carom::reference
