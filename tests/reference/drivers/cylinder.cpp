#include "drivers.hpp"
#include "last_contact.hpp"

namespace carom::reference {

/// M88-LEAVE: a unit mass slides from the top of a smooth cylinder, leaves it and falls to the ground y = -R
/// (Moreau 1988, 6 and remark 9.2). By simulate until it is there.
void drive_cylinder(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .potential = "g*y",
                                  .contacts = {{"cylinder", "sqrt(x^2 + y^2) - R"}}},
                                 task);
    const double R = task.number("R");
    const State start = make_state(model, Eigen::Vector2d(0, R), Eigen::Vector2d(task.number("v0"), 0));
    const auto height_m = [&](const State& state) { return state.q[1] + R; };
    const Trajectory motion = run_until(model, start, task.step_s(1e-4), [&](const Trajectory& so_far) {
        return height_m(so_far.states.back()) <= 0;
    });

    const std::size_t step = last_acting_step(motion, 0, motion.states.size());
    if (step == 0) throw DriverFailure("the mass was never in contact");
    const State& leaving = motion.states[step];
    answers.give("t_leave", Means::TimeStepping, [&] { return Json(middle_s(motion, step)); });
    answers.give("cos_theta_leave", Means::TimeStepping,
                 [&] { return Json(leaving.q[1] / leaving.q.norm()); });
    answers.give("speed_leave", Means::TimeStepping, [&] { return Json(leaving.u.norm()); });

    const double ground_s = first_fall_to_zero(motion, leaving.t_s, height_m);
    answers.give("t_ground", Means::TimeStepping, [&] { return Json(ground_s); });
    answers.give("x_ground", Means::TimeStepping, [&] { return Json(state_at(motion, ground_s).q[0]); });
}

}  // namespace carom::reference
