#include "drivers.hpp"
#include "expression/workspace.hpp"
#include "run/step_view.hpp"
#include "simulation.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {
namespace {

/// The greatest rise of kinetic + potential energy between any two instants of a run, over the energy at its
/// start. The force has a potential, so its work is the fall of the potential.
double worst_rise(const Model& model, const State& start)
{
    // where a contact begins to stay the scheme may create an energy of order h^2
    constexpr double h_s = 1e-6, duration_s = 1.5;
    Workspace work;
    const auto energy_J = [&](const State& state) {
        const Point at = point_of(state);
        return model.kinetic_energy(at, work) + model.potential_energy(at, work);
    };
    const double scale_J = energy_J(start);
    double lowest_J = scale_J, worst_J = 0;
    State state = start;
    const auto report = run(model, {.time_step_s = h_s}, duration_s, state, [&](const StepView& view) {
        const double now_J = energy_J(view.after);
        lowest_J = std::min(lowest_J, now_J);
        worst_J = std::max(worst_J, now_J - lowest_J);
        return true;
    });
    if (report.events.empty()) throw DriverFailure("the particle met nothing");
    return worst_J / scale_J;
}

}  // namespace

/// B-P11: a particle falls into a corner of floor and inclined wall, frictionless, with restitutions from 0
/// to 1; the kinetic energy never grows by more than the work of gravity (Ballard 2002, propositions 11 and
/// 28). By simulate, at every step.
void drive_energy_inequality(const Task& task, Answers& answers)
{
    answers.give("max violation / energy scale", Means::TimeStepping, [&] {
        double worst = 0;
        for (const double e : {0.0, 0.5, 1.0}) {
            const Model model =
                model_of({.coordinates = {"x", "y"},
                          .kinetic = "(x'^2 + y'^2)/2",
                          .potential = "9.81*y",
                          .contacts = {{"floor", "y", "restitution"}, {"wall", "0.3*y - x", "restitution"}}},
                         task, {{"restitution", e}});
            const State start = make_state(model, Eigen::Vector2d(-0.3, 0.4), Eigen::Vector2d(1.2, 0.5));
            worst = std::max(worst, worst_rise(model, start));
        }
        return Json(worst);
    });
}

}  // namespace carom::reference
