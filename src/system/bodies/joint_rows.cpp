#include "system/bodies/joint_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom {
namespace {

/// Writes the rows of one joint.
class JointWriter {
public:
    JointWriter(const BodyModel& model, int joint, const JointQuery& at, BodyRows& rows,
                std::vector<JointPart>& parts)
        : model_(model),
          number_(joint),
          joint_(model.setup().joints[static_cast<std::size_t>(joint)]),
          x_(at.x),
          R_(at.R),
          turns_(at.turns),
          closed_gap_(at.closed_gap),
          touched_(at.touched),
          state_(at.state),
          moved_(at.moved),
          rows_(rows),
          parts_(parts)
    {
        if (joint_.kind != JointKind::Gear) place_ = model.place_of_joint(joint, x_, R_);
    }

    void hold()
    {
        switch (joint_.kind) {
        case JointKind::Gear: hold_gear(); return;
        case JointKind::Distance: hold_distance(); return;
        case JointKind::String: return;
        case JointKind::Fixed:
            hold_points(0, 3);
            hold_turn();
            return;
        case JointKind::Prismatic:
            hold_points(0, 2);
            hold_turn();
            return;
        case JointKind::Revolute:
            hold_points(0, 3);
            hold_axis();
            return;
        case JointKind::Cylindrical:
            hold_points(0, 2);
            hold_axis();
            return;
        case JointKind::Planar:
            hold_points(2, 3);
            hold_axis();
            return;
        case JointKind::Spherical: hold_points(0, 3); return;
        case JointKind::Universal:
            hold_points(0, 3);
            // the axis of the first stays across the second axis of the second
            hold_angle(place_.first_axes.col(2), place_.second_axes.col(0));
            return;
        }
    }

    void stop()
    {
        if (joint_.kind == JointKind::String) stop_string();
        if (joint_.kind == JointKind::Spherical && joint_.turn.high) stop_cone(*joint_.turn.high);
        if (turns(joint_.kind) && (joint_.turn.low || joint_.turn.high)) {
            const double theta =
                with_turns(turns_[static_cast<std::size_t>(number_)], model_.joint_angle(number_, x_, R_));
            stop_freedom(joint_.turn, theta, JointAct::TurnLow, [&](double sign) { turn_row(sign); });
        }
        if (slides(joint_.kind) && (joint_.slide.low || joint_.slide.high)) {
            stop_freedom(joint_.slide, model_.joint_displacement_m(number_, x_, R_), JointAct::SlideLow,
                         [&](double sign) { slide_row(sign); });
        }
    }

    void drive(double t_s)
    {
        if (turns(joint_.kind))
            drive_freedom(joint_.turn, JointAct::TurnMotor, JointAct::TurnFriction, t_s,
                          [&] { turn_row(1); });
        if (slides(joint_.kind))
            drive_freedom(joint_.slide, JointAct::SlideMotor, JointAct::SlideFriction, t_s,
                          [&] { slide_row(1); });
        if (joint_.kind == JointKind::Spherical && joint_.turn.friction > 0) {
            const int first = model_.is_flat() ? 2 : 0;
            for (int k = first; k < 3; ++k) {
                rows_.begin_row();
                add_turn(number_, Vec3::Unit(k));
            }
            part({.kind = JointPart::Kind::Friction,
                  .actor = actor(JointAct::TurnFriction),
                  .dimension = 3 - first,
                  .largest = joint_.turn.friction});
        }
    }

private:
    void part(JointPart one)
    {
        one.joint = number_;
        parts_.push_back(one);
    }

    [[nodiscard]] int actor(JointAct act) const { return model_.actor_of(number_, act); }

    [[nodiscard]] bool has_touched(JointAct act) const
    {
        return !touched_.empty() && touched_[static_cast<std::size_t>(actor(act))] != 0;
    }
    [[nodiscard]] bool is_far(JointAct act, double gap, double restitution) const
    {
        return restitution > 0 && gap > closed_gap_ && !has_touched(act);
    }

    /// What the step can move along the last row, h (sum |v| + sum |v_free|), is less than the gap (BO-42).
    [[nodiscard]] bool is_out_of_reach(double gap) const
    {
        double speeds = 0;
        for (const BodyRows::Term& term : rows_.row(rows_.size() - 1)) {
            const auto k = static_cast<std::size_t>(term.block);
            speeds += term.v.norm() * (moved_->v[k].norm() + moved_->v_free[k].norm()) +
                      term.w.norm() * (moved_->w[k].norm() + moved_->w_free[k].norm());
        }
        return gap > closed_gap_ + moved_->step_s * speeds;
    }

