#include "drivers.hpp"
#include "located_walk.hpp"
#include "shared_systems.hpp"

namespace carom::reference {

/// C-BILL-1: a particle in the unit square with elastic walls. By moreau_step with located impacts.
void drive_square_billiard(const Task& task, Answers& answers)
{
    const Model model = square_billiard(task);
    LocatedWalk walk(model, make_state(model, task.vector("x0"), task.vector("v")), 0.01);
    walk.until_s(task.number("T"));

    answers.give("x(T)", Means::Exact, [&] { return list_of(walk.state().q); });
    answers.give("v(T)", Means::Exact, [&] { return list_of(walk.state().u); });
    answers.give("bounces", Means::Exact, [&] { return Json(walk.impacts().size()); });
}

}  // namespace carom::reference
