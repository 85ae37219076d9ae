#include "drivers.hpp"
#include "instant_watch.hpp"

namespace carom::reference {

/// B-CE2: q'' = q'^2 from q = 0, q' = 1, which ends in finite time (Ballard 2002, counter-example 2). By
/// simulate with a step whose second-order error is below the tolerances, until it says that the motion is
/// not finite any more.
void drive_blow_up(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"q"}, .kinetic = "q'^2/2", .forces = {"q'^2"}}, task);
    State state = make_state(model, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1));

    InstantWatch watch;
    watch.wait_for(answers.asked("q(*)"));
    watch.wait_for(answers.asked("v(*)"));
    const MoreauSettings settings{.time_step_s = task.step_s(1e-6)};
    constexpr double longest_s = 3;
    const RunReport report =
        simulate(model, settings, {}, {.duration_s = longest_s}, state, [&](const StepView& view) {
            watch.see(view);
            return true;
        });

    answers.give("q(*)", Means::Exact, [&](const Pieces& p) { return Json(watch.at(number_in(p[0])).q[0]); });
    answers.give("v(*)", Means::Exact, [&](const Pieces& p) { return Json(watch.at(number_in(p[0])).u[0]); });
    answers.give("t_max", Means::Exact, [&] {
        if (report.status != RunStatus::Failed || report.end != RunEnd::NotFinite ||
            report.findings.empty()) {
            throw DriverFailure("the run did not say that the motion ends");
        }
        return Json(state.t_s);
    });
}

}  // namespace carom::reference
