#include "drivers.hpp"
#include "follower_system.hpp"
#include "instant_watch.hpp"

namespace carom::reference {

/// B-EX4-1: smooth motion of the double pendulum with follower force (Ballard 2002, example 4). By simulate
/// with a step whose second-order error is below the tolerances.
void drive_follower_pendulum(const Task& task, Answers& answers)
{
    const Model model = model_of(follower_system(), task);
    State state = make_state(model, task.vector("q0"), task.vector("v0"));
    const auto asked = answers.asked("state(t=*)");
    InstantWatch watch;
    watch.wait_for(asked);
    const double h_s = task.step_s(5e-5);
    run(model, {.time_step_s = h_s}, last_instant(asked) + h_s, state, [&](const StepView& view) {
        watch.see(view);
        return true;
    });
    answers.give("state(t=*)", Means::Exact, [&](const Pieces& p) {
        const State& at = watch.at(number_in(p[0]));
        return Json({at.q[0], at.q[1], at.u[0], at.u[1]});
    });
}

}  // namespace carom::reference
