#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace carom::detail {

/// The cone over a disc of radius mu: closed form (CC-3). In place; for inner loops.
inline void project_on_circular_cone(double mu, std::span<double, 3> P) noexcept
{
    const double length = std::sqrt(P[1] * P[1] + P[2] * P[2]);
    if (length <= mu * P[0]) return;  // inside: nothing to do (sticking)
    if (mu * length <= -P[0]) {       // inside the polar cone: the apex (open)
        std::fill(P.begin(), P.end(), 0.0);
        return;
    }
    // between the two: drop a perpendicular onto the generator (sliding); length > 0 here
    const double normal = (P[0] + mu * length) / (1 + mu * mu);
    const double factor = mu * normal / length;
    P[0] = normal;
    P[1] *= factor;
    P[2] *= factor;
}

}  // namespace carom::detail
