#include "drivers.hpp"
#include "located_walk.hpp"

#include <cmath>

namespace carom::reference {
namespace {

/// Fagnano's orbit: from the middle of the base towards the middle of the next side, speed 1.
State start_of(const Model& model)
{
    const Eigen::Vector2d base(0.5, 0), side(0.75, std::sqrt(3.0) / 4);
    return make_state(model, base, (side - base).normalized());
}

/// The first impact after which the particle is where it was at the start, and moves as it did.
double period_s(const Model& model)
{
    const State start = start_of(model);
    LocatedWalk walk(model, start, 0.01);
    constexpr std::size_t max_impacts = 1000;
    constexpr double same = 1e-6;
    while (walk.impacts().size() < max_impacts) {
        walk.until_impact(walk.impacts().size() + 1);
        const LocatedImpact& last = walk.impacts().back();
        if ((last.after.q - start.q).norm() < same && (last.after.u - start.u).norm() < same) {
            return last.event.time_s;
        }
    }
    throw DriverFailure("the motion did not come back to its start");
}

}  // namespace

/// C-BILL-3: a particle in the equilateral triangle of side 1 with elastic walls, on its periodic orbit. By
/// moreau_step with located impacts.
void drive_triangle_billiard(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .contacts = {{"base", "y", "1"},
                                               {"left", "sqrt(3)/2*x - y/2", "1"},
                                               {"right", "sqrt(3)/2*(1 - x) - y/2", "1"}}},
                                 task);
    answers.give("period", Means::Exact, [&] { return Json(period_s(model)); });
    answers.give("position at t=*", Means::Exact, [&](const Pieces& p) {
        LocatedWalk walk(model, start_of(model), 0.01);
        walk.until_s(number_in(p[0]));
        return list_of(walk.state().q);
    });
    answers.give("bounces up to t=*", Means::Exact, [&](const Pieces& p) {
        LocatedWalk walk(model, start_of(model), 0.01);
        walk.until_s(number_in(p[0]));
        return Json(walk.impacts().size());
    });
}

}  // namespace carom::reference
