#pragma once

#include "carom/geometry/shape.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace carom {

/// Joints of rigid bodies, as the user describes them. `point_m`, `axis` and `second_axis` are those of
/// the world at the start: bodies are joined in their start positions, so that no joint is violated there.
///
///     fixed         nothing moves
///     revolute      turns about the axis
///     spherical     turns
///     prismatic     slides along the axis
///     cylindrical   slides along the axis and turns about it
///     universal     turns about `axis`, which the first body keeps, and about `second_axis` of the second
///     planar        slides across the axis and turns about it
///     distance      two points keep their distance
///     string        the distance of two points has an upper bound
///     gear          a freedom of one joint follows that of another:  rate + ratio other rate = 0
///
/// Symbols    theta   angle of the first body against the second about the axis, rad, 0 at the start; turns
///                    are counted
///            s       displacement of the first body's point along the axis, m, 0 at the start
/// Theory     docs/theory/bodies.md, (BO-12) rows of joints, (BO-13) limits, motors, friction

enum class JointKind {
    Fixed,
    Revolute,
    Spherical,
    Prismatic,
    Cylindrical,
    Universal,
    Planar,
    Distance,
    String,
    Gear,
};

/// The word used in scenes and messages, e.g. "revolute".
[[nodiscard]] const char* name_of(JointKind kind) noexcept;

struct State;

/// What may act on one degree of freedom of a joint: theta in rad, rad/s, N m, or s in m, m/s, N.
struct JointFreedom {
    std::optional<double> low = {}, high = {};  ///< stops, low <= 0 <= high
    double restitution = 0;                     ///< of the stops, in [0, 1]

    /// A motor holds this rate within its limit.
    std::function<double(double t_s)> motor_rate = {};
    double motor_limit = std::numeric_limits<double>::infinity();  ///< N m or N, > 0

    /// The same as formulas of the state at the midpoint of a step, instead: a control in the loop. Empty: as
    /// above.
    std::function<double(const State& state)> motor_rate_of = {}, motor_limit_of = {};
    [[nodiscard]] bool has_motor() const noexcept { return motor_rate || motor_rate_of; }

    double friction = 0;      ///< dry friction of constant size, N m or N, >= 0
    double friction_arm = 0;  ///< dry friction from the reaction: at most this times |R|; m for angles
                              ///< (coefficient times radius of the pin), dimensionless for displacements
    double damping = 0;       ///< N m s or N s/m, >= 0

    [[nodiscard]] bool is_plain() const noexcept
    {
        return !low && !high && !has_motor() && friction == 0 && friction_arm == 0 && damping == 0;
    }
};

struct Joint {
    std::string name = {};
    JointKind kind = JointKind::Revolute;
    int first = 0, second = -1;  ///< bodies; -1: the world
    Vec3 point_m{0, 0, 0};       ///< where they are joined
    Vec3 axis{0, 0, 1};          ///< any length but zero
    Vec3 second_axis{1, 0, 0};   ///< of a universal joint, across the axis

    /// Distance and string: points in the frames of the shapes, or of the world, as for springs.
    Vec3 first_point_m{0, 0, 0}, second_point_m{0, 0, 0};
    std::optional<double> length_m = {};  ///< empty: as far apart as they are at the start
    double restitution = 0;               ///< of a string that becomes taut, in [0, 1]

    /// Gear: joints by their place in the list, each with one freedom (the turn where it has both).
    int first_joint = 0, second_joint = 0;
    double ratio = 1;

    JointFreedom turn = {};   ///< revolute, cylindrical, planar; of spherical and universal joints the angle
                              ///< between the axes as both bodies keep them: `high` and friction only
    JointFreedom slide = {};  ///< prismatic, cylindrical

    bool collide = false;  ///< whether the two bodies can touch each other
};

/// What acts on the free directions of a joint. Stops come first.
enum class JointAct : std::uint8_t {
    TurnLow,
    TurnHigh,  ///< of a spherical joint its cone
    SlideLow,
    SlideHigh,
    Taut,  ///< a string
    TurnMotor,
    SlideMotor,
    TurnFriction,
    SlideFriction,
};
inline constexpr std::size_t joint_acts = 9;

[[nodiscard]] constexpr bool is_stop(JointAct act) noexcept
{
    return act <= JointAct::Taut;
}

/// Whether a joint has it.
[[nodiscard]] bool has(const Joint& joint, JointAct act) noexcept;

/// Its name in events, by the keys of scenes: "knee.turn.high", "knee.turn.motor"; of a string its name
/// alone.
[[nodiscard]] std::string name_of_act(std::string_view joint, JointAct act);

/// Freedoms that a kind has about and along its axis.
[[nodiscard]] bool turns(JointKind kind) noexcept;
[[nodiscard]] bool slides(JointKind kind) noexcept;

}  // namespace carom
