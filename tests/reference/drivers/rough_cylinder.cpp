#include "drivers.hpp"
#include "status_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::reference {

/// CB-CYL: a unit mass slides over a rough cylinder and leaves it (Charles & Ballard 2014, 5; Moreau 1988, 6).
/// By moreau_step with a located loss of contact.
void drive_rough_cylinder(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .potential = "g*y",
                                  .contacts = {{.name = "cylinder",
                                                .gap = "sqrt(x^2 + y^2) - R",
                                                .friction = "mu",
                                                .position = {"x", "y"}}}},
                                 task);
    const double R = task.number("R");
    const double scale = task.number("g") * R;
    double least = std::numeric_limits<double>::infinity();
    const State start = make_state(model, Eigen::Vector2d(0, R), Eigen::Vector2d(task.number("v0"), 0));
    StatusWalk walk(model, start, task.step_s(1e-4), [&](const State&, const State& after, const Scratch&) {
        if (after.closed[0] != 0) least = std::min(least, after.u.squaredNorm() / scale);
    });
    walk.until_switches(1);
    const Switch& leaving = walk.switches().front();
    if (leaving.to != Doing::Free) throw DriverFailure("the mass stops on the cylinder");
    answers.give("theta_leave_rad", Means::TimeStepping,
                 [&] { return Json(std::atan2(leaving.state.q[0], leaving.state.q[1])); });
    answers.give("t_leave", Means::TimeStepping, [&] { return Json(leaving.t_s); });
    answers.give("speed_leave", Means::TimeStepping, [&] { return Json(leaving.state.u.norm()); });
    answers.give("min w on the way", Means::TimeStepping, [&] { return Json(least); });
}

}  // namespace carom::reference