    /// The stop of the last row, which is taken back where the step does not reach it.
    void stop_part(JointAct act, double gap, double restitution)
    {
        if (moved_ && restitution == 0 && !has_touched(act) && is_out_of_reach(gap)) {
            rows_.drop_row();
            return;
        }
        part({.kind = JointPart::Kind::Stop, .actor = actor(act), .value = gap, .restitution = restitution});
    }

    /// Terms of a rotation of the first body against the second, along a direction of the world.
    void add_turn(int joint, const Vec3& along)
    {
        const Joint& text = model_.setup().joints[static_cast<std::size_t>(joint)];
        rows_.add(text.first, Vec3::Zero(), along);
        rows_.add(text.second, Vec3::Zero(), -along);
    }

    /// Terms of a direction d that the second body keeps:  d/dt of  d . (p_first - p_second).
    void add_displacement(int joint, const Vec3& d, const Vec3& at)
    {
        const Joint& text = model_.setup().joints[static_cast<std::size_t>(joint)];
        rows_.add(text.first, d, (at - x_[static_cast<std::size_t>(text.first)]).cross(d));
        if (text.second < 0) return;
        rows_.add(text.second, -d, -(at - x_[static_cast<std::size_t>(text.second)]).cross(d));
    }

    void turn_row(double sign)
    {
        rows_.begin_row();
        add_turn(number_, sign * place_.second_axes.col(2));
    }
    void slide_row(double sign)
    {
        rows_.begin_row();
        add_displacement(number_, sign * place_.second_axes.col(2), place_.first_point);
    }

    /// Bodies of the plane do not move along z, and turn about nothing else.
    [[nodiscard]] bool leaves_plane(const Vec3& d) const { return model_.is_flat() && std::abs(d.z()) > 0.5; }

    void hold_points(int from, int to)
    {
        for (int k = from; k < to; ++k) {
            const Vec3 d = place_.second_axes.col(k);
            if (leaves_plane(d)) continue;
            rows_.begin_row();
            add_displacement(number_, d, place_.first_point);
            part({.value = d.dot(place_.first_point - place_.second_point)});
        }
    }

    /// All of the rotation: its vector stays zero.
    void hold_turn()
    {
        const Mat3 relative = place_.second_axes.transpose() * place_.first_axes;
        const Vec3 angle = rotation_vector(Rotation(relative));
        for (int k = 0; k < 3; ++k) {
            const Vec3 d = place_.second_axes.col(k);
            if (model_.is_flat() && !leaves_plane(d)) continue;
            rows_.begin_row();
            add_turn(number_, d);
            part({.value = angle[k]});
        }
    }

    /// Two directions, of the first and of the second body, stay at right angles.
    void hold_angle(const Vec3& first, const Vec3& second)
    {
        rows_.begin_row();
        add_turn(number_, first.cross(second));
        part({.value = first.dot(second)});
    }
    void hold_axis()
    {
        if (model_.is_flat()) return;
        hold_angle(place_.first_axes.col(2), place_.second_axes.col(0));
        hold_angle(place_.first_axes.col(2), place_.second_axes.col(1));
    }

    /// The line between the two points: its direction, and a row of its length.
    double length_row(double sign)
    {
        const Vec3 along = place_.first_point - place_.second_point;
        const double length = along.norm();
        const Vec3 n = length > 0 ? Vec3(along / length) : Vec3(Vec3::UnitX());
        rows_.begin_row();
        const Vec3 d = sign * n;
        rows_.add(joint_.first, d,
                  (place_.first_point - x_[static_cast<std::size_t>(joint_.first)]).cross(d));
        if (joint_.second >= 0) {
            rows_.add(joint_.second, -d,
                      -(place_.second_point - x_[static_cast<std::size_t>(joint_.second)]).cross(d));
        }
        return length;
    }
    void hold_distance()
    {
        const double length = length_row(1);
        part({.value = length - model_.joint_frames[static_cast<std::size_t>(number_)].length_m});
    }
    void stop_string()
    {
        const double length = (place_.first_point - place_.second_point).norm();
        const double gap = model_.joint_frames[static_cast<std::size_t>(number_)].length_m - length;
        if (is_far(JointAct::Taut, gap, joint_.restitution)) return;
        length_row(-1);
        stop_part(JointAct::Taut, gap, joint_.restitution);
    }

