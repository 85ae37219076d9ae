#include "vibrating_table_system.hpp"

#include <cmath>
#include <numbers>

namespace carom::reference {
namespace {

Model table_model(const Task& task)
{
    // psi = rate t; sin(angle) = k sin(psi), k = eccentric/OA; O follows from |OA|
    const std::string cosine = "sqrt(1 - (eccentric/OA*sin(rate*t))^2)";
    const std::string sine = "(eccentric/OA*sin(rate*t))";
    const std::string along = "(eccentric*cos(rate*t) - OA*" + cosine + ")";
    const std::string angle_rate = "(eccentric/OA*rate*cos(rate*t)/" + cosine + ")";
    const std::string along_rate = "(OA*" + sine + "*" + angle_rate + " - eccentric*rate*sin(rate*t))";
    return model_of({.coordinates = {"x", "y", "z"},
                     .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                     .potential = "g*(cos(slope_deg*pi/180)*z - sin(slope_deg*pi/180)*x)",
                     .contacts = {{.name = "table",
                                   .gap = cosine + "*z - " + sine + "*(y - " + along + ")",
                                   .restitution = "restitution",
                                   .friction = "mu",
                                   .shape = FrictionDisc{},
                                   .position = {"x", "y", "z"},
                                   .obstacle_velocity = {"0", along_rate + " - " + angle_rate + "*z",
                                                         angle_rate + "*(y - " + along + ")"}}}},
                    task,
                    {{"rate", 2 * std::numbers::pi * task.number("rps") * task.number("direction")},
                     {"restitution", task.number("e", 0)}});
}

}  // namespace

VibratingTable::VibratingTable(const Task& task)
    : eccentric_(task.number("eccentric")),
      length_(task.number("OA")),
      rate_(2 * std::numbers::pi * task.number("rps") * task.number("direction")),
      model_(table_model(task))
{
}

VibratingTable::Pose VibratingTable::pose(double t_s) const
{
    const double psi = rate_ * t_s;
    const double sine = eccentric_ / length_ * std::sin(psi), cosine = std::sqrt(1 - sine * sine);
    const double angle_rate = eccentric_ / length_ * rate_ * std::cos(psi) / cosine;
    return {.along = eccentric_ * std::cos(psi) - length_ * cosine,
            .angle = std::asin(sine),
            .along_rate = length_ * sine * angle_rate - eccentric_ * rate_ * std::sin(psi),
            .angle_rate = angle_rate};
}

State VibratingTable::left_at(double y0_cm) const
{
    const Pose now = pose(0);
    const Eigen::Vector2d y(std::cos(now.angle), std::sin(now.angle)), z(-y[1], y[0]);
    const Eigen::Vector2d moved = Eigen::Vector2d(now.along_rate, 0) + now.angle_rate * y0_cm * z;
    return make_state(model_, Eigen::Vector3d(0, now.along + y0_cm * y[0], y0_cm * y[1]),
                      Eigen::Vector3d(0, moved[0], moved[1]));
}

Eigen::Vector2d VibratingTable::on_table(const State& state) const
{
    const Pose now = pose(state.t_s);
    return {state.q[0], (state.q[1] - now.along) * std::cos(now.angle) + state.q[2] * std::sin(now.angle)};
}

}  // namespace carom::reference
