#include "corner_system.hpp"
#include "drivers.hpp"
#include "expression/workspace.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {

/// M83-SPEED: the particle of the corner under the periodic force (3 cos 2t, -2) of the statement; |u| in the
/// kinetic metric at the start and after every step of simulate (Moreau 1983, (8.14)).
void drive_speed_bound(const Task& task, Answers& answers)
{
    SystemText text = corner_system("0");
    text.forces = {"3*cos(2*t)", "-2"};
    const Model model = model_of(text, task);
    const State start = make_state(model, task.vector("q0"), task.vector("u0"));
    const Trajectory trajectory = run_for(model, start, task.step_s(1e-3), task.number("T"));

    answers.give("max over t of ||u|| - ||u0|| - t M", Means::TimeStepping, [&] {
        Workspace work;
        const auto speed = [&](const State& state) {
            return std::sqrt(2 * model.kinetic_energy(point_of(state), work));
        };
        double worst = 0;
        for (const State& state : trajectory.states) {
            worst = std::max(worst, speed(state) - speed(start) - state.t_s * task.number("M"));
        }
        return Json(worst);
    });
}

}  // namespace carom::reference
