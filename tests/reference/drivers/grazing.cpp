#include "drivers.hpp"
#include "simulation.hpp"

#include "carom/system/lagrangian/geometry.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {

/// B-P10: a particle moves along an inclined wall that it touches: no impact law may change its velocity. By
/// impact_at and by simulate, for restitutions from 0 to 1 (Ballard 2002, proposition 10).
void drive_grazing(const Task& task, Answers& answers)
{
    answers.give("jump", Means::Exact, [&] {
        const double slope = 0.3;
        const Eigen::Vector2d start(0, 0), u_minus(1.7 * std::cos(slope), 1.7 * std::sin(slope));
        double worst = 0;
        for (const double e : {0.0, 0.25, 0.5, 0.75, 1.0}) {
            const Model model =
                model_of({.coordinates = {"x", "y"},
                          .kinetic = "(x'^2 + y'^2)/2",
                          .contacts = {{"wall", "y*cos(slope) - x*sin(slope)", "restitution"}}},
                         task, {{"slope", slope}, {"restitution", e}});
            const Impact impact = value_of(impact_at(model, start, u_minus, e));
            worst = std::max(worst, (impact.u_plus - u_minus).norm());

            const Trajectory along = run_for(model, make_state(model, start, u_minus), 1e-3, 1);
            for (const State& state : along.states) {
                worst = std::max(worst, (state.u - u_minus).norm());
            }
        }
        return Json(worst);
    });
}

}  // namespace carom::reference
