#include "drivers.hpp"
#include "shared_systems.hpp"
#include "sticking.hpp"

#include <algorithm>

namespace carom::reference {
namespace {

constexpr int belt = 0;
constexpr std::size_t cycles = 3;  // the first begins at a start of its own

}  // namespace

/// C-BELT: a mass on a spring, carried by a belt until the static friction gives way. The load N is a force.
/// By simulate, from x = 0 with the belt's velocity.
void drive_belt(const Task& task, Answers& answers)
{
    const Model model = mass_on_belt(task);
    const State start = make_state(model, Eigen::Vector2d::Zero(), Eigen::Vector2d(task.number("vb"), 0));
    const Trajectory motion = run_until(model, start, task.step_s(1e-4), [&](const Trajectory& so_far) {
        return std::count_if(so_far.events.begin(), so_far.events.end(), [](const Event& event) {
                   return event.kind == EventKind::Stick;
               }) > static_cast<std::ptrdiff_t>(cycles);
    });

    // sticks[0] is the start; then slip, stick in turn
    const auto sticks = events_of(motion, EventKind::Stick, belt);
    const auto slips = events_of(motion, EventKind::Slip, belt);
    if (slips.size() != cycles) throw DriverFailure("sticking and slipping do not take turns");
    const double stick_s = sticks[cycles - 1].time_s, slip_s = slips[cycles - 1].time_s;
    const double end_s = sticks[cycles].time_s;
    double x_max = -1e300;
    for (const State& state : motion.states) {
        if (state.t_s >= stick_s) x_max = std::max(x_max, state.q[0]);
    }

    answers.give("stick_duration", Means::TimeStepping, [&] { return Json(slip_s - stick_s); });
    answers.give("slip_duration", Means::TimeStepping, [&] { return Json(end_s - slip_s); });
    answers.give("period", Means::TimeStepping, [&] { return Json(end_s - stick_s); });
    answers.give("x_max", Means::TimeStepping, [&] { return Json(x_max); });
    answers.give("x_slip_start", Means::TimeStepping, [&] { return Json(state_at(motion, slip_s).q[0]); });
    answers.give("first_slip_instant", Means::TimeStepping, [&] { return Json(slips.front().time_s); });
}

}  // namespace carom::reference
