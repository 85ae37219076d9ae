#include "drivers.hpp"
#include "string_system.hpp"

namespace carom::reference {
namespace {

/// How often the velocity across the string has changed its sign since the string is taut.
std::size_t turns_since(const Trajectory& motion, std::size_t step)
{
    std::size_t turns = 0;
    for (std::size_t n = step + 1; n < motion.states.size(); ++n) {
        const bool before = velocity_across_m_s(motion.states[n - 1]) > 0;
        if (before != (velocity_across_m_s(motion.states[n]) > 0)) ++turns;
    }
    return turns;
}

}  // namespace

/// M83-STRING: a mass falls from rest at (x0, 0) until its string is taut and swings on (Moreau 1983, 1 and
/// 2). By simulate through three turning points; the loss of energy is that of the impact.
void drive_string(const Task& task, Answers& answers)
{
    const Model model = model_of(string_system(), task);
    const State start = make_state(model, Eigen::Vector2d(task.number("x0"), 0), Eigen::Vector2d::Zero());
    std::size_t taut_step = 0, next_look = 0;
    const Trajectory motion = run_until(model, start, task.step_s(1e-4), [&](const Trajectory& so_far) {
        if (taut_step == 0 && impact_count(so_far) > 0)
            taut_step = static_cast<std::size_t>(impacts_of(so_far).front().step);
        if (taut_step == 0 || so_far.states.size() < next_look) return false;
        next_look = so_far.states.size() + settled_steps;
        return turns_since(so_far, taut_step) >= 3;
    });
    const Event taut = impacts_of(motion).front();
    const State& after = motion.states[taut_step];

    answers.give("t_taut", Means::TimeStepping, [&] { return Json(taut.time_s); });
    answers.give("y_taut", Means::TimeStepping, [&] { return Json(after.q[1]); });
    answers.give("speed_after", Means::TimeStepping, [&] { return Json(after.u.norm()); });
    answers.give("energy_loss", Means::TimeStepping, [&] { return Json(-taut.energy_J); });

    // it swings towards the other side, and back, and there again
    const double side = after.q[0] > 0 ? 1 : -1;
    const auto away = [&](const State& state) { return -side * velocity_across_m_s(state); };
    const auto back = [&](const State& state) { return side * velocity_across_m_s(state); };
    const double first_s = first_fall_to_zero(motion, after.t_s, away);
    const double second_s = first_fall_to_zero(motion, first_s, back);
    const double third_s = first_fall_to_zero(motion, second_s, away);
    answers.give("max_angle_rad", Means::TimeStepping,
                 [&] { return Json(std::abs(angle_rad(state_at(motion, first_s)))); });
    answers.give("t_bottom", Means::TimeStepping, [&] {
        return Json(first_fall_to_zero(motion, after.t_s, [&](const State& s) { return side * s.q[0]; }));
    });
    answers.give("t_opposite_turning_point", Means::TimeStepping, [&] { return Json(first_s); });
    answers.give("pendulum_period", Means::TimeStepping, [&] { return Json(third_s - first_s); });
}

}  // namespace carom::reference
