#include "drivers.hpp"
#include "expression/workspace.hpp"
#include "simulation.hpp"

#include <fmt/format.h>

namespace carom::reference {
namespace {

/// n unit masses on a line, each tied to the next by a string of length 1.
Model chain(int n, const Task& task)
{
    SystemText text;
    for (int i = 1; i <= n; ++i) {
        text.coordinates.push_back(fmt::format("x{}", i));
        text.kinetic += fmt::format("{}x{}'^2/2", i > 1 ? " + " : "", i);
        if (i > 1)
            text.contacts.push_back(
                {fmt::format("string{}", i - 1), fmt::format("1 - (x{} - x{})", i - 1, i)});
    }
    return model_of(text, task);
}

}  // namespace

/// C-CHAIN: the first of n masses in a heap is thrown and picks up the others one by one, inelastic strings.
/// By simulate until the last string has become taut; a shock is the first impact of its string.
void drive_chain(const Task& task, Answers& answers)
{
    const int n = static_cast<int>(task.number("n"));
    if (n < 2) throw DriverFailure("a chain has two masses or more");
    const Model model = chain(n, task);
    const State start = make_state(model, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Unit(n, 0));
    const Trajectory motion = run_until(model, start, task.step_s(1e-3), [&](const Trajectory& so_far) {
        return impact_count(so_far, n - 2) > 0;
    });

    std::vector<double> times_s, velocities_m_s{start.u[0]};
    for (int string = 0; string < n - 1; ++string) {
        const Event shock = impacts_of(motion, string).front();
        times_s.push_back(shock.time_s);
        velocities_m_s.push_back(motion.states[static_cast<std::size_t>(shock.step)].u[0]);
    }
    answers.give("shock_times", Means::TimeStepping, [&] { return Json(times_s); });
    answers.give("velocities", Means::TimeStepping, [&] { return Json(velocities_m_s); });
    answers.give("final_kinetic_energy", Means::TimeStepping, [&] {
        Workspace work;
        return Json(model.kinetic_energy(point_of(motion.states.back()), work));
    });
}

}  // namespace carom::reference
