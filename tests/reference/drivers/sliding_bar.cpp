#include "drivers.hpp"
#include "simulation.hpp"

#include "system/lagrangian/constraint_friction.hpp"

#include <cmath>
#include <numbers>

namespace carom::reference {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// A homogeneous bar in a plane, its end (x, y) held and rubbed by a rail, Coulomb's cone of the reactions as
/// they are (Ballard 2002, example 13).
SystemText bar_on_rail()
{
    return {
        .coordinates = {"x", "y", "theta"},
        .kinetic = "M/2*(x'^2 + y'^2 + L^2/3*theta'^2 - L*sin(theta)*x'*theta' + L*cos(theta)*y'*theta')",
        .potential = "M*g*(y + L/2*sin(theta))",
        .constraints = {
            {.name = "rail",
             .zero = {"y"},
             .velocity = {"x'"},
             .limits = {
                 {.set = test::interval(-1, 1), .size = "mu", .pressed_by = "rail", .real_world = true}}}}};
}

/// k of the bar at an angle.
double coupling(const Model& model, double theta)
{
    return coulomb_coupling_at(model,
                               make_state(model, Eigen::Vector3d(0, 0, theta), Eigen::Vector3d::Zero()), 0);
}

/// The bar with its other end on a second rail, which does not rub (example 14); F pushes the first end.
Model bar_between_rails(const Task& task, double F_N)
{
    SystemText text = bar_on_rail();
    text.forces = {"force", "0", "0"};
    text.constraints.push_back({.name = "top", .zero = {"y + L*sin(theta) - distance"}});
    const double theta = task.number("theta0_deg") * degree;
    return model_of(text, task, {{"force", F_N}, {"distance", task.number("L") * std::sin(theta)}});
}

State sliding(const Model& model, const Task& task, double v)
{
    return make_state(model, Eigen::Vector3d(0, 0, task.number("theta0_deg") * degree),
                      Eigen::Vector3d(v, 0, 0));
}

/// The largest force of both signs that does not move the bar from rest, by bisection on one long step.
double static_limit_N(const Task& task)
{
    const auto moves = [&](double F_N) {
        for (const double sign : {1.0, -1.0}) {
            const Model model = bar_between_rails(task, sign * F_N);
            State state = sliding(model, task, 0);
            static_cast<void>(run(model, {.time_step_s = 1}, 1, state));
            if (std::abs(state.u[0]) > 1e-11 * F_N) return true;
        }
        return false;
    };
    double low = 0, high = 1;
    while (!moves(high)) {
        high *= 2;
    }
    while (high - low > 1e-12 * high) {
        const double middle = (low + high) / 2;
        (moves(middle) ? high : low) = middle;
    }
    return high;
}

}  // namespace

/// B-EX13: where Coulomb's law on a sliding bar leaves a convex set of tangential reactions.
void drive_sliding_bar(const Task& task, Answers& answers)
{
    const Model model = model_of(bar_on_rail(), task, {{"M", 1.0}, {"L", 1.0}, {"g", 0.0}, {"mu", 0.1}});
    const auto critical = [&](double theta) { return 1 / std::abs(coupling(model, theta)); };
    answers.give("k(theta=#deg)", Means::Exact,
                 [&](const Pieces& p) { return Json(coupling(model, number_in(p[0]) * degree)); });
    answers.give("mu_c(#deg)", Means::Exact,
                 [&](const Pieces& p) { return Json(critical(number_in(p[0]) * degree)); });

    // the minimum between 0 and 90 degrees: thirds, then the parabola through three points, whose rounding is
    // the least
    double low = 1 * degree, high = 89 * degree;
    while (high - low > 1e-3) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        (critical(a) < critical(b) ? high : low) = critical(a) < critical(b) ? b : a;
    }
    double theta = (low + high) / 2;
    for (const double d : {1e-3, 3e-4}) {
        const double left = critical(theta - d), middle = critical(theta), right = critical(theta + d);
        theta -= d / 2 * (right - left) / (right - 2 * middle + left);
    }
    answers.give("min mu_c", Means::Exact, [&] { return Json(critical(theta)); });
    answers.give("argmin theta", Means::Exact, [&] { return Json(theta); });
    answers.give("interval at mu=#, theta=#deg, R_N=#", Means::Exact, [&](const Pieces& p) {
        const Limited interval =
            coulomb_interval(number_in(p[0]), number_in(p[2]), coupling(model, number_in(p[1]) * degree));
        return Json({interval.low, interval.high});
    });
}

/// B-EX14: a bar between two rails, one of which rubs: friction that depends on the direction. By simulate
/// with the step of the case.
void drive_bar_between_rails(const Task& task, Answers& answers)
{
    const double h_s = task.step_s(1e-4), v0 = task.number("v0"), mu = task.number("mu");
    const Model model = bar_between_rails(task, task.number("F"));
    const double k = coulomb_coupling_at(model, sliding(model, task, 0), 0);

    // percussions of the rail: normal, tangential
    const auto first_step = [&](const std::string& sign) {
        State state = sliding(model, task, sign == "+" ? v0 : -v0);
        static_cast<void>(run(model, {.time_step_s = h_s}, h_s, state));
        return state;
    };
    answers.give("k=mu tan/2", Means::Exact, [&] { return Json(mu * std::abs(k)); });
    answers.give("R_T sliding *", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(first_step(p[0]).percussion_Ns[1] / h_s); });
    answers.give("acceleration sliding *", Means::TimeStepping, [&](const Pieces& p) {
        return Json((first_step(p[0]).u[0] - (p[0] == "+" ? v0 : -v0)) / h_s);
    });
    answers.give("R_y1 sliding *", Means::Exact,
                 [&](const Pieces& p) { return Json(first_step(p[0]).percussion_Ns[0] / h_s); });
    answers.give("stop_time from *v0", Means::TimeStepping, [&](const Pieces& p) {
        const State start = sliding(model, task, p[0] == "+" ? v0 : -v0);
        const Trajectory motion = run_until(model, start, h_s, [&](const Trajectory& so_far) {
            return std::abs(so_far.states.back().u[0]) < 1e-9 * v0;
        });
        return Json(motion.end_s());
    });
    answers.give("static_limit_|F|", Means::Exact, [&] { return Json(static_limit_N(task)); });
    answers.give("locking_possible", Means::Exact, [&] { return Json(mu * std::abs(k) >= 1); });
}

}  // namespace carom::reference
