#include "joints.hpp"

#include "system/bodies/joint_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace carom {
namespace {

constexpr std::array kind_names{"fixed",     "revolute", "spherical", "prismatic", "cylindrical",
                                "universal", "planar",   "distance",  "string",    "gear"};

/// Collects what is wrong with one joint.
class JointCheck {
public:
    JointCheck(const BodySetup& setup, std::size_t place, bool flat, Errors& errors)
        : setup_(setup), joint_(setup.joints[place]), place_(place), flat_(flat), errors_(errors)
    {
    }

    void run()
    {
        if (joint_.kind == JointKind::Gear) {
            check_gear();
            return;
        }
        if (!check_bodies()) return;
        check_directions();
        check_freedom(joint_.turn, "turn", turns(joint_.kind) || joint_.kind == JointKind::Spherical);
        check_freedom(joint_.slide, "slide", slides(joint_.kind));
        check_cone();
        check_length();
    }

private:
    void refuse(ErrorCode code, std::string message, const char* hint)
    {
        const std::string where =
            joint_.name.empty() ? fmt::format("joint[{}]", place_) : "joint." + joint_.name;
        errors_.push_back(
            {.code = code, .where = where, .message = std::move(message), .hint = hint, .excerpt = {}});
    }

    void check_gear()
    {
        const auto has_freedom = [&](int joint) {
            if (joint < 0 || joint >= static_cast<int>(setup_.joints.size())) return false;
            const JointKind kind = setup_.joints[static_cast<std::size_t>(joint)].kind;
            return turns(kind) || slides(kind);
        };
        if (!has_freedom(joint_.first_joint) || !has_freedom(joint_.second_joint) ||
            joint_.first_joint == joint_.second_joint) {
            refuse(ErrorCode::UnknownName, "a gear needs two joints that turn or slide",
                   "name two different joints of the list, revolute, cylindrical, planar or prismatic");
        }
        if (!(std::isfinite(joint_.ratio) && joint_.ratio != 0)) {
            refuse(ErrorCode::SettingOutOfRange, fmt::format("the ratio is {}", joint_.ratio),
                   "give a number that is not zero");
        }
    }

    bool check_bodies()
    {
        const int bodies = static_cast<int>(setup_.bodies.size());
        if (joint_.first < 0 || joint_.first >= bodies || joint_.second < -1 || joint_.second >= bodies ||
            joint_.first == joint_.second) {
            refuse(ErrorCode::UnknownName, "a joint of unknown bodies, or of a body with itself",
                   "name two bodies of the list, or -1 for the world as the second");
            return false;
        }
        const auto moves = [&](int body) {
            return body >= 0 && setup_.bodies[static_cast<std::size_t>(body)].motion == BodyMotion::Free;
        };
        if (!moves(joint_.first) && !moves(joint_.second)) {
            refuse(ErrorCode::NotAllowedHere, "neither of the joined bodies is free to move",
                   "let one of them be free");
        }
        return true;
    }

    void check_directions()
    {
        const auto has_direction = [](const Vec3& axis) { return axis.allFinite() && axis.norm() > 0; };
        if (!joint_.point_m.allFinite() || !has_direction(joint_.axis)) {
            refuse(ErrorCode::SettingOutOfRange, "the point is not finite or the axis has no direction",
                   "give a finite point and an axis that is not zero");
            return;
        }
        const Vec3 axis = joint_.axis.normalized();
        if (joint_.kind == JointKind::Universal &&
            !(has_direction(joint_.second_axis) &&
              std::abs(axis.dot(joint_.second_axis.normalized())) <= 1e-9)) {
            refuse(ErrorCode::SettingOutOfRange, "the axes of a universal joint are not at right angles",
                   "give a second_axis across the axis");
        }
        if (!flat_) return;
        const bool in_plane = axis.z() == 0, upright = axis.x() == 0 && axis.y() == 0;
        const bool fits = joint_.kind == JointKind::Prismatic  ? in_plane
                          : joint_.kind == JointKind::Revolute ? upright
                          : joint_.kind == JointKind::Planar   ? upright
                          : joint_.kind == JointKind::Cylindrical || joint_.kind == JointKind::Universal
                              ? false
                              : true;
        if (!fits) {
            refuse(ErrorCode::NotAllowedHere,
                   fmt::format("this {} joint leaves the plane z = 0", name_of(joint_.kind)),
                   "in the plane turn about z and slide along x and y");
        }
    }

