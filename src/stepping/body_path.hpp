#pragma once

#include "body_parts.hpp"

#include <cmath>
#include <variant>

namespace carom::detail {

/// Ways of bodies within a step, for contacts that it would pass over (BO-23) and for what it has passed
/// through all the same (BO-18).

/// A pair that moves less than this part of its thinner body's thickness in a step cannot pass unseen.
inline constexpr double seen = 0.5;

/// Places on the path of one pair that are looked at.
inline constexpr int max_looks = 200;

/// The places of the bodies at the start of a step, half-way and at its end.
struct Path {
    const BodyModel& model;
    const State &start, &mid, &end, &contacts_at;

    /// time from 0 to 1; straight to half-way and on from there, as the step goes.
    [[nodiscard]] Pose at(int body, double time) const
    {
        const auto k = static_cast<std::size_t>(body);
        const State& from = time < 0.5 ? start : mid;
        const State& to = time < 0.5 ? mid : end;
        const double part = time < 0.5 ? 2 * time : 2 * time - 1;
        const Vec3 angle = rotation_vector(from.R[k].conjugate() * to.R[k]);
        return {.position_m = from.x[k] + part * (to.x[k] - from.x[k]),
                .rotation = turned(from.R[k], part * angle)};
    }

    /// Bound of how far a point of the body goes in a half of the step.
    [[nodiscard]] double travel_m(int body, bool second_half) const
    {
        const auto k = static_cast<std::size_t>(body);
        const State& from = second_half ? mid : start;
        const State& to = second_half ? end : mid;
        const double radius = model.colliders[k].radius_m;
        const double turn =
            2 * (from.R[k].conjugate() * to.R[k]).vec().norm();  // >= 0.9 of the angle to 1.5 rad
        return (to.x[k] - from.x[k]).norm() + (std::isfinite(radius) ? 1.5 * turn * radius : 0);
    }
    /// No less than that, without a product of rotations: |sin(a/2)| <= |R+ - R|, a distance of quaternions.
    [[nodiscard]] double travel_bound_m(int body) const
    {
        const auto k = static_cast<std::size_t>(body);
        const double radius = model.colliders[k].radius_m;
        const double turns =
            (mid.R[k].coeffs() - start.R[k].coeffs()).norm() + (end.R[k].coeffs() - mid.R[k].coeffs()).norm();
        return (mid.x[k] - start.x[k]).norm() + (end.x[k] - mid.x[k]).norm() +
               (std::isfinite(radius) ? 1.5 * 2 * turns * radius : 0);
    }
    [[nodiscard]] double travel_m(int body) const { return travel_m(body, false) + travel_m(body, true); }

    /// The two parts of that: how the centre moves, and how far turning takes a point.
    [[nodiscard]] Vec3 moved(int body, bool second_half) const
    {
        const auto k = static_cast<std::size_t>(body);
        return second_half ? Vec3(end.x[k] - mid.x[k]) : Vec3(mid.x[k] - start.x[k]);
    }
    [[nodiscard]] double turn_m(int body, bool second_half) const
    {
        return travel_m(body, second_half) - moved(body, second_half).norm();
    }
};

[[nodiscard]] inline bool is_half_space(const BodyModel& model, int body)
{
    return std::holds_alternative<PlaneShape>(model.colliders[static_cast<std::size_t>(body)].shape);
}

[[nodiscard]] inline bool is_surface(const BodyModel& model, int body)
{
    return model.colliders[static_cast<std::size_t>(body)].surface != nullptr;
}

/// Where a point of a body comes to from one pose to another; `inward` leads into the body. A round body is
/// carried by its core: turning lifts no ball off what it rolls on.
[[nodiscard]] inline Vec3 carried(const Collider& collider, const Pose& from, const Pose& to,
                                  const Vec3& point, const Vec3& inward)
{
    const Vec3 to_core = collider.hull.radius_m * inward;
    return to.to_world(from.to_body(point + to_core)) - to_core;
}

/// Prescribed bodies that jump onto others (BO-31); `small_m`: what moves by less does not jump.
void look_at_jumps(const Path& path, double small_m, const BodyStepMemory& s, StepReport& report);

}  // namespace carom::detail
