#include "double_pendulum_system.hpp"
#include "drivers.hpp"
#include "refined_impacts.hpp"

#include <algorithm>

namespace carom::reference {
namespace {

Model pendulum_with_springs(const Task& task)
{
    SystemText text = double_pendulum_system("e");
    text.potential = "k1/2*q1^2 + k2/2*(q2 - q1)^2";
    text.forces = {"lam*l1*sin(q1 - q2)", "0"};
    return model_of(text, task);
}

}  // namespace

/// B-EX8-1: the double pendulum with obstacle and follower force, canonical law (Ballard 2002, examples 4 and
/// 8). Instants, constraints and states of the impacts by simulate with the step of the case; energy losses,
/// which need more digits, by moreau_step with refined steps around the impacts.
void drive_double_pendulum(const Task& task, Answers& answers)
{
    const Model model = pendulum_with_springs(task);
    const State start = make_state(model, task.vector("q0"), task.vector("v0"));
    const double h_s = task.step_s(1e-4);
    const std::size_t count = largest_count(answers.asked("impact_#_*"));
    if (count == 0) return;

    const Trajectory motion =
        run_until(model, start, h_s, [&](const Trajectory& so_far) { return impact_count(so_far) >= count; });
    const auto impacts = impacts_of(motion);
    const auto impact = [&](const Pieces& p) { return impacts[count_in(p[0]) - 1]; };
    answers.give("impact_#_time", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(impact(p).time_s); });
    answers.give("impact_#_constraint", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(impact(p).contact + 1); });
    answers.give("impact_#_state_after", Means::TimeStepping, [&](const Pieces& p) {
        const State& after = motion.states[static_cast<std::size_t>(impact(p).step)];
        return Json({after.q[0], after.q[1], after.u[0], after.u[1]});
    });

    const std::size_t losses = largest_count(answers.asked("impact_#_energy_loss"));
    const auto refined = refined_impacts(model, start, h_s, losses);
    answers.give("impact_#_energy_loss", Means::Exact,
                 [&](const Pieces& p) { return Json(-refined[count_in(p[0]) - 1].energy_J); });
}

}  // namespace carom::reference