    void check_freedom(const JointFreedom& freedom, const char* name, bool has_it)
    {
        if (!has_it) {
            if (!freedom.is_plain()) {
                refuse(ErrorCode::NotAllowedHere,
                       fmt::format("a {} joint has no {}", name_of(joint_.kind), name),
                       "leave its limits, motor, friction and damping out");
            }
            return;
        }
        const double low = freedom.low.value_or(0), high = freedom.high.value_or(0);
        const bool fine = low <= 0 && high >= 0 && !std::isinf(low) && !std::isinf(high) &&
                          freedom.restitution >= 0 && freedom.restitution <= 1 && freedom.motor_limit > 0 &&
                          freedom.friction >= 0 && std::isfinite(freedom.friction) &&
                          freedom.friction_arm >= 0 && std::isfinite(freedom.friction_arm) &&
                          freedom.damping >= 0 && std::isfinite(freedom.damping);
        if (!fine) {
            refuse(ErrorCode::SettingOutOfRange, fmt::format("a number of its {} is out of range", name),
                   "low <= 0 <= high, restitution from 0 to 1, a motor limit above 0, friction and damping "
                   "from 0 on");
        }
    }

    /// The cone of a spherical joint has an opening and no motor.
    void check_cone()
    {
        if (joint_.kind != JointKind::Spherical) return;
        if (joint_.turn.low || joint_.turn.has_motor() || joint_.turn.friction_arm > 0) {
            refuse(ErrorCode::NotAllowedHere,
                   "a spherical joint has no motor, no lower stop, no pressed friction",
                   "give high, the angle of its cone, friction and damping only");
        }
        if (joint_.turn.high && !(*joint_.turn.high > 0 && *joint_.turn.high < 3.1415)) {
            refuse(ErrorCode::SettingOutOfRange, fmt::format("the cone opens to {} rad", *joint_.turn.high),
                   "give an angle between 0 and pi");
        }
    }

    void check_length()
    {
        if (joint_.kind != JointKind::Distance && joint_.kind != JointKind::String) return;
        const bool fine = joint_.first_point_m.allFinite() && joint_.second_point_m.allFinite() &&
                          (!joint_.length_m || (*joint_.length_m > 0 && std::isfinite(*joint_.length_m)));
        if (!fine || !(joint_.restitution >= 0 && joint_.restitution <= 1)) {
            refuse(ErrorCode::SettingOutOfRange, "its points, length or restitution are out of range",
                   "give finite points, a length above zero, a restitution from 0 to 1");
        }
    }

    const BodySetup& setup_;
    const Joint& joint_;
    std::size_t place_;
    bool flat_;
    Errors& errors_;
};

}  // namespace

const char* name_of(JointKind kind) noexcept
{
    return kind_names[static_cast<std::size_t>(kind)];
}

bool turns(JointKind kind) noexcept
{
    return kind == JointKind::Revolute || kind == JointKind::Cylindrical || kind == JointKind::Planar;
}

bool slides(JointKind kind) noexcept
{
    return kind == JointKind::Prismatic || kind == JointKind::Cylindrical;
}

bool has(const Joint& joint, JointAct act) noexcept
{
    const bool about = turns(joint.kind), along = slides(joint.kind);
    const bool ball = joint.kind == JointKind::Spherical;
    const auto rubs = [](const JointFreedom& freedom) {
        return freedom.friction > 0 || freedom.friction_arm > 0;
    };
    switch (act) {
    case JointAct::TurnLow: return about && joint.turn.low;
    case JointAct::TurnHigh: return (about || ball) && joint.turn.high;
    case JointAct::SlideLow: return along && joint.slide.low;
    case JointAct::SlideHigh: return along && joint.slide.high;
    case JointAct::Taut: return joint.kind == JointKind::String;
    case JointAct::TurnMotor: return about && joint.turn.has_motor();
    case JointAct::SlideMotor: return along && joint.slide.has_motor();
    case JointAct::TurnFriction: return about ? rubs(joint.turn) : ball && joint.turn.friction > 0;
    case JointAct::SlideFriction: return along && rubs(joint.slide);
    }
    return false;
}

std::string name_of_act(std::string_view joint, JointAct act)
{
    constexpr std::array<const char*, joint_acts> words{
        ".turn.low",   ".turn.high",   ".slide.low",     ".slide.high",    "",
        ".turn.motor", ".slide.motor", ".turn.friction", ".slide.friction"};
    return std::string(joint) + words[static_cast<std::size_t>(act)];
}

