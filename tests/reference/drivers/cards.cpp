#include "drivers.hpp"
#include "one_step.hpp"

#include <cmath>

namespace carom::reference {
namespace {

enum Contacts { Top, LeftFoot, RightFoot };

/// Two uniform rods of unit mass and length, leaning on each other: centres (x1, y1), (x2, y2), angles from
/// the vertical, the left one to the right and the right one to the left. The tops meet without friction, the
/// feet do not slide.
SystemText two_cards()
{
    return {.coordinates = {"x1", "y1", "a1", "x2", "y2", "a2"},
            .kinetic = "(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 + (a1'^2 + a2'^2)/24",
            .potential = "y1 + y2",
            .contacts = {{.name = "top", .gap = "x2 - sin(a2)/2 - x1 - sin(a1)/2"},
                         {.name = "left_foot",
                          .gap = "y1 - cos(a1)/2",
                          .friction = "0",
                          .shape = FrictionRough{},
                          .sliding = {"x1' - cos(a1)/2*a1'"}},
                         {.name = "right_foot",
                          .gap = "y2 - cos(a2)/2",
                          .friction = "0",
                          .shape = FrictionRough{},
                          .sliding = {"x2' + cos(a2)/2*a2'"}}}};
}

}  // namespace

/// C-CARDS: an A of two rods. Its reactions by one step from rest on a rough floor, under a weight of 1; the
/// friction that its feet make use of is the least with which it stands.
void drive_cards(const Task& task, Answers& answers)
{
    const Model model = model_of(two_cards(), task);
    const double theta = radians(task.number("theta_deg"));
    const double s = std::sin(theta) / 2, c = std::cos(theta) / 2;
    Eigen::VectorXd q(6);
    q << -s, c, theta, s, c, theta;
    const OneStep step = one_step(model, make_state(model, q, Eigen::VectorXd::Zero(6)), 1e-3);
    if (step.after.u.norm() > 1e-12) throw DriverFailure("the rods do not stand on a rough floor");

    answers.give("mu_min", Means::Exact, [&] {
        return Json(std::max(friction_used(step.of(LeftFoot)), friction_used(step.of(RightFoot))));
    });
    answers.give("thrust/W", Means::Exact, [&] { return Json(step.of(Top).P[0] / step.h_s); });
    answers.give("floor normal/W", Means::Exact, [&] { return Json(step.of(LeftFoot).P[0] / step.h_s); });
}

}  // namespace carom::reference
