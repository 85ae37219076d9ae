#include "drivers.hpp"
#include "shared_systems.hpp"
#include "simulation.hpp"
#include "stepping/scratch.hpp"

#include <cmath>

namespace carom::reference {

/// CB-IMP: oblique impact of a unit mass on its obstacle, Coulomb's law with the velocity after it (Charles &
/// Ballard 2014, 2). By one moreau_step through the obstacle.
void drive_particle_impact(const Task& task, Answers& answers)
{
    const Model model = particle_on_obstacle(task);
    const Eigen::VectorXd vt = task.vector("vt");
    if (vt.size() != 2) throw DriverFailure("vt is not a tangential velocity in space");
    State state =
        make_state(model, Eigen::Vector3d::Zero(), Eigen::Vector3d(vt[0], vt[1], -task.number("vn")));
    Scratch scratch(model);
    const StepReport report = moreau_step(model, {.time_step_s = 1e-3}, {}, state, scratch);
    if (report.status != StepStatus::Solved || scratch.contacts.size() != 1) {
        throw DriverFailure("there was no impact");
    }
    const ContactStep& impact = scratch.contacts.front();
    answers.give("vt_plus", Means::Exact, [&] { return Json({impact.U_plus[1], impact.U_plus[2]}); });
    answers.give("vn_rebound", Means::Exact, [&] { return Json(impact.U_plus[0]); });
    answers.give("percussion_norm_tangential", Means::Exact,
                 [&] { return Json(std::hypot(impact.P[1], impact.P[2])); });
    answers.give("energy_loss", Means::Exact, [&] { return Json(-(impact.energy_J + impact.friction_J)); });
}

}  // namespace carom::reference
