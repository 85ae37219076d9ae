#include "drivers.hpp"
#include "simulation.hpp"

#include "carom/system/lagrangian/geometry.hpp"

namespace carom::reference {
namespace {

enum Coordinates { Lower, Upper };
enum Contacts { OnFloor, Between };

}  // namespace

/// C-STACK-1: two balls, one just above the other, dropped on a floor. By simulate until the upper one has
/// come to its highest place; the momentum per speed of the fall by impact_at, first at the floor, then
/// between the balls.
void drive_stack(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"z1", "z2"},
                                  .kinetic = "m1/2*z1'^2 + m2/2*z2'^2",
                                  .potential = "g*(m1*z1 + m2*z2)",
                                  .contacts = {{"floor", "z1", "e"}, {"between", "z2 - z1", "e"}}},
                                 task);
    const double height_m = task.number("h"), e = task.number("e");

    // "just above": so near that the fall hardly changes, so far that the impacts are some steps apart
    const double upper_m = height_m * (1 + 4e-4);
    const State start = make_state(model, Eigen::Vector2d(height_m, upper_m), Eigen::Vector2d::Zero());
    const Trajectory motion = run_until(model, start, task.step_s(1e-5), [&](const Trajectory& so_far) {
        return impact_count(so_far, Between) > 0 && so_far.states.back().u[Upper] <= 0;
    });
    const Event meeting = impacts_of(motion, Between).front();
    const State& after = motion.states[static_cast<std::size_t>(meeting.step)];
    answers.give("v_lower", Means::TimeStepping, [&] { return Json(after.u[Lower]); });
    answers.give("v_upper", Means::TimeStepping, [&] { return Json(after.u[Upper]); });
    answers.give("height_ratio_upper", Means::TimeStepping, [&] {
        const double top_s =
            first_fall_to_zero(motion, after.t_s, [](const State& state) { return state.u[Upper]; });
        return Json(state_at(motion, top_s).q[Upper] / height_m);
    });

    answers.give("total_momentum_after_over_v", Means::Exact, [&] {
        const Eigen::Vector2d low(0, 1), met(1, 1), falling(-1, -1);
        const Impact bounce = value_of(impact_at(model, low, falling, e));
        const Impact hit = value_of(impact_at(model, met, bounce.u_plus, e));
        return Json(value_of(metric_at(model, met)).lower(hit.u_plus).sum());
    });
}

}  // namespace carom::reference
