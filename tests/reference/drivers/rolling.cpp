#include "drivers.hpp"
#include "sticking.hpp"

#include <cmath>

namespace carom::reference {
namespace {

constexpr std::size_t rolling_steps = 100;

}  // namespace

/// C-ROLL: a body of unit mass with I = beta R^2 is thrown along a rough floor with a spin phi', positive in
/// the sense of rolling, until it rolls. By simulate.
void drive_rolling(const Task& task, Answers& answers)
{
    const Model model =
        model_of({.coordinates = {"x", "y", "phi"},
                  .kinetic = "(x'^2 + y'^2)/2 + beta*R^2/2*phi'^2",
                  .potential = "g*y",
                  .contacts = {{.name = "floor", .gap = "y", .friction = "mu", .sliding = {"x' - R*phi'"}}}},
                 task);
    const State start =
        make_state(model, Eigen::Vector3d::Zero(), Eigen::Vector3d(task.number("v0"), 0, task.number("w0")));
    const Trajectory motion = run_until(model, start, task.step_s(1e-4), [&](const Trajectory& so_far) {
        return has_stuck(so_far, 0, rolling_steps);
    });
    const double t_roll_s = first_stick(motion, 0).time_s;
    const State& last = motion.states.back();

    answers.give("t_roll", Means::TimeStepping, [&] { return Json(t_roll_s); });
    answers.give("v_roll", Means::TimeStepping, [&] { return Json(last.u[0]); });
    answers.give("distance_slid", Means::TimeStepping, [&] { return Json(state_at(motion, t_roll_s).q[0]); });
    answers.give("energy_lost_per_mass", Means::TimeStepping,
                 [&] { return Json(-motion.report.certificate.energy.friction_J); });
    answers.give("friction_force_while_rolling", Means::TimeStepping,
                 [&] { return Json(last.percussion_Ns[1] / motion.h_s); });
}

}  // namespace carom::reference
