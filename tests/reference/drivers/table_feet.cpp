#include "drivers.hpp"
#include "simulation.hpp"

#include "system/lagrangian/constraint_rank.hpp"

#include <cmath>

namespace carom::reference {
namespace {

/// A rigid table on four feet, which the floor holds and rubs; the mass centre at floor height. Tilts a1, a2
/// about x and y are small: the feet keep them zero.
Model table(const Task& task, double torque_Nm)
{
    SystemText text{.coordinates = {"x", "y", "z", "psi", "a1", "a2"},
                    .kinetic = "m*(x'^2 + y'^2 + z'^2)/2 + I/2*psi'^2 + I/4*(a1'^2 + a2'^2)",
                    .potential = "m*g*z",
                    .forces = {"0", "0", "0", "torque", "0", "0"},
                    .angles = {"psi", "a1", "a2"}};
    int number = 1;
    for (const auto& [X, Y] : {std::pair{"a", "b"}, {"(-a)", "b"}, {"(-a)", "(-b)"}, {"a", "(-b)"}}) {
        const std::string x = std::string("(") + X + "*cos(psi) - " + Y + "*sin(psi))",
                          y = std::string("(") + X + "*sin(psi) + " + Y + "*cos(psi))";
        const std::string name = "foot_" + std::to_string(number++);
        text.constraints.push_back(
            {.name = name,
             .zero = {"z + " + y + "*a1 - " + x + "*a2"},
             .velocity = {"x' - " + y + "*psi'", "y' + " + x + "*psi'"},
             .limits = {{.set = test::unit_ball(2), .size = "mu", .pressed_by = name}}});
    }
    return model_of(text, task, {{"g", task.number("g", 9.81)}, {"torque", torque_Nm}});
}

/// When and where a coordinate that begins with the velocity v comes to rest.
State rest_of(const Model& model, const Task& task, int coordinate, double v)
{
    Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
    u[coordinate] = v;
    const Trajectory motion = run_until(
        model, make_state(model, Eigen::VectorXd::Zero(6), u), task.step_s(1e-4),
        [&](const Trajectory& so_far) { return so_far.states.back().u.norm() < 1e-9 * std::abs(v); });
    return motion.states.back();
}

/// The spin of the table at rest after one second of a torque, in one step.
double spin_under(const Task& task, double torque_Nm)
{
    const Model model = table(task, torque_Nm);
    State state = make_state(model, Eigen::VectorXd::Zero(6), Eigen::VectorXd::Zero(6));
    static_cast<void>(run(model, {.time_step_s = 1}, 1, state));
    return state.u[3];
}

/// The largest torque that does not turn the table: by maximal dissipation it is what friction takes from a
/// greater one.
double torque_limit_Nm(const Task& task)
{
    double torque_Nm = 1;
    while (!(spin_under(task, torque_Nm) * task.number("I") > 0.1 * torque_Nm)) {
        torque_Nm *= 2;
    }
    return torque_Nm - spin_under(task, torque_Nm) * task.number("I");
}

}  // namespace

/// B-EX12-1: a table with four feet that rub (Ballard 2002, example 12), by simulate with the step of the
/// case. The feet share its weight as they like; the motion does not depend on it.
void drive_table_feet(const Task& task, Answers& answers)
{
    const Model model = table(task, 0);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(6);
    const State translated = rest_of(model, task, 0, task.number("v0"));
    const State turned = rest_of(model, task, 3, task.number("omega0"));
    answers.give("stop_time_translation", Means::TimeStepping, [&] { return Json(translated.t_s); });
    answers.give("stop_distance", Means::TimeStepping, [&] { return Json(translated.q[0]); });
    answers.give("stop_time_spin", Means::TimeStepping, [&] { return Json(turned.t_s); });
    answers.give("angle_turned", Means::TimeStepping, [&] { return Json(turned.q[3]); });
    answers.give("total_normal_reaction", Means::TimeStepping, [&] {
        double sum = 0;
        for (int j = 0; j < model.constraints(); ++j) {
            sum += translated.percussion_Ns[static_cast<std::size_t>(model.offset(model.first_part(j)))];
        }
        return Json(sum / task.step_s(1e-4));
    });
    answers.give("static_torque_limit", Means::Exact, [&] { return Json(torque_limit_Nm(task)); });
    answers.give("degree_of_indeterminacy_normal", Means::Exact, [&] {
        const ConstraintRank rank = diagnose_constraints(model, make_state(model, zero, zero));
        return Json(rank.rows - rank.rank);
    });
}

}  // namespace carom::reference
