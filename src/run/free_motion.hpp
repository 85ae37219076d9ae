#pragma once

#include "stepping/scratch.hpp"

namespace carom {

/// The motion that a state would go on with if nothing touched it, as the rules of a run ask for it.

/// Acceleration without reactions, A^-1 K, left in `correction_x`; false where it has no value.
[[nodiscard]] bool free_acceleration(const Model& model, const Point& at, Scratch& scratch);

/// Normal velocity of a contact, and what a second would make of it.
struct FreeNormalMotion {
    double U_m_s = 0;
    double by_forces_m_s2 = 0;
    double by_bend_m_s2 = 0;  ///< by curvature and motion of the obstacle (MS-7); 0 where they have no value
};

/// After free_acceleration() at the same point.
[[nodiscard]] FreeNormalMotion free_normal_motion(const Model& model, int contact, const Point& at,
                                                  Scratch& scratch);

}  // namespace carom
