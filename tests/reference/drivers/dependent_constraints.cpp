#include "drivers.hpp"
#include "simulation.hpp"

#include "system/lagrangian/constraint_rank.hpp"

namespace carom::reference {

/// B-CE3: a bar of length l whose ends stay on a circle of diameter l (Ballard 2002, counter-example 3). What
/// the gradients of the constraints promise and the positions do not keep.
void drive_dependent_constraints(const Task& task, Answers& answers)
{
    const Eigen::VectorXd F = task.vector("F");
    const Model model = model_of(
        {.coordinates = {"x", "y", "a"},
         .kinetic = "m*(x'^2 + y'^2)/2 + m*l^2/24*a'^2",
         .potential = "0",
         .forces = {"F_x", "F_y", "0"},
         .constraints = {{.name = "one_end", .zero = {"(x + l/2*cos(a))^2 + (y + l/2*sin(a))^2 - l^2/4"}},
                         {.name = "other_end", .zero = {"(x - l/2*cos(a))^2 + (y - l/2*sin(a))^2 - l^2/4"}}}},
        task, {{"F_x", F[0]}, {"F_y", F[1]}});
    const State start =
        make_state(model, Eigen::Vector3d(0, 0, task.number("theta")), Eigen::Vector3d::Zero());
    const ConstraintRank found = diagnose_constraints(model, start);
    answers.give("rank_of_constraint_differentials", Means::Exact, [&] { return Json(found.rank); });
    answers.give("unbalanced_force", Means::Exact, [&] { return list_of(found.unbalanced_force.head(2)); });
    answers.give("|unbalanced_force|", Means::Exact,
                 [&] { return Json(found.unbalanced_force.head(2).norm()); });
    answers.give("has_solution", Means::Exact, [&] { return Json(found.has_solution); });
}

}  // namespace carom::reference
