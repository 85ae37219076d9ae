#pragma once

#include "system/bodies/body_rows.hpp"

#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace carom {

/// What joints ask of a step: rows over the bodies, and what each stands for.
///
/// Theory     docs/theory/bodies.md, (BO-12) rows of joints, (BO-13) stops, motors, friction

struct JointPart {
    enum class Kind {
        Held,      ///< a position that stays zero
        Stop,      ///< a gap that stays positive: limits, cones, strings
        Motor,     ///< holds a rate as far as it can
        Friction,  ///< holds rest as far as it can
    };

    int joint = 0;
    Kind kind = Kind::Held;
    int actor = -1;          ///< in BodyModel::actors; -1: held
    int dimension = 1;       ///< rows; three for the friction of a spherical joint
    double value = 0;        ///< violation of what is held, gap of a stop; m or rad
    double restitution = 0;  ///< of a stop; 0 where it persists
    double may_close = 0;    ///< an open stop without restitution may close so fast (BO-9)
    double rate = 0;         ///< of a motor, rad/s or m/s
    double largest = std::numeric_limits<double>::infinity();  ///< reaction of motors and friction, N m or N
    double arm = 0;     ///< friction grows by this times the magnitude of the held rows' force
    double held_J = 0;  ///< what it did in a step while it held, no work in theory (LE-26)
};

/// Appends the rows of all joints at these places, in the order of the joints, and one part for each row, or
/// for three. `turns`: angles with whole turns, near those at these places. Stops with restitution that are
/// open by more than `closed_gap` have no row: they act when they have closed; those that `touched`, by
/// actor, have one, because they may persist. With `moved` stops without restitution have none either while
/// they are out of reach (BO-42). Without `drives` only what is held, and the stops.
struct JointQuery {
    double t_s = 0;
    std::span<const Vec3> x;
    std::span<const Rotation> R;
    std::span<const double> turns;
    double closed_gap = 0;
    std::span<const char> touched = {};
    const State* state = nullptr;  ///< half-way, for motors that depend on it
    /// Velocities before the step and without percussions, of bodies, times the step.
    struct Moved {
        std::span<const Vec3> v, w, v_free, w_free;
        double step_s = 0;
    };
    std::optional<Moved> moved = {};
    bool drives = true;
};
void add_joint_rows(const BodyModel& model, const JointQuery& at, BodyRows& rows,
                    std::vector<JointPart>& parts);

/// The angle nearest to `before` that differs from `angle` by whole turns.
[[nodiscard]] double with_turns(double before, double angle) noexcept;

}  // namespace carom
