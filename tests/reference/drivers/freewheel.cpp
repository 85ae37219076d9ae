#include "drivers.hpp"
#include "simulation.hpp"

#include <limits>

namespace carom::reference {

/// B-EX10-1: two coaxial disks with a freewheel between them (Ballard 2002, example 10), by simulate with the
/// step of the case.
void drive_freewheel(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"a", "b"},
         .kinetic = "M1*R1^2/4*a'^2 + M2*R2^2/4*b'^2",
         .potential = "0",
         .forces = {"Gamma1", "0"},
         .constraints = {{.name = "freewheel",
                          .velocity = {"a' - b'"},
                          .limits = {{.set = test::interval(-std::numeric_limits<double>::infinity(), 0)}}}}},
        task);
    const State start = make_state(model, Eigen::Vector2d::Zero(), Eigen::Vector2d(-1, 0));
    const double h_s = task.step_s(1e-3);
    const auto acts = [](const State& state) { return state.percussion_Ns[0] < 0; };
    const auto relative = [](const State& state) { return state.u[0] - state.u[1]; };
    double t_c = -1;
    const Trajectory motion = run_until(model, start, h_s, [&](const Trajectory& so_far) {
        const auto& states = so_far.states;
        if (t_c < 0 && acts(states.back())) {
            // the relative velocity, linear until then, comes to zero
            const State &last = states[states.size() - 2], &before = states[states.size() - 3];
            t_c = last.t_s - h_s * relative(last) / (relative(last) - relative(before));
        }
        return t_c > 0 && so_far.end_s() > 2 * t_c + h_s;
    });
    answers.give("t_c", Means::TimeStepping, [&] { return Json(t_c); });
    answers.give("theta1'(t_c/2)", Means::TimeStepping, [&] { return Json(state_at(motion, t_c / 2).u[0]); });
    answers.give("theta1'(2 t_c)", Means::TimeStepping, [&] { return Json(state_at(motion, 2 * t_c).u[0]); });
    answers.give("theta2'(2 t_c)", Means::TimeStepping, [&] { return Json(state_at(motion, 2 * t_c).u[1]); });
    answers.give("lambda(t>t_c)", Means::TimeStepping,
                 [&] { return Json(motion.states.back().percussion_Ns[0] / h_s); });
    answers.give("theta1(2 t_c)-theta1(0)", Means::TimeStepping,
                 [&] { return Json(state_at(motion, 2 * t_c).q[0]); });
}

}  // namespace carom::reference
