#pragma once

#include "system/bodies/body_model.hpp"

#include <array>
#include <vector>

namespace carom {

/// What few contacts have beside Coulomb's law: resistance to rolling, cohesion, an impact map. Rotations are
/// about  t1, t2  and the normal, times `roll_length_m`.
struct BeyondCoulomb {
    using Three = std::array<double, 3>;

    double roll_length_m = 0;  ///< 0: does not resist rolling
    double cohesion_Ns = 0;    ///< pulls, beside P
    Three U_minus{}, U_plus{}, P{};
    Three U_start{}, map_P{};                  ///< before an impact map, and what it gave: of the point,
    Three turning_U_start{}, turning_map_P{};  ///< and of rotations
};

/// One contact point during a step, as small as the usual ones allow: a step goes through all of them many
/// times. Its slots are  normal, t1, t2  and, where it resists rolling, three rotations behind them.
struct BodyContact {
    using Three = std::array<double, 3>;

    int first = 0, second = 0;  ///< bodies
    ContactPoint at;            ///< at the midpoint of the step
    int dimension = 3;          ///< 1 without friction, 2 in the plane, 3 in space; with rolling 3 and 6
    double restitution = 0;
    double may_close_m_s = 0;  ///< closing speed allowed to an open contact, U_N >= -may_close_m_s (BO-9)
    BeyondCoulomb* beyond = nullptr;  ///< in the memory of the step; null: nothing
    std::array<Vec3, 3> axes;         ///< normal, t1, t2
    Vec3 arm_first, arm_second;
    Three U_minus{}, U_plus{}, P{};

    [[nodiscard]] bool rolls() const noexcept { return beyond != nullptr && beyond->roll_length_m > 0; }
    [[nodiscard]] double cohesion_Ns() const noexcept { return beyond != nullptr ? beyond->cohesion_Ns : 0; }
    [[nodiscard]] double map_P(std::size_t slot) const noexcept
    {
        return beyond != nullptr ? beyond->map_P[slot] : 0;
    }

    /// The slot of a row of the problem.
    [[nodiscard]] std::size_t slot(int row) const noexcept
    {
        return row == 2 && dimension == 3 && rolls() ? 4 : static_cast<std::size_t>(row);
    }

    /// What a slot has of P and of U_plus; those of rotations where the contact resists rolling.
    [[nodiscard]] double& P_of(std::size_t slot) noexcept { return slot < 3 ? P[slot] : beyond->P[slot - 3]; }
    [[nodiscard]] double P_of(std::size_t slot) const noexcept
    {
        return slot < 3 ? P[slot] : beyond->P[slot - 3];
    }
    [[nodiscard]] double U_plus_of(std::size_t slot) const noexcept
    {
        return slot < 3 ? U_plus[slot] : beyond->U_plus[slot - 3];
    }

    /// On the first body, world axes: force at the point, cohesion with it, and moment of rolling.
    [[nodiscard]] Vec3 percussion_Ns() const;
    [[nodiscard]] Vec3 moment_Nms() const;
};

/// What a joint did during a step, on its first body, world axes.
struct JointReaction {
    Vec3 percussion_Ns{0, 0, 0};  ///< at the joint's point
    Vec3 moment_Nms{0, 0, 0};     ///< about it; what motors, stops and friction do is in it

    // what brought the velocities back onto the joint at the end of the step (CO-4); none for gears
    Vec3 held_Ns{0, 0, 0}, held_moment_Nms{0, 0, 0};
};

/// Above this number of bodies no free-body diagrams are kept.
inline constexpr int max_bodies_with_diagrams = 1000;

/// Contact points in the configuration of `state` with gaps up to `reach_m`, sorted by bodies: for inspection
/// without stepping.
[[nodiscard]] std::vector<BodyContact> body_contacts(const BodyModel& model, const State& state,
                                                     double reach_m);

}  // namespace carom
