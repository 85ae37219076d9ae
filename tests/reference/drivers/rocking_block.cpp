#include "drivers.hpp"
#include "one_step.hpp"
#include "strikes.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {
namespace {

enum Coordinates { X, Y, Theta };
enum Contacts { LeftCorner, RightCorner };

/// Corner (dx, -h) of the block: it does not slide and does not bounce.
test::ContactText corner(const std::string& name, const std::string& dx)
{
    const std::string height = "(" + dx + "*sin(theta) - h*cos(theta))";
    return {.name = name,
            .gap = "y + " + height,
            .friction = "0",
            .shape = FrictionRough{},
            .sliding = {"x' - " + height + "*theta'"}};
}

/// A homogeneous block of unit mass, 2b wide and 2h high, centre (x, y), turned by theta.
Model block(const Task& task)
{
    return model_of({.coordinates = {"x", "y", "theta"},
                     .kinetic = "(x'^2 + y'^2)/2 + (b^2 + h^2)/6*theta'^2",
                     .potential = "g*y",
                     .contacts = {corner("left", "(-b)"), corner("right", "b")}},
                    task);
}

/// Turned about the left corner, or for a negative angle about the right one.
State on_corner(const Task& task, const Model& model, double theta, double omega)
{
    const double b = theta < 0 ? -task.number("b") : task.number("b"), h = task.number("h");
    const Eigen::Vector2d centre(b * std::cos(theta) - h * std::sin(theta),
                                 b * std::sin(theta) + h * std::cos(theta));
    return make_state(model, Eigen::Vector3d(centre[0], centre[1], theta),
                      Eigen::Vector3d(-omega * centre[1], omega * centre[0], omega));
}

/// The strikes of the corner that was up. The corner on which the block turns drifts off the floor by what
/// the scheme moves along the tangent, some 1e-9 m, and comes back: those are no landings.
Strikes landings_of(const Strikes& motion, int pivot)
{
    Strikes landings;
    for (const Strike& strike : motion.strikes) {
        const int raised = LeftCorner + RightCorner - pivot;
        if (!strike.has(raised)) continue;
        landings.strikes.push_back(strike);
        pivot = raised;
    }
    return landings;
}

/// p of theta'' = -p^2 sin(alpha - theta): from the first step after the release.
double rocking_rate(const Task& task, const Model& model)
{
    const double theta0 = task.number("theta0"), alpha = std::atan2(task.number("b"), task.number("h"));
    const OneStep step = one_step(model, on_corner(task, model, theta0, 0), 1e-3);
    const double side = theta0 < 0 ? -1 : 1;
    return std::sqrt(-step.after.u[Theta] / step.h_s / std::sin(alpha * side - theta0));
}

/// The time in which a motion of one coordinate gets down to zero in so many equal steps of the scheme.
double time_to_zero_s(const Model& model, const State& start, double guess_s, int steps)
{
    const auto above = [&](double time_s) {
        State state = start;
        Scratch scratch(model);
        for (int i = 0; i < steps; ++i) {
            if (moreau_step(model, {.time_step_s = time_s / steps}, {}, state, scratch).status !=
                StepStatus::Solved) {
                throw DriverFailure("a step was not solved");
            }
        }
        return state.q[0] > 0;
    };
    double low_s = 0, high_s = guess_s;
    while (above(high_s)) {
        low_s = high_s;
        high_s *= 2;
    }
    for (int i = 0; i < 55; ++i) {
        const double middle_s = (low_s + high_s) / 2;
        (above(middle_s) ? low_s : high_s) = middle_s;
    }
    return (low_s + high_s) / 2;
}

/// First period of the linearised block, theta'' = -p^2 (alpha - theta): four times the fall to zero. The
/// error of the scheme goes with h^2, h^4, ...: three numbers of steps take out the first two.
double linear_period_s(const Task& task, double p)
{
    const double alpha = std::atan2(task.number("b"), task.number("h"));
    const Model model =
        model_of({.coordinates = {"theta"}, .kinetic = "theta'^2/2", .potential = "-p^2/2*(alpha - theta)^2"},
                 task, {{"p", p}, {"alpha", alpha}});
    const State start = make_state(model, Eigen::VectorXd::Constant(1, std::abs(task.number("theta0"))),
                                   Eigen::VectorXd::Zero(1));
    const auto fall_s = [&](int steps) { return time_to_zero_s(model, start, 0.1 / p, steps); };
    const double T1 = fall_s(64), T2 = fall_s(128), T4 = fall_s(256);
    const double R1 = (4 * T2 - T1) / 3, R2 = (4 * T4 - T2) / 3;
    return 4 * (16 * R2 - R1) / 15;
}

}  // namespace

/// C-ROCK: Housner's block. Rocking by simulate; the impact by one step without length, from the instant at
/// which it stands on both corners.
void drive_rocking_block(const Task& task, Answers& answers)
{
    const Model model = block(task);
    const OneStep landing = impact_step(model, on_corner(task, model, 0, -1));
    answers.give("r", Means::Exact, [&] { return Json(-landing.after.u[Theta]); });
    answers.give("mu_needed_at_impact", Means::Exact,
                 [&] { return Json(friction_used(landing.of(RightCorner))); });

    const double p = rocking_rate(task, model);
    answers.give("p", Means::Exact, [&] { return Json(p); });
    answers.give("Housner_linear_period*", Means::Exact,
                 [&](const Pieces&) { return Json(linear_period_s(task, p)); });

    const std::size_t count = largest_count(answers.asked("impact_# (t, w_before, w_after)"));
    if (count == 0) return;
    const int pivot = task.number("theta0") < 0 ? RightCorner : LeftCorner;
    // a quarter of the step: turning on a corner loses energy like h
    const Strikes motion = strikes_until(
        model, on_corner(task, model, task.number("theta0"), 0), task.step_s(1e-4) / 4,
        [&](const Strikes& so_far) { return landings_of(so_far, pivot).strikes.size() >= count; });
    const Strikes landings = landings_of(motion, pivot);
    answers.give("impact_# (t, w_before, w_after)", Means::TimeStepping, [&](const Pieces& pieces) {
        const Strike& strike = strike_of(landings, count_in(pieces[0]));
        return Json{strike.time_s(), strike.before.u[Theta], strike.after.u[Theta]};
    });
}

}  // namespace carom::reference
