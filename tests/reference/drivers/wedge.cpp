#include "drivers.hpp"
#include "simulation.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {
namespace {

enum Coordinates { WedgeX, WedgeY, BlockX, BlockY };
enum Contacts { OnSlope, OnFloor };

/// The slope falls to the right: n = (sin, cos) points out of the wedge, the block slides along (cos, -sin).
Model wedge_and_block(const Task& task)
{
    return model_of({.coordinates = {"X", "Y", "x", "y"},
                     .kinetic = "M/2*(X'^2 + Y'^2) + m/2*(x'^2 + y'^2)",
                     .potential = "g*(M*Y + m*y)",
                     .contacts = {{"slope", "(x - X)*sin(alpha_deg*pi/180) + (y - Y)*cos(alpha_deg*pi/180)"},
                                  {"floor", "Y"}}},
                    task);
}

/// Distance of the block from its place on the wedge, from positions or velocities.
double along_slope(const Eigen::VectorXd& x)
{
    return std::hypot(x[BlockX] - x[WedgeX], x[BlockY] - x[WedgeY]);
}

}  // namespace

/// C-WEDGE: a block on the slope of a wedge that may slide on the floor, no friction, both contacts
/// unilateral, so that the wedge has a height too. By simulate from rest; accelerations from velocities,
/// forces from percussions per step.
void drive_wedge(const Task& task, Answers& answers)
{
    const Model model = wedge_and_block(task);
    const State start = make_state(model, Eigen::VectorXd::Zero(4), Eigen::VectorXd::Zero(4));
    double last_s = 0.1;  // long enough to measure constant accelerations
    for (const char* pattern : {"wedge displacement(*)", "relative displacement(*)"}) {
        last_s = std::max(last_s, last_instant(answers.asked(pattern)));
    }
    const Trajectory motion = run_for(model, start, task.step_s(1e-3), last_s);
    const State& last = motion.states.back();

    // what the block pushes away moves to the left
    answers.give("wedge_acceleration (away from the slope)", Means::TimeStepping,
                 [&] { return Json(-last.u[WedgeX] / last.t_s); });
    answers.give("block_relative_acceleration", Means::TimeStepping,
                 [&] { return Json(along_slope(last.u) / last.t_s); });

    // a whole step: the last one may be shorter
    const State& first = motion.states[1];
    answers.give("contact_force", Means::TimeStepping,
                 [&] { return Json(first.percussion_Ns[OnSlope] / first.t_s); });
    answers.give("floor_reaction", Means::TimeStepping,
                 [&] { return Json(first.percussion_Ns[OnFloor] / first.t_s); });

    answers.give("wedge displacement(*)", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(-state_at(motion, number_in(p[0])).q[WedgeX]); });
    answers.give("relative displacement(*)", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(along_slope(state_at(motion, number_in(p[0])).q)); });
}

}  // namespace carom::reference
