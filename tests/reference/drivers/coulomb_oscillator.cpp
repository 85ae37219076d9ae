#include "drivers.hpp"
#include "run/step_view.hpp"
#include "simulation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom::reference {
namespace {

constexpr int transient_periods = 170;  // with coarse steps
constexpr int steps_of_transient_period = 500;
constexpr int periods = 30;  // with the step of the case: the error of the coarse steps dies out
constexpr int measured_periods = 2;

/// Greatest |x| of the last periods, where the velocity changes sign.
double amplitude_after_transient(const Model& model, double period_s, double h_s)
{
    State state = make_state(model, Eigen::Vector2d(2, 0), Eigen::Vector2d::Zero());
    run(model, {.time_step_s = period_s / steps_of_transient_period}, transient_periods * period_s, state);
    const double measured_from_s = state.t_s + (periods - measured_periods) * period_s;
    double amplitude = 0;
    run(model, {.time_step_s = h_s}, periods * period_s, state, [&](const StepView& view) {
        const double u0 = view.before.u[0], u1 = view.after.u[0];
        if (view.before.t_s < measured_from_s || u0 * u1 > 0 || u0 == u1) return true;
        const double part = u0 / (u0 - u1);
        const double x = view.before.q[0] + part * (view.after.q[0] - view.before.q[0]);
        amplitude = std::max(amplitude, std::abs(x));
        return true;
    });
    return amplitude;
}

}  // namespace

/// C-DENHART: x'' + x + f sgn(x') = cos(beta t), as a unit mass that a unit force presses on a floor of
/// friction f. By simulate from x = 2 at rest, past the transient.
void drive_coulomb_oscillator(const Task& task, Answers& answers)
{
    const Model model =
        model_of({.coordinates = {"x", "y"},
                  .kinetic = "(x'^2 + y'^2)/2",
                  .potential = "x^2/2 + y",
                  .forces = {"cos(beta*t)", "0"},
                  .contacts = {{.name = "floor", .gap = "y", .friction = "f", .sliding = {"x'"}}}},
                 task);
    const double period_s = 2 * std::numbers::pi / task.number("beta");
    answers.give("amplitude", Means::TimeStepping,
                 [&] { return Json(amplitude_after_transient(model, period_s, task.step_s(1e-3))); });
}

}  // namespace carom::reference
