#include "drivers.hpp"
#include "last_contact.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {

/// CB-CYL: a unit mass slides over a rough cylinder and leaves it (Charles & Ballard 2014, 5; Moreau 1988,
/// 6). By simulate until it is clear of it.
void drive_rough_cylinder(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"x", "y"},
         .kinetic = "(x'^2 + y'^2)/2",
         .potential = "g*y",
         .contacts =
             {{.name = "cylinder", .gap = "sqrt(x^2 + y^2) - R", .friction = "mu", .position = {"x", "y"}}}},
        task);
    const double R = task.number("R");
    const State start = make_state(model, Eigen::Vector2d(0, R), Eigen::Vector2d(task.number("v0"), 0));
    const Trajectory motion = run_until(model, start, task.step_s(1e-4), [&](const Trajectory& so_far) {
        const State& now = so_far.states.back();
        if (now.u.norm() == 0) throw DriverFailure("the mass stops on the cylinder");
        return now.q.norm() > 1.01 * R;
    });

    const std::size_t step = last_acting_step(motion, 0, motion.states.size());
    if (step == 0) throw DriverFailure("the mass was never in contact");
    const State& leaving = motion.states[step];
    answers.give("theta_leave_rad", Means::TimeStepping,
                 [&] { return Json(std::atan2(leaving.q[0], leaving.q[1])); });
    answers.give("t_leave", Means::TimeStepping, [&] { return Json(middle_s(motion, step)); });
    answers.give("speed_leave", Means::TimeStepping, [&] { return Json(leaving.u.norm()); });
    answers.give("min w on the way", Means::TimeStepping, [&] {
        double slowest_m_s = start.u.norm();
        for (std::size_t n = 1; n <= step; ++n) {
            slowest_m_s = std::min(slowest_m_s, motion.states[n].u.norm());
        }
        return Json(slowest_m_s * slowest_m_s / (task.number("g") * R));
    });
}

}  // namespace carom::reference
