#include "expression/workspace.hpp"
#include "follower_system.hpp"
#include "series_drivers.hpp"
#include "series_support.hpp"
#include "shared_systems.hpp"

#include <cmath>

/// Motions without impacts, by the series integrator.
namespace carom::reference {

void series_cube_root(const Task& task, Answers& answers)
{
    const Model model =
        model_of({.coordinates = {"q"}, .kinetic = "q'^2/2", .forces = {"6*abs(q)^(1/3)"}}, task);
    answers.give("residual of q=t^3 at t=#", Means::Exact, [&](const Pieces& p) {
        const double t_s = number_in(p[0]);
        Workspace work;
        double force = 0;
        const Eigen::VectorXd q = one(t_s * t_s * t_s), u = one(3 * t_s * t_s);
        model.given_forces({view(q), view(u), t_s}, {&force, 1}, work);
        return Json(6 * t_s - force);
    });
    const auto moved = [&](const std::string& t, const std::string& q0) {
        SeriesMotion motion(model, make_state(model, one(number_in(q0)), one(0)), 0.1);
        motion.until_s(number_in(t));
        return Json(motion.state().q[0]);
    };
    answers.give("q(#) from q0=#, v0=0", Means::Exact, [&](const Pieces& p) { return moved(p[0], p[1]); });
    answers.give("q(#) from q0=#", Means::Exact, [&](const Pieces& p) { return moved(p[0], p[1]); });
}

void series_blow_up(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"q"}, .kinetic = "q'^2/2", .forces = {"q'^2"}}, task);
    SeriesMotion motion(model, make_state(model, one(0), one(1)), 0.01);
    motion.may_fail();
    motion.until_s(3);
    answers.give("q(*)", Means::Exact,
                 [&](const Pieces& p) { return Json(motion.at(number_in(p[0])).q[0]); });
    answers.give("v(*)", Means::Exact,
                 [&](const Pieces& p) { return Json(motion.at(number_in(p[0])).u[0]); });
    answers.give("t_max", Means::Exact, [&] { return Json(motion.failure().findings.back().time_s); });
}

void series_follower(const Task& task, Answers& answers)
{
    const Model model = model_of(follower_system(), task);
    SeriesMotion motion(model, make_state(model, task.vector("q0"), task.vector("v0")), 1);
    motion.until_s(last_of(answers, {"state(t=*)"}));
    answers.give("state(t=*)", Means::Exact, [&](const Pieces& p) {
        const State at = motion.at(number_in(p[0]));
        return Json({at.q[0], at.q[1], at.u[0], at.u[1]});
    });
}

void series_cylinder(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .potential = "g*y",
                                  .contacts = {{"cylinder", "sqrt(x^2 + y^2) - R"}}},
                                 task);
    const double R = task.number("R");
    SeriesMotion motion(model,
                        make_state(model, Eigen::Vector2d(0, R), Eigen::Vector2d(task.number("v0"), 0)), 0.1);
    motion.until([&] { return motion.state().q[1] + R <= 0; });
    const auto lost = motion.events(EventKind::ContactLost);
    if (lost.empty()) throw DriverFailure("the mass did not leave");
    const State leaving = motion.at(lost.back().time_s);
    answers.give("t_leave", Means::Exact, [&] { return Json(lost.back().time_s); });
    answers.give("cos_theta_leave", Means::Exact, [&] { return Json(leaving.q[1] / leaving.q.norm()); });
    answers.give("speed_leave", Means::Exact, [&] { return Json(leaving.u.norm()); });
    const double ground_s =
        motion.first_fall_s(leaving.t_s, [&](const State& state) { return state.q[1] + R; });
    answers.give("t_ground", Means::Exact, [&] { return Json(ground_s); });
    answers.give("x_ground", Means::Exact, [&] { return Json(motion.at(ground_s).q[0]); });
}

}  // namespace carom::reference
