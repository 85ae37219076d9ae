#include "drivers.hpp"
#include "one_step.hpp"

#include <cmath>

namespace carom::reference {
namespace {

enum Contacts { LeftFloor, RightFloor, OnLeft, OnRight };

/// Distance of two unit cylinders i below j, and the velocity with which j slides on i along t, the normal
/// from i to j turned clockwise; all cylinders turn counter-clockwise.
test::ContactText one_on_other(const std::string& i, const std::string& j)
{
    const std::string dx = "(x" + j + " - x" + i + ")", dy = "(y" + j + " - y" + i + ")";
    const std::string distance = "sqrt(" + dx + "^2 + " + dy + "^2)";
    const std::string vx = "(x" + j + "' - x" + i + "')", vy = "(y" + j + "' - y" + i + "')";
    return {.name = "on_" + i,
            .gap = distance + " - 2",
            .friction = "0",
            .shape = FrictionRough{},
            .sliding = {"(" + dy + "*" + vx + " - " + dx + "*" + vy + ")/" + distance + " + phi" + i +
                        "' + phi" + j + "'"}};
}

test::ContactText on_floor(const std::string& i)
{
    return {.name = "floor_" + i,
            .gap = "y" + i + " - 1",
            .friction = "0",
            .shape = FrictionRough{},
            .sliding = {"x" + i + "' + phi" + i + "'"}};
}

/// Cylinders of unit radius, mass and weight: 1 and 2 on the floor, just touching without a force, 3 on top.
SystemText pile()
{
    return {.coordinates = {"x1", "y1", "phi1", "x2", "y2", "phi2", "x3", "y3", "phi3"},
            .kinetic = "(x1'^2 + y1'^2 + x2'^2 + y2'^2 + x3'^2 + y3'^2)/2 + (phi1'^2 + phi2'^2 + phi3'^2)/4",
            .potential = "y1 + y2 + y3",
            .contacts = {on_floor("1"), on_floor("2"), one_on_other("1", "3"), one_on_other("2", "3")}};
}

}  // namespace

/// C-3CYL: a pile of three cylinders. Its reactions by one step from rest with rough contacts; the friction
/// that they make use of is the least with which the pile stands.
void drive_three_cylinders(const Task& task, Answers& answers)
{
    const Model model = model_of(pile(), task);
    Eigen::VectorXd q(9);
    q << -1, 1, 0, 1, 1, 0, 0, 1 + std::sqrt(3.0), 0;
    const OneStep step = one_step(model, make_state(model, q, Eigen::VectorXd::Zero(9)), 1e-3);
    if (step.after.u.norm() > 1e-12) throw DriverFailure("the pile does not stand with rough contacts");
    const ContactStep &floor = step.of(LeftFloor), &above = step.of(OnLeft);

    answers.give("mu_cc_min", Means::Exact,
                 [&] { return Json(std::max(friction_used(above), friction_used(step.of(OnRight)))); });
    answers.give("mu_floor_min", Means::Exact,
                 [&] { return Json(std::max(friction_used(floor), friction_used(step.of(RightFloor)))); });
    answers.give("N/W", Means::Exact, [&] { return Json(above.P[0] / step.h_s); });
    answers.give("T/W", Means::Exact, [&] { return Json(std::abs(above.P[1]) / step.h_s); });
    answers.give("floor normal per bottom cylinder /W", Means::Exact,
                 [&] { return Json(floor.P[0] / step.h_s); });
}

}  // namespace carom::reference