void detail::check_joints(const BodySetup& setup, bool flat, Errors& errors)
{
    for (std::size_t i = 0; i < setup.joints.size(); ++i) {
        JointCheck(setup, i, flat, errors).run();
    }
}

void detail::check_start(const BodyModel& model, Errors& errors)
{
    if (model.setup().joints.empty()) return;
    const State start = make_body_state(model);
    std::vector<Vec3> w;
    double fastest = 0;
    for (int i = 0; i < start.bodies(); ++i) {
        w.emplace_back(start.R[i] * start.W[i]);
        fastest = std::max({fastest, start.v[i].norm(), w.back().norm()});
    }
    BodyRows rows;
    std::vector<JointPart> parts;
    add_joint_rows(model, {.x = start.x, .R = start.R, .turns = start.turns, .drives = false}, rows, parts);
    for (int row = 0; row < rows.size(); ++row) {
        const JointPart& part = parts[static_cast<std::size_t>(row)];
        const auto terms = rows.row(row);
        const bool all_free = std::all_of(terms.begin(), terms.end(), [&](const BodyRows::Term& term) {
            return model.setup().bodies[static_cast<std::size_t>(term.block)].motion !=
                   BodyMotion::Prescribed;
        });
        const double speed = rows.velocity(row, start.v, w);
        const bool held = part.kind == JointPart::Kind::Held;
        if (held && all_free && std::abs(speed) > 1e-6 * fastest) {
            const Joint& joint = model.setup().joints[static_cast<std::size_t>(part.joint)];
            errors.push_back(
                {.code = ErrorCode::SettingOutOfRange,
                 .where = joint.name.empty() ? fmt::format("joint[{}]", part.joint) : "joint." + joint.name,
                 .message = fmt::format(
                     "the initial velocities of its bodies violate it by {:.4g} m/s or rad/s", speed),
                 .hint = "give both bodies velocities that the joint allows",
                 .excerpt = {}});
            return;  // one is enough: the others follow from it
        }
        if (!held && part.value < -1e-9 * model.length_m()) {
            errors.push_back(
                {.code = ErrorCode::SettingOutOfRange,
                 .where = fmt::format("joint[{}]", part.joint),
                 .message = fmt::format("it is beyond its limit by {:.4g} at the start", -part.value),
                 .hint = "give a longer string, or put its ends closer",
                 .excerpt = {}});
            return;
        }
    }
}

bool BodyModel::are_joined(int a, int b) const noexcept
{
    return std::binary_search(joined_.begin(), joined_.end(), std::array{std::min(a, b), std::max(a, b)});
}

void BodyModel::frame_joints()
{
    const State start = make_body_state(*this);
    for (const Joint& joint : setup_.joints) {
        JointFrame& frame = joint_frames.emplace_back();
        if (joint.kind == JointKind::Gear) continue;
        const auto a = static_cast<std::size_t>(joint.first), b = static_cast<std::size_t>(joint.second);
        const bool world = joint.second < 0;
        if (!joint.collide && !world) {
            joined_.push_back({std::min(joint.first, joint.second), std::max(joint.first, joint.second)});
        }
        if (joint.kind == JointKind::Distance || joint.kind == JointKind::String) {
            frame.first_point = joint.first_point_m - centre[a];
            frame.second_point = world ? joint.second_point_m : Vec3(joint.second_point_m - centre[b]);
            const Vec3 from = world ? frame.second_point : Vec3(start.x[b] + start.R[b] * frame.second_point);
            frame.length_m =
                joint.length_m.value_or((start.x[a] + start.R[a] * frame.first_point - from).norm());
            continue;
        }
        // z along the axis; x along the second axis of a universal joint
        Mat3 axes;
        Vec3 x, y;
        const Vec3 z = joint.axis.normalized();
        tangents(z, x, y);
        if (joint.kind == JointKind::Universal) {
            x = joint.second_axis.normalized();
            y = z.cross(x);
        }
        axes << x, y, z;
        frame.first_point = start.R[a].conjugate() * (joint.point_m - start.x[a]);
        frame.first_axes = start.R[a].conjugate().toRotationMatrix() * axes;
        frame.second_point =
            world ? joint.point_m : Vec3(start.R[b].conjugate() * (joint.point_m - start.x[b]));
        frame.second_axes = world ? axes : Mat3(start.R[b].conjugate().toRotationMatrix() * axes);
    }
    std::sort(joined_.begin(), joined_.end());
}

