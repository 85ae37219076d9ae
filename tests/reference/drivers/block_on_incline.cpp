#include "drivers.hpp"
#include "sticking.hpp"

#include <algorithm>

namespace carom::reference {
namespace {

constexpr int slope = 0;
constexpr std::size_t resting_steps = 100;

bool is_back(const State& state)
{
    return state.q[0] <= 0 && state.u[0] < 0;
}

}  // namespace

/// C-BLOCK: a block of unit mass thrown up a rough slope stops, and stays or slides back. By simulate; s is
/// up the slope.
void drive_block_on_incline(const Task& task, Answers& answers)
{
    const Model model =
        model_of({.coordinates = {"s", "y"},
                  .kinetic = "(s'^2 + y'^2)/2",
                  .potential = "g*(cos(slope_deg*pi/180)*y + sin(slope_deg*pi/180)*s)",
                  .contacts = {{.name = "slope", .gap = "y", .friction = "mu", .sliding = {"s'"}}}},
                 task);
    const State start = make_state(model, Eigen::Vector2d::Zero(), Eigen::Vector2d(task.number("v0"), 0));
    const double last_s = last_instant(answers.asked("position(t=*)"));
    const Trajectory motion = run_until(model, start, task.step_s(1e-4), [&](const Trajectory& so_far) {
        const bool ended = has_stuck(so_far, slope, resting_steps) || is_back(so_far.states.back());
        return ended && so_far.end_s() >= last_s;
    });
    const State& last = motion.states.back();
    // a block that stays has a velocity of rounding
    const double still = 1e-12 * task.number("v0");
    const double stop_s =
        first_fall_to_zero(motion, 0, [&](const State& state) { return state.u[0] - still; });
    const auto back_s = [&] {
        return first_fall_to_zero(motion, stop_s, [](const State& state) { return state.q[0]; });
    };

    answers.give("t_stop_up", Means::TimeStepping, [&] { return Json(stop_s); });
    answers.give("distance_up", Means::TimeStepping, [&] { return Json(state_at(motion, stop_s).q[0]); });
    answers.give("slides_back", Means::Exact, [&] { return Json(last.slides[slope] != 0); });
    answers.give("t_back_at_start", Means::TimeStepping, [&] { return Json(back_s()); });
    answers.give("speed_back_at_start", Means::TimeStepping,
                 [&] { return Json(std::abs(state_at(motion, back_s()).u[0])); });
    answers.give("position(t=*)", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(state_at(motion, number_in(p[0])).q[0]); });
    answers.give("friction/weight at rest", Means::TimeStepping, [&] {
        if (last.slides[slope]) throw DriverFailure("the block does not come to rest");
        return Json(std::abs(last.percussion_Ns[1]) / (motion.h_s * task.number("g")));
    });
}

}  // namespace carom::reference
