#pragma once

#include "carom/expression/formula.hpp"
#include "carom/law/law.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carom {

/// A particle of the system that an obstacle confines, as the user describes it (CF-1):
///
///     x(q,t)        position of the particle that touches, m; two components in the plane, three in space
///     f(x,t) >= 0   where the particle may be; the gap is f / |grad f|, the normal n = grad f / |grad f|
///     w(x,t)        velocity of the obstacle's material, m/s; only its tangential part is used, the normal
///                   part comes from f
///
/// f, w and the direction of t1 are formulas of x, y(, z) and t, not of the coordinates of the system.
/// Theory     docs/theory/friction.md, (CF-1) particle, (CF-2) local velocity, (CF-3) frame
struct ContactParticle {
    std::vector<Formula> position;
    Formula surface;
    std::vector<Formula> obstacle_velocity = {};  ///< empty: at rest
    std::vector<Formula> tangent = {};            ///< t1 is along its tangential part; empty: by rule (CF-3)
};

/// Friction of a contact; formulas are evaluated where the contact is detected.
struct ContactFriction {
    FrictionShape shape = FrictionInterval{};
    Formula coefficient;                        ///< mu(q,u-,t), while sliding; scales the shape
    std::optional<Formula> static_coefficient;  ///< while sticking, >= coefficient; empty: the same
    Formula tangential_restitution;             ///< e_T(q,u-,t), in [0, 1]; 0 is Newton's form, e Moreau's
};

/// A unilateral contact. Its gap is a formula of q and t, or that of a particle.
struct Contact {
    std::string name;
    Formula gap;          ///< g(q,t), m; >= 0 where admissible; not read where there is a particle
    Formula restitution;  ///< e(q,u-,t), in [0, 1]; default 0

    std::optional<ContactParticle> particle = {};

    /// Without a particle: the sliding velocity, m/s, one formula in the plane, two in space, each linear or
    /// affine in the velocities. The gap must then be a distance, or mu would not be the coefficient of
    /// friction.
    std::vector<Formula> sliding = {};
    std::optional<ContactFriction> friction = {};

    /// Components of its local velocity: 1 without friction.
    [[nodiscard]] int dimension() const noexcept
    {
        return friction ? 1 + tangential_dimension(friction->shape) : 1;
    }
};

}  // namespace carom