void BodyModel::number_actors()
{
    actor_of_.resize(setup_.joints.size());
    const auto number = [&](bool stops_wanted) {
        for (std::size_t j = 0; j < setup_.joints.size(); ++j) {
            for (std::size_t k = 0; k < joint_acts; ++k) {
                const auto act = static_cast<JointAct>(k);
                if (is_stop(act) != stops_wanted) continue;
                const bool there = has(setup_.joints[j], act);
                actor_of_[j][k] = there ? static_cast<int>(actors.size()) : -1;
                if (there) actors.push_back({static_cast<int>(j), act});
            }
        }
    };
    number(true);
    stops = static_cast<int>(actors.size());
    number(false);
}

std::string BodyModel::name_of_actor(int actor) const
{
    const Actor& one = actors[static_cast<std::size_t>(actor)];
    return name_of_act(setup_.joints[static_cast<std::size_t>(one.joint)].name, one.act);
}

BodyModel::JointPlace BodyModel::place_of_joint(int joint, std::span<const Vec3> x,
                                                std::span<const Rotation> R) const
{
    const Joint& text = setup_.joints[static_cast<std::size_t>(joint)];
    const JointFrame& frame = joint_frames[static_cast<std::size_t>(joint)];
    const auto a = static_cast<std::size_t>(text.first);
    JointPlace place{.first_point = x[a] + R[a] * frame.first_point,
                     .second_point = frame.second_point,
                     .first_axes = R[a].toRotationMatrix() * frame.first_axes,
                     .second_axes = frame.second_axes};
    if (text.second >= 0) {
        const auto b = static_cast<std::size_t>(text.second);
        place.second_point = x[b] + R[b] * frame.second_point;
        place.second_axes = R[b].toRotationMatrix() * frame.second_axes;
    }
    return place;
}

void BodyModel::joint_damping(std::span<const Vec3> x, std::span<const Rotation> R, std::span<const Vec3> v,
                              std::span<const Vec3> W, std::span<Wrench> wrenches) const
{
    for (std::size_t j = 0; j < setup_.joints.size(); ++j) {
        const Joint& joint = setup_.joints[j];
        if (joint.turn.damping == 0 && joint.slide.damping == 0) continue;
        const JointPlace place = place_of_joint(static_cast<int>(j), x, R);
        const auto a = static_cast<std::size_t>(joint.first), b = static_cast<std::size_t>(joint.second);
        const bool world = joint.second < 0;
        const Vec3 axis = place.second_axes.col(2);
        const Vec3 w_a = R[a] * W[a], w_b = world ? Vec3(Vec3::Zero()) : Vec3(R[b] * W[b]);

        // spherical: against all turning; others: against turning about and sliding along the axis
        const Vec3 turning = w_a - w_b;
        const bool all_ways = joint.kind == JointKind::Spherical;
        const Vec3 torque = -joint.turn.damping * (all_ways ? turning : Vec3(axis.dot(turning) * axis));
        const Vec3 arm_a = place.first_point - x[a];
        const Vec3 arm_b = world ? Vec3(Vec3::Zero()) : Vec3(place.first_point - x[b]);
        const Vec3 v_b = world ? Vec3(Vec3::Zero()) : Vec3(v[b] + w_b.cross(arm_b));
        const Vec3 force = -joint.slide.damping * axis.dot(v[a] + w_a.cross(arm_a) - v_b) * axis;
        wrenches[a].force_N += force;
        wrenches[a].torque_Nm += torque + arm_a.cross(force);
        if (world) continue;
        wrenches[b].force_N -= force;
        wrenches[b].torque_Nm -= torque + arm_b.cross(force);
    }
}

double BodyModel::joint_angle(int joint, std::span<const Vec3> x, std::span<const Rotation> R) const
{
    const JointPlace place = place_of_joint(joint, x, R);
    const Vec3 turned = place.first_axes.col(0);
    return std::atan2(place.second_axes.col(1).dot(turned), place.second_axes.col(0).dot(turned));
}

double BodyModel::joint_displacement_m(int joint, std::span<const Vec3> x, std::span<const Rotation> R) const
{
    const JointPlace place = place_of_joint(joint, x, R);
    return place.second_axes.col(2).dot(place.first_point - place.second_point);
}

}  // namespace carom
