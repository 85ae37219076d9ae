#include "drivers.hpp"
#include "located_walk.hpp"

#include <cmath>

namespace carom::reference {
namespace {

enum Coordinates { Small, Big };

struct Outcome {
    std::size_t impacts = 0;
    Eigen::VectorXd velocities_m_s;
};

/// All impacts of a big mass M that drives a small unit mass against a wall.
Outcome collisions(const Task& task, const Pieces& p)
{
    const Model model = model_of({.coordinates = {"small", "big"},
                                  .kinetic = "small'^2/2 + M/2*big'^2",
                                  .contacts = {{"wall", "small", "1"}, {"between", "big - small", "1"}}},
                                 task, {{"M", number_in(p[0])}});
    const State start = make_state(model, Eigen::Vector2d(task.number("x_small"), task.number("x_big")),
                                   Eigen::Vector2d(0, task.number("v_big")));

    // no impact is left when nothing approaches, up to roundoff
    const double still_m_s = 1e-12 * std::abs(task.number("v_big"));
    const auto approaches = [&](const State& state) {
        return state.u[Small] < -still_m_s || state.u[Big] - state.u[Small] < -still_m_s;
    };
    LocatedWalk walk(model, start, 1e-2);
    while (approaches(walk.state())) {
        walk.until_impact(walk.impacts().size() + 1);
    }
    return {walk.impacts().size(), walk.state().u};
}

}  // namespace

/// C-PI: counting the elastic impacts of two masses and a wall (Galperin 2003). By moreau_step with located
/// impacts.
void drive_collision_count(const Task& task, Answers& answers)
{
    answers.give("number_of_impacts(M=#)", Means::Exact,
                 [&](const Pieces& p) { return Json(collisions(task, p).impacts); });
    answers.give("final_velocities(M=#) small,big", Means::Exact,
                 [&](const Pieces& p) { return list_of(collisions(task, p).velocities_m_s); });
}

}  // namespace carom::reference
