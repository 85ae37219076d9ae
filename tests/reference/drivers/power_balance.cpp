#include "corner_system.hpp"
#include "drivers.hpp"
#include "expression/workspace.hpp"
#include "run/step_view.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {
namespace {

/// Sums over a run of the step split into free motion and shock.
struct PowerBalance {
    double work_J = 0;     ///< of the given forces, h K.(u- + u_free)/2
    double loss_J = 0;     ///< of the shocks, |u_free - u+|^2/2 in the kinetic metric
    double largest_J = 0;  ///< kinetic energy on the way: the scale
    int shocks = 0;

    void add(const StepView& view)
    {
        Workspace work;
        const State& before = view.before;
        const Eigen::VectorXd q_mid = (before.q + view.after.q) / 2;
        Eigen::VectorXd K(before.u.size());
        static_cast<void>(view.model.potential_gradient(
            {carom::view(q_mid), carom::view(before.u), before.t_s}, carom::view(K), work));
        const Eigen::VectorXd& u_free = *view.u_free;
        work_J -= view.report.h_s * K.dot(before.u + u_free) / 2;

        const Eigen::VectorXd jump = view.after.u - u_free;
        loss_J += view.model.kinetic_energy({carom::view(q_mid), carom::view(jump), before.t_s}, work);
        largest_J = std::max(largest_J, view.model.kinetic_energy(point_of(view.after), work));
        for (const ContactStep& contact : view.contacts) {
            shocks += contact.P[0] > 0 ? 1 : 0;
        }
    }
};

}  // namespace

/// M83-POWER: energy of a soft run against the work of the forces and the sum of shock losses (Moreau 1983,
/// (8.11)). The particle of the corner, thrown from above under gravity: it meets floor, wall and corner and
/// slides back. Each step of simulate is free motion and then a shock; metric and force are constant, so the
/// sums must close.
void drive_power_balance(const Task& task, Answers& answers)
{
    SystemText text = corner_system("0");
    text.potential = "g*q2";
    const Model model = model_of(text, task, {{"theta_deg", -60.0}, {"g", 9.81}});
    const State start = make_state(model, Eigen::Vector2d(-1, 0.5), Eigen::Vector2d(2, 1));
    PowerBalance balance;
    State state = start;
    run(model, {.time_step_s = task.step_s(1e-3)}, 3, state, [&](const StepView& view) {
        balance.add(view);
        return true;
    });
    if (balance.shocks < 2) throw DriverFailure("the run shows no shocks");

    answers.give("|dE - W + sum 1/2||u- - u+||^2| / scale", Means::TimeStepping, [&] {
        Workspace work;
        const double change_J =
            model.kinetic_energy(point_of(state), work) - model.kinetic_energy(point_of(start), work);
        return Json(std::abs(change_J - balance.work_J + balance.loss_J) / balance.largest_J);
    });
}

}  // namespace carom::reference
