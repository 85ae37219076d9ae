#include "drivers.hpp"
#include "last_contact.hpp"
#include "string_system.hpp"

namespace carom::reference {
namespace {

/// The step of the last impact if it ended a flight, else 0.
std::size_t end_of_flight(const Trajectory& motion)
{
    if (motion.events.empty()) return 0;
    const Event& last = motion.events.back();
    const auto step = static_cast<std::size_t>(last.step);
    if (step + 1 != motion.states.size() || impacts_of(motion).empty()) return 0;
    return step - last_acting_step(motion, 0, step) > settled_steps ? step : 0;
}

}  // namespace

/// M83-SLACK: a mass on a string is launched at its lowest point so fast that the string goes slack on the
/// way up, and is caught again (Moreau 1983, 1; Moreau 1988, 6). By simulate until it is caught. On the taut
/// string the scheme with e = 0 loses energy in proportion to the step, which the flight magnifies: the
/// energy of the shock is taken from a run with a quarter of the step.
void drive_slack_string(const Task& task, Answers& answers)
{
    const Model model = model_of(string_system(), task);
    const double l = task.number("l");
    const double v0 = std::sqrt(task.number("K") * task.number("g") * l);
    const State start = make_state(model, Eigen::Vector2d(0, -l), Eigen::Vector2d(v0, 0));
    const auto is_caught = [](const Trajectory& so_far) { return end_of_flight(so_far) > 0; };
    const double h_s = task.step_s(1e-4);
    const Trajectory motion = run_until(model, start, h_s, is_caught);

    // the smooth separation
    const std::size_t caught_step = end_of_flight(motion);
    const std::size_t slack_step = last_acting_step(motion, 0, caught_step);
    const State& slack = motion.states[slack_step];
    const double slack_s = middle_s(motion, slack_step);
    answers.give("t_slack", Means::TimeStepping, [&] { return Json(slack_s); });
    answers.give("theta_slack_rad", Means::TimeStepping, [&] { return Json(angle_rad(slack)); });
    answers.give("velocity_at_slack", Means::TimeStepping, [&] { return list_of(slack.u); });

    // the shock
    const Event caught = impacts_of(motion).back();
    const State& after = motion.states[caught_step];
    answers.give("flight_time", Means::TimeStepping, [&] { return Json(caught.time_s - slack_s); });
    answers.give("position_taut_again", Means::TimeStepping, [&] { return list_of(after.q); });
    answers.give("radial_velocity_before", Means::TimeStepping,
                 [&] { return Json(-caught.velocity_before_m_s); });
    answers.give("tangential_velocity_after", Means::TimeStepping,
                 [&] { return Json(velocity_across_m_s(after)); });
    answers.give("energy_loss", Means::TimeStepping, [&] {
        const Trajectory finer = run_until(model, start, h_s / 4, is_caught);
        return Json(-impacts_of(finer).back().energy_J);
    });
}

}  // namespace carom::reference
