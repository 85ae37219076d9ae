#include "drivers.hpp"
#include "one_step.hpp"

namespace carom::reference {

/// C-OBL: a disc or ball of unit mass and radius strikes the floor obliquely with spin, Newton's restitution
/// and Coulomb's friction. By one step without length, from the floor.
void drive_oblique_impact(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y", "phi"},
                                  .kinetic = "(x'^2 + y'^2)/2 + beta/2*phi'^2",
                                  .contacts = {{.name = "floor",
                                                .gap = "y - 1",
                                                .restitution = "e",
                                                .friction = "mu",
                                                .sliding = {"x' + phi'"}}}},
                                 task);
    const State start = make_state(model, Eigen::Vector3d(0, 1, 0),
                                   Eigen::Vector3d(task.number("vx"), -task.number("vy"), task.number("w")));
    const OneStep impact = impact_step(model, start);
    const ContactStep& floor = impact.of(0);

    answers.give("P", Means::Exact, [&] { return Json{floor.P[1], floor.P[0]}; });
    answers.give("v_plus", Means::Exact, [&] { return list_of(impact.after.u.head(2)); });
    answers.give("w_plus", Means::Exact, [&] { return Json(impact.after.u[2]); });
    answers.give("u_t_plus", Means::Exact, [&] { return Json(floor.U_plus[1]); });
    answers.give("energy_loss", Means::Exact, [&] { return Json(kinetic_loss_J(model, impact)); });
    answers.give("status", Means::Exact,
                 [&] { return Json(slides_after(floor) ? "slides" : "sticks/rolls"); });
}

}  // namespace carom::reference
