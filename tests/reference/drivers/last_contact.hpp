#pragma once

#include "simulation.hpp"

#include <vector>

namespace carom::reference {

/// The last of the states 1 .. `end` - 1 whose step the contact acted in, 0 when there is none: where a
/// contact is left without a jump, the instant of the separation. (On a convex obstacle steps with and
/// without contact alternate, so that the first step without one says nothing.)
[[nodiscard]] inline std::size_t last_acting_step(const Trajectory& motion, int contact, std::size_t end)
{
    std::size_t n = end;
    while (n > 0 && (n == end || !(motion.states[n].percussion_Ns[static_cast<std::size_t>(contact)] > 0))) {
        --n;
    }
    return n;
}

/// The middle of a step, where the scheme lets things happen.
[[nodiscard]] inline double middle_s(const Trajectory& motion, std::size_t step)
{
    return (motion.states[step - 1].t_s + motion.states[step].t_s) / 2;
}

}  // namespace carom::reference
