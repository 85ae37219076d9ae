#include "drivers.hpp"
#include "simulation.hpp"

namespace carom::reference {
namespace {

enum Coordinates { Sunk, Risen };
enum Contacts { String, Floor };

}  // namespace

/// C-ATWOOD: two masses on a string over a pulley, the string slack at first: m1 sinks, m2 rests on the floor
/// until the string jerks it up. By simulate until m2 is at its highest place, or for a second where it does
/// not stop.
void drive_atwood(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"sunk", "risen"},
                                  .kinetic = "m1/2*sunk'^2 + m2/2*risen'^2",
                                  .potential = "g*(m2*risen - m1*sunk)",
                                  .contacts = {{"string", "slack + risen - sunk"}, {"floor", "risen"}}},
                                 task);
    const State start = make_state(model, Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero());
    double end_s = 0;
    const Trajectory motion = run_until(model, start, task.step_s(1e-4), [&](const Trajectory& so_far) {
        if (end_s == 0 && impact_count(so_far, String) > 0) end_s = so_far.end_s() + 1;
        return end_s > 0 && (so_far.states.back().u[Risen] <= 0 || so_far.end_s() >= end_s);
    });

    const Event jerk = impacts_of(motion, String).front();
    const State& after = motion.states[static_cast<std::size_t>(jerk.step)];
    const State& last = motion.states.back();
    answers.give("t_taut", Means::TimeStepping, [&] { return Json(jerk.time_s); });
    answers.give("common_speed", Means::TimeStepping, [&] { return Json(after.u[Risen]); });
    answers.give("string_percussion", Means::TimeStepping, [&] { return Json(jerk.percussion_Ns); });
    answers.give("energy_loss", Means::TimeStepping, [&] { return Json(-jerk.energy_J); });
    answers.give("acceleration_after", Means::TimeStepping,
                 [&] { return Json((last.u[Risen] - after.u[Risen]) / (last.t_s - after.t_s)); });
    answers.give("max_height_of_m2", Means::TimeStepping, [&] {
        const double top_s =
            first_fall_to_zero(motion, after.t_s, [](const State& state) { return state.u[Risen]; });
        return Json(state_at(motion, top_s).q[Risen]);
    });
}

}  // namespace carom::reference
