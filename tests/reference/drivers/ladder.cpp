#include "drivers.hpp"
#include "last_contact.hpp"

#include <cmath>

namespace carom::reference {
namespace {

enum Coordinates { X, Y, Theta };
enum Contacts { Wall, Floor };

}  // namespace

/// C-LADDER: a uniform ladder of unit mass slides down between a smooth wall and a smooth floor, both
/// unilateral, centre (x, y), angle theta from the floor. By simulate until it lies flat.
void drive_ladder(const Task& task, Answers& answers)
{
    const Model model =
        model_of({.coordinates = {"x", "y", "theta"},
                  .kinetic = "(x'^2 + y'^2)/2 + L^2/24*theta'^2",
                  .potential = "g*y",
                  .contacts = {{"wall", "x - L/2*cos(theta)"}, {"floor", "y - L/2*sin(theta)"}}},
                 task);
    const double theta0 = number_in("theta0_deg*pi/180", {{"theta0_deg", task.number("theta0_deg")}});
    const double half_m = task.number("L") / 2;
    const State start =
        make_state(model, Eigen::Vector3d(half_m * std::cos(theta0), half_m * std::sin(theta0), theta0),
                   Eigen::Vector3d::Zero());
    const Trajectory motion = run_until(model, start, task.step_s(1e-4), [&](const Trajectory& so_far) {
        return so_far.states.back().q[Theta] <= 0;
    });

    const std::size_t step = last_acting_step(motion, Wall, motion.states.size());
    if (step == 0) throw DriverFailure("the ladder never leant on the wall");
    answers.give("theta_leave_rad", Means::TimeStepping, [&] { return Json(motion.states[step].q[Theta]); });
    answers.give("t_leave", Means::TimeStepping, [&] { return Json(middle_s(motion, step)); });

    const double flat_s =
        first_fall_to_zero(motion, start.t_s, [](const State& state) { return state.q[Theta]; });
    const State flat = state_at(motion, flat_s);
    answers.give("centre_vx_after", Means::TimeStepping, [&] { return Json(flat.u[X]); });
    answers.give("t_flat", Means::TimeStepping, [&] { return Json(flat_s); });
    answers.give("omega_at_flat", Means::TimeStepping, [&] { return Json(std::abs(flat.u[Theta])); });
}

}  // namespace carom::reference
