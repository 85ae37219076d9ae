#include "drivers.hpp"
#include "one_step.hpp"

#include <cmath>

namespace carom::reference {

/// C-ROD: a uniform rod of unit mass and length 2, its lower end on the left, falls on the floor without
/// spin. By one step without length, from the instant at which the tip touches.
void drive_rod_impact(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y", "theta"},
                                  .kinetic = "(x'^2 + y'^2)/2 + theta'^2/6",
                                  .contacts = {{.name = "tip",
                                                .gap = "y - sin(theta)",
                                                .restitution = "e",
                                                .friction = "mu",
                                                .sliding = {"x' + sin(theta)*theta'"}}}},
                                 task);
    const double theta = radians(task.number("theta_deg"));
    const State start = make_state(model, Eigen::Vector3d(0, std::sin(theta), theta),
                                   Eigen::Vector3d(0, -task.number("v"), 0));
    const OneStep impact = impact_step(model, start);
    const ContactStep& tip = impact.of(0);

    answers.give("P", Means::Exact, [&] { return Json{tip.P[1], tip.P[0]}; });
    answers.give("v_G_plus", Means::Exact, [&] { return list_of(impact.after.u.head(2)); });
    answers.give("omega_plus", Means::Exact, [&] { return Json(impact.after.u[2]); });
    answers.give("contact_velocity_plus", Means::Exact, [&] { return Json{tip.U_plus[1], tip.U_plus[0]}; });
    answers.give("energy_loss", Means::Exact, [&] { return Json(kinetic_loss_J(model, impact)); });
}

}  // namespace carom::reference
