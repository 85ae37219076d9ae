#include "drivers.hpp"
#include "one_step.hpp"

#include <algorithm>

namespace carom::reference {
namespace {

/// A round body of unit mass and radius with I = beta, s down the slope, phi in the sense of rolling.
Model disc_on_incline(const Task& task, const FrictionShape& shape)
{
    return model_of(
        {.coordinates = {"s", "y", "phi"},
         .kinetic = "(s'^2 + y'^2)/2 + beta/2*phi'^2",
         .potential = "g*(cos(slope_deg*pi/180)*y - sin(slope_deg*pi/180)*s)",
         .contacts =
             {{.name = "slope", .gap = "y", .friction = "mu", .shape = shape, .sliding = {"s' - phi'"}}}},
        task);
}

}  // namespace

/// C-INCL: a round body released on a rough slope rolls or slips. By simulate from rest; the friction that
/// rolling needs by one step on a slope that is rough.
void drive_disc_on_incline(const Task& task, Answers& answers)
{
    const Model model = disc_on_incline(task, FrictionInterval{});
    const State start = make_state(model, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero());
    const double last_s = std::max(0.1, last_instant(answers.asked("x(*)")));
    const Trajectory motion = run_for(model, start, task.step_s(1e-3), last_s);
    const State& first = motion.states[1];  // a whole step: the last one may be shorter
    const State& last = motion.states.back();

    answers.give("mu_critical", Means::Exact, [&] {
        const Model rough = disc_on_incline(task, FrictionRough{});
        return Json(friction_used(one_step(rough, start, motion.h_s).of(0)));
    });
    answers.give("centre_acceleration", Means::TimeStepping, [&] { return Json(last.u[0] / last.t_s); });
    answers.give("R*angular_acceleration", Means::TimeStepping, [&] { return Json(last.u[2] / last.t_s); });
    answers.give("friction_per_mass", Means::TimeStepping,
                 [&] { return Json(std::abs(first.percussion_Ns[1]) / first.t_s); });
    answers.give("x(*)", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(state_at(motion, number_in(p[0])).q[0]); });
    answers.give("slips", Means::Exact, [&] { return Json(last.slides[0] != 0); });
}

}  // namespace carom::reference
