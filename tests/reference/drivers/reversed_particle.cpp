#include "drivers.hpp"
#include "located_walk.hpp"

#include "carom/law/law.hpp"

namespace carom::reference {
namespace {

/// The particle of B-CE6: unit mass pressed by f against q <= 0.
Model pressed_particle(const Task& task, double restitution)
{
    return model_of({.coordinates = {"q"},
                     .kinetic = "q'^2/2",
                     .forces = {"f"},
                     .contacts = {{"obstacle", "-q", "restitution"}}},
                    task, {{"restitution", restitution}});
}

/// Whether a law and a run may have this restitution.
bool accepts(const Task& task, double restitution)
{
    if (!check(Law{Unilateral{.restitution = restitution}})) return false;
    const Model model = pressed_particle(task, restitution);
    const State start = make_state(model, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1));
    return check_start(model, start, MoreauSettings{}.activation_gap_m).empty();
}

}  // namespace

/// B-CE6R: restitution above 1 must be refused (Ballard 2002, (1.12) and counter-example 6). The motion that
/// it would allow beside rest is B-CE6 backwards, q'(t) = q(4 - t): from that run, with the restitution 1/e,
/// by moreau_step with located impacts.
void drive_reversed_particle(const Task& task, Answers& answers)
{
    const double e = task.number("e"), span_s = task.number("T", 4);
    answers.give("engine_accepts_e=#", Means::Exact,
                 [&](const Pieces& p) { return Json(accepts(task, number_in(p[0]))); });

    const Model model = pressed_particle(task, 1 / e);
    const State start = make_state(model, Eigen::VectorXd::Constant(1, task.number("q0", -1)),
                                   Eigen::VectorXd::Constant(1, task.number("v0", 0)));
    answers.give("q'(*)", Means::Exact, [&](const Pieces& p) {
        LocatedWalk walk(model, start, 1e-3);
        walk.until_s(span_s - number_in(p[0]));
        return Json(walk.state().q[0]);
    });
}

}  // namespace carom::reference
