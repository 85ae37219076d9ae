#include "drivers.hpp"
#include "simulation.hpp"

#include <algorithm>

namespace carom::reference {

/// C-PEND: a pendulum of unit mass released at theta0 bounces on a wall at its vertical position, theta >= 0.
/// By simulate; amplitudes are where the angular velocity changes sign between impacts.
void drive_pendulum_wall(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"theta"},
                                  .kinetic = "l^2/2*theta'^2",
                                  .potential = "-g*l*cos(theta)",
                                  .contacts = {{"wall", "l*theta", "e"}}},
                                 task);
    const State start =
        make_state(model, Eigen::VectorXd::Constant(1, task.number("theta0")), Eigen::VectorXd::Zero(1));

    // an amplitude lies before the impact that follows it
    const std::size_t count = std::max(largest_count(answers.asked("impact_times_1..#")),
                                       largest_count(answers.asked("amplitudes_1..#")) + 1);
    const Trajectory motion = run_until(model, start, task.step_s(1e-4), [&](const Trajectory& so_far) {
        return impact_count(so_far) >= count;
    });

    answers.give("impact_times_1..#", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(first_impact_times(motion, count_in(p[0]))); });
    answers.give("amplitudes_1..#", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(maxima_after_impacts(motion, 0, count_in(p[0]))); });
}

}  // namespace carom::reference
