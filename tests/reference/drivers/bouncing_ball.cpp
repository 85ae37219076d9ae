#include "drivers.hpp"
#include "simulation.hpp"

#include <algorithm>

namespace carom::reference {

/// B-ZENO: a unit mass dropped from the height h0 on a floor, gravity, restitution (Ballard 2002,
/// counter-example 6 with other data). By simulate until it rests; the energy lost is the impact line of its
/// ledger.
void drive_bouncing_ball(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"z"}, .kinetic = "z'^2/2", .potential = "g*z", .contacts = {{"floor", "z", "e"}}},
        task);
    const State start =
        make_state(model, Eigen::VectorXd::Constant(1, task.number("h0")), Eigen::VectorXd::Zero(1));

    // an apex lies before the impact that follows it
    const std::size_t count = std::max(largest_count(answers.asked("impact_times_1..#")),
                                       largest_count(answers.asked("apex_heights_1..#")) + 1);
    const bool must_rest =
        !answers.asked("t_accumulation").empty() || !answers.asked("total_energy*").empty();
    const Trajectory motion = run_until(model, start, task.step_s(1e-4), [&](const Trajectory& so_far) {
        return impact_count(so_far) >= count && (!must_rest || has_stayed_closed(so_far, 0, settled_steps));
    });

    answers.give("impact_times_1..#", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(first_impact_times(motion, count_in(p[0]))); });
    answers.give("apex_heights_1..#", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(maxima_after_impacts(motion, 0, count_in(p[0]))); });
    answers.give("t_accumulation", Means::TimeStepping,
                 [&] { return Json(closed_for_good_since(motion, 0)); });
    answers.give("total_energy_lost_per_mass", Means::TimeStepping,
                 [&] { return Json(-motion.report.certificate.energy.impact_J); });
}

}  // namespace carom::reference
