#include "drivers.hpp"
#include "simulation.hpp"

#include "carom/system/lagrangian/geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace carom::reference {
namespace {

/// Velocity after the impact at an instant. Time stepping knows the instant of an impact up to some steps
/// only, so the impact nearest to t is meant if there is one so near; otherwise the right limit at t.
double velocity_after(const Trajectory& motion, double t_s)
{
    const auto impacts = impacts_of(motion);
    const auto nearest =
        std::min_element(impacts.begin(), impacts.end(), [&](const Event& a, const Event& b) {
            return std::abs(a.time_s - t_s) < std::abs(b.time_s - t_s);
        });
    if (nearest != impacts.end() && std::abs(nearest->time_s - t_s) <= 20 * motion.h_s) {
        return motion.states[static_cast<std::size_t>(nearest->step)].u[0];
    }
    return state_at(motion, t_s).u[0];
}

/// Force of the obstacle on the particle in the last step, from its percussion.
double reaction_N(const Model& model, const Trajectory& motion)
{
    const State& last = motion.states.back();
    return gap_gradients_at(model, last.q, std::array{0})(0, 0) * last.percussion_Ns[0] / motion.h_s;
}

}  // namespace

/// B-CE6: a unit mass is pressed by a constant force against the obstacle q <= 0 and bounces with restitution
/// infinitely often in finite time (Ballard 2002, counter-example 6). By simulate, with every instant the
/// outputs name.
void drive_bouncing_particle(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"q"}, .kinetic = "q'^2/2", .forces = {"f"}, .contacts = {{"obstacle", "-q", "e"}}},
        task);
    const State start = make_state(model, Eigen::VectorXd::Constant(1, task.number("q0")),
                                   Eigen::VectorXd::Constant(1, task.number("v0")));

    // as long as the names ask for
    double last_s = 0;
    for (const char* pattern : {"q(*)", "v(*)", "v+(*)"}) {
        last_s = std::max(last_s, last_instant(answers.asked(pattern)));
    }
    const std::size_t count = largest_count(answers.asked("impact times 1..#"));
    const bool must_rest =
        !answers.asked("t_accumulation").empty() || !answers.asked("reaction density*").empty();
    const Trajectory motion = run_until(model, start, task.step_s(1e-4), [&](const Trajectory& so_far) {
        return so_far.end_s() >= last_s + settled_steps * so_far.h_s && impact_count(so_far) >= count &&
               (!must_rest || has_stayed_closed(so_far, 0, settled_steps));
    });

    answers.give("q(*)", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(state_at(motion, number_in(p[0])).q[0]); });
    answers.give("v(*)", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(state_at(motion, number_in(p[0])).u[0]); });
    answers.give("v+(*)", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(velocity_after(motion, number_in(p[0]))); });
    answers.give("impact times 1..#", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(first_impact_times(motion, count_in(p[0]))); });
    answers.give("t_accumulation", Means::TimeStepping,
                 [&] { return Json(closed_for_good_since(motion, 0)); });
    answers.give("reaction density for t>#", Means::TimeStepping, [&](const Pieces& p) {
        if (closed_for_good_since(motion, 0) > number_in(p[0]) + settled_steps * motion.h_s) {
            throw DriverFailure("the particle still bounces at that instant");
        }
        return Json(reaction_N(model, motion));
    });
}

}  // namespace carom::reference
