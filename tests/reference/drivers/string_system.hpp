#pragma once

#include "simulation.hpp"

#include <cmath>

namespace carom::reference {

/// Unit mass at (x, y) on an inextensible string of the length l from the origin, gravity g along -y (Moreau
/// 1983, 1 and 2).
[[nodiscard]] inline SystemText string_system()
{
    return {.coordinates = {"x", "y"},
            .kinetic = "(x'^2 + y'^2)/2",
            .potential = "g*y",
            .forces = {},
            .contacts = {{"string", "l - sqrt(x^2 + y^2)", "e"}}};
}

/// Angle from the downward vertical, positive to the right.
[[nodiscard]] inline double angle_rad(const State& state)
{
    return std::atan2(state.q[0], -state.q[1]);
}

/// Velocity across the string, positive where the angle grows.
[[nodiscard]] inline double velocity_across_m_s(const State& state)
{
    return (state.q[0] * state.u[1] - state.q[1] * state.u[0]) / state.q.norm();
}

}  // namespace carom::reference
