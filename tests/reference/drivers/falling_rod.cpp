#include "drivers.hpp"
#include "one_step.hpp"
#include "sticking.hpp"

#include <cmath>
#include <numbers>

namespace carom::reference {
namespace {

constexpr double g = 9.81;
constexpr double push_rad = 1e-4;  // in place of a push: changes omega^2 L / g by 1e-8

/// A uniform rod of unit mass and length that falls to the right, centre (x, y), theta from the vertical.
Model rod_on_its_foot(const Task& task, const FrictionShape& shape)
{
    return model_of({.coordinates = {"x", "y", "theta"},
                     .kinetic = "(x'^2 + y'^2)/2 + theta'^2/24",
                     .potential = "g*y",
                     .contacts = {{.name = "foot",
                                   .gap = "y - cos(theta)/2",
                                   .friction = "mu",
                                   .shape = shape,
                                   .sliding = {"x' - cos(theta)/2*theta'"}}}},
                    task, {{"g", g}});
}

/// The foot at the origin, at rest.
State standing(const Model& model, double theta, double omega)
{
    const double c = std::cos(theta) / 2, s = std::sin(theta) / 2;
    return make_state(model, Eigen::Vector3d(s, c, theta), Eigen::Vector3d(c * omega, -s * omega, omega));
}

/// Friction over pressure, positive along the fall, at an angle that the rod has fallen to about its foot: its
/// angular velocity is what the energy says, the force that of a short step on a rough floor.
double friction_at(const Model& rough, double theta)
{
    Workspace work;
    const State unit = standing(rough, theta, 1), upright = standing(rough, 0, 0);
    const double fallen_J = rough.potential_energy(point_of(upright), work) -
                            rough.potential_energy(point_of(unit), work);
    const State state = standing(rough, theta, std::sqrt(fallen_J / rough.kinetic_energy(point_of(unit), work)));
    // P / h of a step is that of its middle, up to h^2; two steps take out the first order
    const auto ratio = [&](double h_s) {
        const ContactStep foot = one_step(rough, state, h_s).of(0);
        return foot.P[1] / foot.P[0];
    };
    return 2 * ratio(1e-5) - ratio(2e-5);
}

/// The greatest of friction_at before it turns: golden section between upright and the angle where it is zero.
double greatest_friction(const Model& rough)
{
    double low = 1e-3, high = low;
    while (friction_at(rough, high) > 0) {
        high += 1e-2;
        if (high > std::numbers::pi / 2) throw DriverFailure("the friction of the falling rod does not turn");
    }
    const double part = 1 / std::numbers::phi;
    for (int i = 0; i < 40; ++i) {
        const double left = high - part * (high - low), right = low + part * (high - low);
        (friction_at(rough, left) < friction_at(rough, right) ? low : high) = 
            friction_at(rough, left) < friction_at(rough, right) ? left : right;
    }
    return friction_at(rough, (low + high) / 2);
}

}  // namespace

/// C-FALLROD: a rod falls from the vertical about its foot, which friction holds until it slips. By simulate from
/// a very small angle; the least friction with which it does not slip backwards from the forces along the fall.
void drive_falling_rod(const Task& task, Answers& answers)
{
    const Model model = rod_on_its_foot(task, FrictionInterval{});
    const Trajectory motion =
        run_until(model, standing(model, push_rad, 0), task.step_s(1e-4), [](const Trajectory& so_far) {
            return so_far.states.back().slides[0] || so_far.states.back().q[2] > std::numbers::pi / 2;
        });
    const State& last = motion.states.back();
    if (!last.slides[0]) throw DriverFailure("the foot does not slip before the rod lies");
    const double foot_velocity = last.u[0] - std::cos(last.q[2]) / 2 * last.u[2];

    answers.give("slip_angle_rad", Means::TimeStepping, [&] { return Json(last.q[2]); });
    answers.give("slip_angle_deg", Means::TimeStepping,
                 [&] { return Json(last.q[2] * 180 / std::numbers::pi); });
    answers.give("slip_direction", Means::Exact,
                 [&] { return Json(foot_velocity < 0 ? "backward" : "forward"); });
    answers.give("mu_c", Means::Exact,
                 [&] { return Json(greatest_friction(rod_on_its_foot(task, FrictionRough{}))); });
    answers.give("omega^2 L/g at slip", Means::TimeStepping, [&] { return Json(last.u[2] * last.u[2] / g); });
}

}  // namespace carom::reference
