#include "drivers.hpp"
#include "simulation.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>

namespace carom::reference {
namespace {

// spin of a ball with the Euler angles psi, theta, phi (z, x, z), in space
const std::string omega_x = "(theta'*cos(psi) + phi'*sin(theta)*sin(psi))";
const std::string omega_y = "(theta'*sin(psi) - phi'*sin(theta)*cos(psi))";
const std::string omega_z = "(psi' + phi'*cos(theta))";

/// A homogeneous ball on a plane, with a constraint against sliding.
SystemText rolling_ball()
{
    return {.coordinates = {"x", "y", "psi", "theta", "phi"},
            .kinetic = "M*(x'^2 + y'^2)/2 + M*R^2/5*(psi'^2 + theta'^2 + phi'^2 + 2*cos(theta)*psi'*phi')",
            .constraints = {{.name = "rolling", .velocity = {"x' - R*" + omega_y, "y' + R*" + omega_x}}}};
}

Eigen::Matrix3d orientation(const State& state)
{
    using Eigen::AngleAxisd, Eigen::Vector3d;
    return (AngleAxisd(state.q[2], Vector3d::UnitZ()) * AngleAxisd(state.q[3], Vector3d::UnitX()) *
            AngleAxisd(state.q[4], Vector3d::UnitZ()))
        .toRotationMatrix();
}

Json matrix_of(const Eigen::Matrix3d& matrix)
{
    Json rows = Json::array();
    for (int i = 0; i < 3; ++i) {
        rows.push_back(list_of(matrix.row(i).transpose()));
    }
    return rows;
}

/// Rates of the Euler angles of a spin, with the velocity of the centre before them.
Eigen::VectorXd rolling_velocity(const State& state, double vx, double vy, double R)
{
    const double psi = state.q[2], theta = state.q[3];
    Eigen::Matrix3d spin_of_rates;
    spin_of_rates << 0, std::cos(psi), std::sin(theta) * std::sin(psi),  //
        0, std::sin(psi), -std::sin(theta) * std::cos(psi),              //
        1, 0, std::cos(theta);
    Eigen::VectorXd u(5);
    u << vx, vy, spin_of_rates.inverse() * Eigen::Vector3d(-vy / R, vx / R, 0);
    return u;
}

/// The turn of a ball that is rolled around a square, in so many steps a side.
Eigen::Matrix3d turn_around_square(const Task& task, int steps)
{
    // an orientation from which no side leads to the singular angles theta = 0 or pi
    const double R = task.number("R"), side = task.number("side");
    const Eigen::VectorXd q =
        (Eigen::VectorXd(5) << 0, 0, 0.75 * std::numbers::pi, std::acos(1 / std::sqrt(3.0)), 0).finished();
    State state;
    state.q = q;
    Eigen::Matrix3d start;
    bool begun = false;
    for (const auto& [vx, vy] : {std::pair{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}}) {
        SystemText text = rolling_ball();
        text.constraints.push_back({.name = "drive", .velocity = {"x' - vx", "y' - vy", omega_z}});
        const Model model = model_of(text, task, {{"M", 1.0}, {"vx", vx}, {"vy", vy}});
        const Eigen::VectorXd here = state.q;
        state.q = here;
        state = make_state(model, here, rolling_velocity(state, vx, vy, R));
        if (!begun) start = orientation(state);
        begun = true;
        static_cast<void>(run(model, {.time_step_s = side / steps}, side, state));
    }
    return orientation(state) * start.transpose();
}

}  // namespace

/// B-EX9-1: a ball that rolls without sliding under a force at its centre (Ballard 2002, example 9), by
/// simulate with the step of the case.
void drive_rolling_ball(const Task& task, Answers& answers)
{
    SystemText text = rolling_ball();
    text.forces = {"F0*cos(w*t)", "F0*sin(2*w*t)", "0", "0", "0"};
    const Model model = model_of(text, task);
    Eigen::VectorXd q = Eigen::VectorXd::Zero(5);
    q[3] = std::numbers::pi / 2;
    const State start = make_state(model, q, Eigen::VectorXd::Zero(5));
    double last_s = 0;
    for (const char* pattern : {"(x,y)(#)", "(x',y')(#)", "reaction(#)", "Euler(psi,theta,phi)(#)",
                                "rotation_matrix_rel_to_start(#)"}) {
        last_s = std::max(last_s, last_instant(answers.asked(pattern)));
    }
    if (!(last_s > 0)) return;
    const Trajectory motion = run_for(model, start, task.step_s(1e-4), last_s);
    const auto at = [&](const Pieces& p) { return state_at(motion, number_in(p[0])); };
    answers.give("(x,y)(#)", Means::TimeStepping, [&](const Pieces& p) { return list_of(at(p).q.head(2)); });
    answers.give("(x',y')(#)", Means::TimeStepping,
                 [&](const Pieces& p) { return list_of(at(p).u.head(2)); });
    answers.give("reaction(#)", Means::TimeStepping, [&](const Pieces& p) {
        const State state = at(p);
        return Json({state.percussion_Ns[0] / motion.h_s, state.percussion_Ns[1] / motion.h_s});
    });
    answers.give("Euler(psi,theta,phi)(#)", Means::TimeStepping,
                 [&](const Pieces& p) { return list_of(at(p).q.tail(3)); });
    answers.give("rotation_matrix_rel_to_start(#)", Means::TimeStepping, [&](const Pieces& p) {
        return matrix_of(orientation(at(p)) * orientation(start).transpose());
    });
}

/// B-EX9-HOL: what is left of the orientation of a ball that was rolled around a square. Runs with steps of h
/// and h / 2 together are of fourth order.
void drive_ball_holonomy(const Task& task, Answers& answers)
{
    constexpr int steps = 1000;
    const Eigen::Matrix3d coarse = turn_around_square(task, steps),
                          fine = turn_around_square(task, 2 * steps);
    const Eigen::Matrix3d turn = (4 * fine - coarse) / 3;
    answers.give("rotation_matrix", Means::Exact, [&] { return matrix_of(turn); });
    answers.give("net_rotation_angle_rad", Means::Exact,
                 [&] { return Json(std::acos((turn.trace() - 1) / 2)); });
}

}  // namespace carom::reference
