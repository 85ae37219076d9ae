#include "drivers.hpp"
#include "simulation.hpp"

#include "carom/system/lagrangian/geometry.hpp"
#include "expression/workspace.hpp"

namespace carom::reference {

/// M83-CONE-1: a unit mass with three gaps whose gradients depend on each other at the origin (Moreau 1983,
/// 2). Uses closed_contacts_at, velocity_cone_at and PolyhedralCone.
void drive_cone(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"q1", "q2", "q3"},
                                  .kinetic = "(q1'^2 + q2'^2 + q3'^2)/2",
                                  .contacts = {{"f1", "q1"}, {"f2", "q2*q3 - q1"}, {"f3", "q2 + q3"}}},
                                 task);
    const Eigen::VectorXd origin = Eigen::VectorXd::Zero(3);
    const auto active = closed_contacts_at(model, origin);
    const PolyhedralCone V = value_of(velocity_cone_at(model, origin, active));
    const Metric metric = value_of(metric_at(model, origin));

    answers.give("active_set", Means::Exact, [&] {
        Json numbers = Json::array();
        for (const int contact : active) {
            numbers.push_back(contact + 1);
        }
        return numbers;
    });
    answers.give("qualification_holds", Means::Exact, [&] { return Json(V.has_interior()); });
    answers.give("*_in_V", Means::Exact,
                 [&](const Pieces& p) { return Json(V.contains(view(task.vector(p[0])))); });
    answers.give("*_in_N", Means::Exact,
                 [&](const Pieces& p) { return Json(V.polar().contains(view(task.vector(p[0])))); });
    answers.give("prox_V(*)", Means::Exact,
                 [&](const Pieces& p) { return list_of(V.prox(metric, task.vector(p[0])).x); });
    answers.give("prox_N(*)", Means::Exact,
                 [&](const Pieces& p) { return list_of(V.prox(metric, task.vector(p[0])).y); });

    // q1 has room from the gap f1 to the gap f2: along q = v t the two together are the window
    answers.give("window_width_at_t=#*", Means::Exact, [&](const Pieces& p) {
        Workspace work;
        const Eigen::VectorXd q = number_in(p[0]) * task.vector("v");
        const Point at{view(q), view(origin), 0};
        return Json(model.gap_m(0, at, work) + model.gap_m(1, at, work));
    });
}

}  // namespace carom::reference
