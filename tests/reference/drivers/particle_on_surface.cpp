#include "drivers.hpp"
#include "simulation.hpp"

#include <cmath>
#include <numbers>

namespace carom::reference {
namespace {

/// A unit mass that a surface phi = 0 holds and rubs, with two orthonormal tangential velocities. Isotropic:
/// the reaction of friction is at most mu |R_N|, however long the gradient of phi is.
SystemText particle_on(const std::string& phi, std::vector<std::string> tangential)
{
    return {
        .coordinates = {"x", "y", "z"},
        .kinetic = "(x'^2 + y'^2 + z'^2)/2",
        .constraints = {{.name = "surface",
                         .zero = {phi},
                         .velocity = std::move(tangential),
                         .limits = {{.set = test::unit_ball(2), .size = "mu", .pressed_by = "surface"}}}}};
}

}  // namespace

/// B-EX11-1: a free particle on a cylinder with friction (Ballard 2002, example 11), by simulate with the
/// step of the case.
void drive_particle_on_cylinder(const Task& task, Answers& answers)
{
    const Model model = model_of(particle_on("hypot(x, y) - R", {"(x*y' - y*x')/hypot(x, y)", "z'"}), task);
    const double R = task.number("R"), v0 = task.number("v0");
    const double alpha = task.number("alpha_deg") * std::numbers::pi / 180;
    const State start = make_state(model, Eigen::Vector3d(R, 0, 0),
                                   Eigen::Vector3d(0, v0 * std::cos(alpha), v0 * std::sin(alpha)));
    double last_s = 0;
    for (const char* pattern : {"v(#)", "s(#)", "axial_coordinate(#)", "angle_turned(#)"}) {
        last_s = std::max(last_s, last_instant(answers.asked(pattern)));
    }
    if (!(last_s > 0)) return;
    const Trajectory motion = run_for(model, start, task.step_s(1e-4), last_s);
    const auto until = [&](const Pieces& p, auto&& part) {
        double sum = 0;
        const double end_s = number_in(p[0]) + motion.h_s / 2;
        for (std::size_t n = 1; n < motion.states.size() && motion.states[n].t_s < end_s; ++n) {
            sum += part(motion.states[n - 1], motion.states[n]);
        }
        return Json(sum);
    };
    answers.give("v(#)", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(state_at(motion, number_in(p[0])).u.norm()); });
    answers.give("s(#)", Means::TimeStepping, [&](const Pieces& p) {
        return until(p, [](const State& a, const State& b) { return (b.q - a.q).norm(); });
    });
    answers.give("axial_coordinate(#)", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(state_at(motion, number_in(p[0])).q[2]); });
    answers.give("angle_turned(#)", Means::TimeStepping, [&](const Pieces& p) {
        return until(p, [](const State& a, const State& b) {
            return std::atan2(a.q[0] * b.q[1] - a.q[1] * b.q[0], a.q[0] * b.q[0] + a.q[1] * b.q[1]);
        });
    });
}

/// B-EX11-3, -4: the same on the paraboloid z = (x^2 + y^2)/2, under gravity or not.
void drive_particle_on_paraboloid(const Task& task, Answers& answers)
{
    if (task.text("surface") != "(x^2+y^2)/2") throw DriverFailure("another surface than the paraboloid");
    const std::string length = "sqrt(1 + x^2 + y^2)", root = "sqrt(1 + x^2)";
    SystemText text =
        particle_on("z - (x^2 + y^2)/2",
                    {"(x' + x*z')/" + root, "(-x*y*x' + (1 + x^2)*y' + y*z')/(" + root + "*" + length + ")"});
    text.potential = "g*z";
    const Model model = model_of(text, task);
    const Eigen::VectorXd q = task.vector("start"), u = task.vector("velocity");
    const State start = make_state(model, Eigen::Vector3d(q[0], q[1], q.squaredNorm() / 2),
                                   Eigen::Vector3d(u[0], u[1], q.dot(u)));
    const double last_s = last_instant(answers.asked("state(t=#)"));
    if (!(last_s > 0)) return;
    const Trajectory motion = run_for(model, start, task.step_s(1e-4), last_s);
    answers.give("state(t=#)", Means::TimeStepping, [&](const Pieces& p) {
        const State state = state_at(motion, number_in(p[0]));
        return Json({state.q[0], state.q[1], state.q[2], state.u[0], state.u[1]});
    });
}

}  // namespace carom::reference
