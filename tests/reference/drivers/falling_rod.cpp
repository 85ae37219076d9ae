#include "drivers.hpp"
#include "one_step.hpp"
#include "search.hpp"

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

/// The foot at the origin and at rest; its velocity for the angle of `earlier_rad` before, as a run of the
/// scheme would have left it half a step ago.
State standing(const Model& model, double theta, double omega, double earlier_rad = 0)
{
    const double before = theta - earlier_rad;
    return make_state(model, Eigen::Vector3d(std::sin(theta) / 2, std::cos(theta) / 2, theta),
                      Eigen::Vector3d(std::cos(before) / 2 * omega, -std::sin(before) / 2 * omega, omega));
}

/// The angular velocity with which the rod has fallen to an angle about its foot: what the energy says.
double fallen_omega(const Model& model, double theta)
{
    Workspace work;
    const State unit = standing(model, theta, 1), upright = standing(model, 0, 0);
    const double fallen_J =
        model.potential_energy(point_of(upright), work) - model.potential_energy(point_of(unit), work);
    return std::sqrt(fallen_J / model.kinetic_energy(point_of(unit), work));
}

/// Friction over pressure, positive along the fall, at an angle that the rod has fallen to: from the
/// percussion of a short step on a rough floor. It belongs to the middle of the step: two steps take out the
/// first order.
double friction_at(const Model& rough, double theta)
{
    const double omega = fallen_omega(rough, theta);
    const auto ratio = [&](double h_s) {
        const ContactStep foot = one_step(rough, standing(rough, theta, omega, omega * h_s / 2), h_s).of(0);
        return foot.P[1] / foot.P[0];
    };
    return 2 * ratio(1e-5) - ratio(2e-5);
}

/// The greatest of friction_at before it turns.
double greatest_friction(const Model& rough)
{
    const double upright = 1e-3;
    double turns = upright;
    while (friction_at(rough, turns) > 0) {
        turns += 1e-2;
        if (turns > std::numbers::pi / 2)
            throw DriverFailure("the friction of the falling rod does not turn");
    }
    return friction_at(
        rough, place_of_least(upright, turns, [&](double theta) { return -friction_at(rough, theta); }));
}

}  // namespace

/// C-FALLROD: a rod falls from the vertical about its foot, which friction holds until it slips. By simulate
/// from a very small angle; the least friction with which it does not slip backwards from the forces along
/// the fall.
void drive_falling_rod(const Task& task, Answers& answers)
{
    const Model model = rod_on_its_foot(task, FrictionInterval{});
    const Trajectory motion =
        run_until(model, standing(model, push_rad, 0), task.step_s(1e-4), [](const Trajectory& so_far) {
            return so_far.states.back().slides[0] || so_far.states.back().q[2] > std::numbers::pi / 2;
        });
    const State& last = motion.states.back();
    if (!last.slides[0]) throw DriverFailure("the foot does not slip before the rod lies");
    // the foot slides against the friction
    const bool backward = last.percussion_Ns[1] > 0;

    answers.give("slip_angle_rad", Means::TimeStepping, [&] { return Json(last.q[2]); });
    answers.give("slip_angle_deg", Means::TimeStepping,
                 [&] { return Json(last.q[2] * 180 / std::numbers::pi); });
    answers.give("slip_direction", Means::Exact, [&] { return Json(backward ? "backward" : "forward"); });
    answers.give("mu_c", Means::Exact,
                 [&] { return Json(greatest_friction(rod_on_its_foot(task, FrictionRough{}))); });
    answers.give("omega^2 L/g at slip", Means::TimeStepping, [&] { return Json(last.u[2] * last.u[2] / g); });
}

}  // namespace carom::reference