    /// Adds the freedom of a joint to a gear's row and returns where it stands.
    double add_freedom(int joint, double factor)
    {
        const auto k = static_cast<std::size_t>(joint);
        const BodyModel::JointPlace place = model_.place_of_joint(joint, x_, R_);
        const Vec3 d = factor * place.second_axes.col(2);
        if (turns(model_.setup().joints[k].kind)) {
            add_turn(joint, d);
            return factor * with_turns(turns_[k], model_.joint_angle(joint, x_, R_));
        }
        add_displacement(joint, d, place.first_point);
        return factor * model_.joint_displacement_m(joint, x_, R_);
    }
    void hold_gear()
    {
        rows_.begin_row();
        const double first = add_freedom(joint_.first_joint, 1);
        part({.value = first + add_freedom(joint_.second_joint, joint_.ratio)});
    }

    /// The angle between the axes as both bodies keep them.
    void stop_cone(double opening)
    {
        const Vec3 first = place_.first_axes.col(2), second = place_.second_axes.col(2);
        const Vec3 across = second.cross(first);
        const double sine = across.norm();
        const double gap = opening - std::atan2(sine, first.dot(second));
        // no direction along the axis
        if (!(sine > 0) || is_far(JointAct::TurnHigh, gap, joint_.turn.restitution)) return;
        rows_.begin_row();
        add_turn(number_, -across / sine);
        stop_part(JointAct::TurnHigh, gap, joint_.turn.restitution);
    }

    template <class Row>
    void stop_freedom(const JointFreedom& freedom, double at, JointAct low, Row&& row)
    {
        const auto stop_at = [&](JointAct act, double sign, double gap) {
            if (is_far(act, gap, freedom.restitution)) return;
            row(sign);
            stop_part(act, gap, freedom.restitution);
        };
        const auto high = static_cast<JointAct>(static_cast<int>(low) + 1);
        if (freedom.low) stop_at(low, 1, at - *freedom.low);
        if (freedom.high) stop_at(high, -1, *freedom.high - at);
    }

    template <class Row>
    void drive_freedom(const JointFreedom& freedom, JointAct motor, JointAct friction, double t_s, Row&& row)
    {
        if (freedom.has_motor()) {
            row();
            const bool of_state = state_ != nullptr;
            part({.kind = JointPart::Kind::Motor,
                  .actor = actor(motor),
                  .rate = of_state && freedom.motor_rate_of ? freedom.motor_rate_of(*state_)
                          : freedom.motor_rate              ? freedom.motor_rate(t_s)
                                                            : 0.0,
                  .largest = of_state && freedom.motor_limit_of
                                 ? std::max(0.0, freedom.motor_limit_of(*state_))
                                 : freedom.motor_limit});
        }
        if (freedom.friction > 0 || freedom.friction_arm > 0) {
            row();
            part({.kind = JointPart::Kind::Friction,
                  .actor = actor(friction),
                  .largest = freedom.friction,
                  .arm = freedom.friction_arm});
        }
    }

    const BodyModel& model_;
    int number_;
    const Joint& joint_;
    std::span<const Vec3> x_;
    std::span<const Rotation> R_;
    std::span<const double> turns_;
    double closed_gap_;
    std::span<const char> touched_;
    const State* state_;
    const std::optional<JointQuery::Moved>& moved_;
    BodyRows& rows_;
    std::vector<JointPart>& parts_;
    BodyModel::JointPlace place_;
};

}  // namespace

double with_turns(double before, double angle) noexcept
{
    return before + std::remainder(angle - before, 2 * std::numbers::pi);
}

void add_joint_rows(const BodyModel& model, const JointQuery& at, BodyRows& rows,
                    std::vector<JointPart>& parts)
{
    for (int j = 0; j < static_cast<int>(model.setup().joints.size()); ++j) {
        JointWriter writer(model, j, at, rows, parts);
        writer.hold();
        writer.stop();
        if (at.drives) writer.drive(at.t_s);
    }
}

}  // namespace carom
