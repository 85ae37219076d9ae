#include "drivers.hpp"
#include "sticking.hpp"

#include <algorithm>

namespace carom::reference {
namespace {

constexpr int cloth = 0;
constexpr std::size_t rolling_steps = 100;

}  // namespace

/// C-MASSE: a homogeneous ball of unit mass with spin on a rough plane, until it rolls. For a ball every axis
/// through the centre is alike, so the integrals a, b, c of its angular velocity serve as coordinates. By
/// simulate.
void drive_masse(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y", "z", "a", "b", "c"},
                                  .kinetic = "(x'^2 + y'^2 + z'^2)/2 + R^2/5*(a'^2 + b'^2 + c'^2)",
                                  .potential = "g*z",
                                  .contacts = {{.name = "cloth",
                                                .gap = "z",
                                                .friction = "mu",
                                                .shape = FrictionDisc{},
                                                .sliding = {"x' - R*b'", "y' + R*a'"}}}},
                                 task);
    const Eigen::VectorXd v0 = task.vector("v0"), omega0 = task.vector("omega0");
    if (v0.size() != 2 || omega0.size() != 3) throw DriverFailure("v0 has two, omega0 three components");
    Eigen::VectorXd u0 = Eigen::VectorXd::Zero(6);
    u0.head(2) = v0;
    u0.tail(3) = omega0;
    const State start = make_state(model, Eigen::VectorXd::Zero(6), u0);

    // the instants that names ask for, once t_roll is known
    const auto named_s = [&](const Pieces& p, double t_roll_s) {
        return number_in(p[0], {{"t_roll", t_roll_s}});
    };
    const auto last_s = [&](double t_roll_s) {
        double last = t_roll_s;
        for (const Pieces& p : answers.asked("position(*)"))
            last = std::max(last, named_s(p, t_roll_s));
        return last;
    };
    const Trajectory motion = run_until(model, start, task.step_s(1e-4), [&](const Trajectory& so_far) {
        return has_stuck(so_far, cloth, rolling_steps) &&
               so_far.end_s() >= last_s(first_stick(so_far, cloth).time_s);
    });
    const double t_roll_s = first_stick(motion, cloth).time_s;
    const State& last = motion.states.back();

    answers.give("t_roll", Means::TimeStepping, [&] { return Json(t_roll_s); });
    answers.give("position_at_t_roll", Means::TimeStepping,
                 [&] { return list_of(state_at(motion, t_roll_s).q.head(2)); });
    answers.give("v_final", Means::TimeStepping, [&] { return list_of(last.u.head(2)); });
    answers.give("omega_final", Means::TimeStepping, [&] { return list_of(last.u.tail(3)); });
    answers.give("position(*)", Means::TimeStepping,
                 [&](const Pieces& p) { return list_of(state_at(motion, named_s(p, t_roll_s)).q.head(2)); });
}

}  // namespace carom::reference
