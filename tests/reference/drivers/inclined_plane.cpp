#include "drivers.hpp"
#include "instant_watch.hpp"

#include <cmath>

namespace carom::reference {

/// CB-INCLINE3D: a unit mass slides across an inclined plane, x down the slope (Charles & Ballard 2014,
/// problem P_b in space). By simulate with the step of the case.
void drive_inclined_plane(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y", "z"},
                                  .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                                  .potential = "g*(cos(slope_deg*pi/180)*z - sin(slope_deg*pi/180)*x)",
                                  .contacts = {{.name = "plane",
                                                .gap = "z",
                                                .friction = "mu",
                                                .shape = FrictionDisc{},
                                                .sliding = {"x'", "y'"}}}},
                                 task);
    const double phi0 = number_in("phi0_deg*pi/180", {{"phi0_deg", task.number("phi0_deg")}});
    const double v0 = task.number("v0");
    State state = make_state(model, Eigen::Vector3d::Zero(),
                             Eigen::Vector3d(v0 * std::cos(phi0), v0 * std::sin(phi0), 0));

    const auto asked = answers.asked("(x,y,vx,vy)(t=#)");
    InstantWatch watch;
    watch.wait_for(asked);
    const double h_s = task.step_s(1e-3);
    run(model, {.time_step_s = h_s}, last_instant(asked) + h_s, state, [&](const StepView& view) {
        watch.see(view);
        return true;
    });
    answers.give("(x,y,vx,vy)(t=#)", Means::TimeStepping, [&](const Pieces& p) {
        const State& found = watch.at(number_in(p[0]));
        return Json({found.q[0], found.q[1], found.u[0], found.u[1]});
    });
}

}  // namespace carom::reference
