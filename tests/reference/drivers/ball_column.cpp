#include "bodies.hpp"
#include "drivers.hpp"

namespace carom::reference {

/// C-COLUMN: balls on each other on a floor, for a second. It must stay at rest; the forces are those of the
/// last step.
void drive_ball_column(const Task& task, Answers& answers)
{
    const int n = static_cast<int>(task.number("n"));
    BodySetup setup{.bodies = {{.shape = PlaneShape{}, .motion = BodyMotion::Fixed}},
                    .gravity_m_s2 = {0, 0, -task.number("g")}};
    for (int k = 0; k < n; ++k) {
        setup.bodies.push_back(
            {.shape = SphereShape{0.5}, .pose = {.position_m = {0, 0, 0.5 + k}}, .mass_kg = 1});
    }
    BodyMotionRun column(setup, task.step_s(1e-3));
    column.run(1);
    if (!(column.fastest_m_s() < 1e-8 && column.drift_m() < 1e-8)) throw DriverFailure("the column moves");

    // body 0 is the floor, body n the ball on top
    answers.give("force under ball #", Means::TimeStepping, [&](const Pieces& p) {
        const int ball = n + 1 - static_cast<int>(count_in(p[0]));
        return Json(column.normal_force_N(ball, ball - 1));
    });
    answers.give("floor force", Means::TimeStepping, [&] { return Json(column.normal_force_N(1, 0)); });
}

}  // namespace carom::reference
