#include "drivers.hpp"
#include "located_walk.hpp"
#include "shared_systems.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {

/// C-PARAB: a unit mass under gravity bounces elastically on the floor y >= x^2 / 2. By moreau_step with
/// located impacts; the drift is the greatest change of kinetic and potential energy after an impact.
void drive_parabola_billiard(const Task& task, Answers& answers)
{
    const Model model = parabola_billiard(task);
    const State start =
        make_state(model, Eigen::Vector2d(task.number("x0"), task.number("y0")), task.vector("v0"));
    LocatedWalk walk(model, start, 0.01);
    walk.until_impact(std::max(static_cast<std::size_t>(task.number("bounces")),
                               largest_count(answers.asked("impact_# (t,x,vx+,vy+)"))));

    answers.give("impact_# (t,x,vx+,vy+)", Means::Exact, [&](const Pieces& p) {
        const LocatedImpact& impact = walk.impacts()[count_in(p[0]) - 1];
        return Json({impact.event.time_s, impact.after.q[0], impact.after.u[0], impact.after.u[1]});
    });
    answers.give("energy_drift", Means::Exact, [&] {
        Workspace work;
        const auto energy_J = [&](const State& state) {
            return model.kinetic_energy(point_of(state), work) +
                   model.potential_energy(point_of(state), work);
        };
        double drift = 0;
        for (const LocatedImpact& impact : walk.impacts()) {
            drift = std::max(drift, std::abs(energy_J(impact.after) - energy_J(start)));
        }
        return Json(drift);
    });
}

}  // namespace carom::reference
