#include "drivers.hpp"
#include "simulation.hpp"

#include <algorithm>

namespace carom::reference {

/// M88-VIAB: a particle thrown from the middle of the box [0,1]^2, soft walls, no correction of the
/// configuration: the deepest penetration that simulate certifies, over the step, worst of three steps
/// (Moreau 1988, proposition 2.4).
void drive_viability(const Task& task, Answers& answers)
{
    const Model model =
        model_of({.coordinates = {"x", "y"},
                  .kinetic = "(x'^2 + y'^2)/2",
                  .potential = "gravity*y",
                  .contacts = {{"left", "x"}, {"right", "1 - x"}, {"bottom", "y"}, {"top", "1 - y"}}},
                 task, {{"gravity", task.number("g", 9.81)}});
    const State start = make_state(model, Eigen::Vector2d(0.5, 0.5), task.vector("u0"));

    answers.give("max_penetration/h", Means::TimeStepping, [&] {
        double worst = 0;
        for (const double h_s : {1e-2, 1e-3, 1e-4}) {
            State state = start;
            const auto report =
                run(model, {.time_step_s = h_s, .correction = false}, task.number("T"), state);
            worst = std::max(worst, report.certificate.max_penetration_m / h_s);
        }
        return Json(worst);
    });
}

}  // namespace carom::reference
