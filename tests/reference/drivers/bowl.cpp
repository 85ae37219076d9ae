#include "drivers.hpp"
#include "status_walk.hpp"

#include <cmath>

namespace carom::reference {
namespace {

double angle_from_bottom(const State& state)
{
    return std::atan2(state.q[0], -state.q[1]);
}

/// The ends of sliding, as many as are asked for.
std::vector<Switch> turning_points(StatusWalk& walk, std::size_t count)
{
    std::vector<Switch> result;
    for (std::size_t seen = 0; result.size() < count; ++seen) {
        walk.until_switches(seen + 1);
        const Switch& change = walk.switches()[seen];
        const bool slid = change.from == Doing::SlipPlus || change.from == Doing::SlipMinus;
        if (slid && change.to != Doing::Free) result.push_back(change);
    }
    return result;
}

}  // namespace

/// CB-BOWL: a unit mass slides to and fro in a rough circular bowl until it sticks (Charles & Ballard 2014,
/// 5). By moreau_step with located ends of sliding.
void drive_bowl(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"x", "y"},
         .kinetic = "(x'^2 + y'^2)/2",
         .potential = "g*y",
         .contacts =
             {{.name = "bowl", .gap = "R - sqrt(x^2 + y^2)", .friction = "mu", .position = {"x", "y"}}}},
        task);
    const double theta0 = number_in("theta0_deg*pi/180", {{"theta0_deg", task.number("theta0_deg")}});
    const double R = task.number("R"), v0 = task.number("v0");
    const Eigen::Vector2d along(std::cos(theta0), std::sin(theta0));
    const State start = make_state(model, R * Eigen::Vector2d(along[1], -along[0]), v0 * along);

    const std::size_t count = largest_count(answers.asked("turning_# (t,theta_rad)"));
    StatusWalk walk(model, start, task.step_s(1e-4));
    const auto turning = turning_points(walk, count);
    answers.give("turning_# (t,theta_rad)", Means::TimeStepping, [&](const Pieces& p) {
        const Switch& found = turning[count_in(p[0]) - 1];
        return Json({found.t_s, angle_from_bottom(found.state)});
    });
    answers.give("sticks_at_last_turning_point", Means::TimeStepping, [&] {
        if (turning.empty()) throw DriverFailure("no turning point is asked for");
        walk.until_s(walk.state().t_s + static_cast<double>(settled_steps) * task.step_s(1e-4));
        return Json(walk.doing()[0] == Doing::Stick);
    });
}

}  // namespace carom::reference
