#include "drivers.hpp"
#include "one_step.hpp"
#include "search.hpp"

#include <cmath>

namespace carom::reference {
namespace {

constexpr double step_s = 1e-3;

/// A lower corner (dx, -h/2) of the block, dx = -b/2 uphill and b/2 downhill.
test::ContactText corner(const std::string& name, const std::string& dx, const FrictionShape& shape)
{
    const std::string height = "(" + dx + "*sin(phi) - h/2*cos(phi))";
    return {.name = name,
            .gap = "y + " + height,
            .friction = "mu",
            .shape = shape,
            .sliding = {"x' - " + height + "*phi'"}};
}

/// The block on its plane after a short step from rest: x down the slope, y off the plane, unit mass and
/// gravity.
Eigen::VectorXd velocity_from_rest(const Task& task, double slope, const FrictionShape& shape)
{
    const Model model =
        model_of({.coordinates = {"x", "y", "phi"},
                  .kinetic = "(x'^2 + y'^2)/2 + (b^2 + h^2)/24*phi'^2",
                  .potential = "cos(slope)*y - sin(slope)*x",
                  .contacts = {corner("uphill", "(-b/2)", shape), corner("downhill", "(b/2)", shape)}},
                 task, {{"slope", slope}});
    const State start =
        make_state(model, Eigen::Vector3d(0, task.number("h") / 2, 0), Eigen::Vector3d::Zero());
    return one_step(model, start, step_s).after.u;
}

/// The same for a block that cannot turn.
Eigen::VectorXd velocity_without_turning(const Task& task, double slope)
{
    const Model model =
        model_of({.coordinates = {"x", "y"},
                  .kinetic = "(x'^2 + y'^2)/2",
                  .potential = "cos(slope)*y - sin(slope)*x",
                  .contacts = {{.name = "base", .gap = "y", .friction = "mu", .sliding = {"x'"}}}},
                 task, {{"slope", slope}});
    return one_step(model, make_state(model, Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()), step_s)
        .after.u;
}

/// The greatest slope on which the step leaves the block at rest, up to rounding; degrees.
double threshold_deg(const std::function<Eigen::VectorXd(double)>& velocity)
{
    const auto stands = [&](double slope_deg) {
        return velocity(radians(slope_deg)).norm() < 1e-10 * step_s;
    };
    return limit_of(0, 90, stands);
}

}  // namespace

/// C-TOPPLE: a block on a plane that is tilted slowly slides or topples. By one step from rest at each slope:
/// with friction, for a block that cannot turn, and on a rough plane.
void drive_tilted_block(const Task& task, Answers& answers)
{
    const auto velocity = [&](double slope) { return velocity_from_rest(task, slope, FrictionInterval{}); };
    const double critical_deg = threshold_deg(velocity);
    const bool topples = std::abs(velocity(radians(critical_deg + 1e-4))[2]) > 1e-9 * step_s;

    answers.give("critical_angle_deg", Means::Exact, [&] { return Json(critical_deg); });
    answers.give("mode", Means::Exact, [&] { return Json(topples ? "topple" : "slide"); });
    answers.give("other_threshold_deg", Means::Exact, [&] {
        return Json(topples
                        ? threshold_deg([&](double slope) { return velocity_without_turning(task, slope); })
                        : threshold_deg([&](double slope) {
                              return velocity_from_rest(task, slope, FrictionRough{});
                          }));
    });
}

}  // namespace carom::reference
