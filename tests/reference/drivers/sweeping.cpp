#include "drivers.hpp"
#include "extrapolation.hpp"

#include "carom/convex/sets.hpp"
#include "carom/sweeping/catching_up.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace carom::reference {
namespace {

using std::numbers::pi;

/// The point that a sweep reaches, if every nearest point on the way was found.
Eigen::VectorXd finished(const Expected<SweepReport>& report, const Eigen::VectorXd& u)
{
    if (!report) throw DriverFailure(report.error().message);
    if (report->end != SweepEnd::Finished) throw DriverFailure("the sweep did not reach its end");
    return u;
}

/// Catching-up with so many equal steps.
Eigen::VectorXd swept(const SweepingProblem& problem, double end_s, int steps, Eigen::VectorXd u)
{
    const auto report = catching_up(problem, {.time_step_s = end_s / steps}, 0, end_s, u);
    return finished(report, u);
}

Eigen::VectorXd swept_exactly(const SweepingProblem& problem, double end_s, const Eigen::VectorXd& start)
{
    constexpr int first_steps = 64;
    return converged_by_halving([&](int steps) { return swept(problem, end_s, steps, start); }, first_steps);
}

}  // namespace

/// M83-SWEEP-1: a disc of radius r whose centre moves with speed Vc along x drags a point of its boundary.
/// The exact position is the limit of catching-up for small steps.
void drive_moving_disc(const Task& task, Answers& answers)
{
    const double r = task.number("r"), Vc = task.number("Vc"), phi0 = task.number("phi0"),
                 T = task.number("T");
    const auto disc = Ball::make(Eigen::Vector2d::Zero(), r);
    if (!disc) throw DriverFailure(disc.error().message);
    const auto moving = CarriedSet::make(
        shared(*disc), [Vc](double t) { return Eigen::VectorXd(Eigen::Vector2d(Vc * t, 0)); });
    const SweepingProblem problem{.set = *moving};
    const Eigen::VectorXd start = r * Eigen::Vector2d(std::cos(phi0), std::sin(phi0));

    answers.give("catching_up_N=#_u(T)", Means::Exact, [&](const Pieces& p) {
        return list_of(swept(problem, T, static_cast<int>(count_in(p[0])), start));
    });
    answers.give("error_ratio_N#/N#", Means::Exact, [&](const Pieces& p) {
        const Eigen::VectorXd exact = swept_exactly(problem, T, start);
        const auto error = [&](const std::string& steps) {
            return (swept(problem, T, static_cast<int>(count_in(steps)), start) - exact).norm();
        };
        return Json(error(p[0]) / error(p[1]));
    });
    answers.give("u(*)", Means::Exact, [&](const Pieces& p) {
        return list_of(swept_exactly(problem, number_in(p[0], {{"T", T}}), start));
    });
}

/// M83-SWEEP-3: a half-plane through the origin turns with angular velocity 1 and drags a point.
void drive_turning_half_plane(const Task& task, Answers& answers)
{
    const double T = task.number("T");
    const auto half_plane = SetOfTime::make(2, [](double t) -> Expected<SetPointer> {
        const auto set = HalfSpace::make(Eigen::Vector2d(std::cos(t), std::sin(t)), 0);
        if (!set) return set.error();
        return shared(*set);
    });
    const SweepingProblem problem{.set = *half_plane};
    const Eigen::VectorXd start = Eigen::Vector2d(0, 1);
    const auto caught_up = [&](const std::string& steps) {
        return swept(problem, T, static_cast<int>(count_in(steps)), start);
    };

    answers.give("|u_N| catching-up N=#", Means::Exact,
                 [&](const Pieces& p) { return Json(caught_up(p[0]).norm()); });
    answers.give("u_N catching-up N=#", Means::Exact,
                 [&](const Pieces& p) { return list_of(caught_up(p[0])); });
    answers.give("u(#) from (*)", Means::Exact, [&](const Pieces& p) {
        const std::vector<double> from = numbers_in(p[1]);
        if (from.size() != 2) throw DriverFailure("a point of the plane has two coordinates");
        return list_of(swept_exactly(problem, number_in(p[0]), Eigen::Vector2d(from[0], from[1])));
    });
    answers.give("u(#)", Means::Exact,
                 [&](const Pieces& p) { return list_of(swept_exactly(problem, number_in(p[0]), start)); });
}

/// M83-SWEEP-4: the interval sin t + [-w, w] carries a point from 0 until it jumps to [2, 3] at t = 2 pi.
void drive_play(const Task& task, Answers& answers)
{
    const double w = task.number("half_width"), h = task.step_s(1e-3);
    const auto interval = SetOfTime::make(1, [w](double t) -> Expected<SetPointer> {
        const auto set = t < 2 * pi ? Interval::make(std::sin(t) - w, std::sin(t) + w) : Interval::make(2, 3);
        if (!set) return set.error();
        return shared(*set);
    });
    const SweepingProblem problem{.set = *interval, .jumps_s = {2 * pi}};
    const auto carried = [&](double end_s) {
        Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
        const auto report = catching_up(problem, {.time_step_s = h}, 0, end_s, u);
        return Json(finished(report, u)[0]);
    };

    answers.give("u(2pi+)", Means::TimeStepping, [&] { return carried(2 * pi); });
    answers.give("u(*)", Means::TimeStepping, [&](const Pieces& p) { return carried(number_in(p[0])); });
}

/// M83-YOSIDA: a unit mass lands with -v0 on the floor q = 0 under gravity g; below the floor its velocity is
/// swept by { v >= 0 }, regularised with the time lambda. u = (q, v), F = (v, -g).
void drive_regularised_landing(const Task& task, Answers& answers)
{
    const double v0 = task.number("v0"), g = task.number("g"), lambda_s = task.number("lam");
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto velocities = Box::make(Eigen::Vector2d(-infinity, 0), Eigen::Vector2d(infinity, infinity));
    const auto fixed = CarriedSet::make(shared(*velocities),
                                        [](double) { return Eigen::VectorXd(Eigen::Vector2d::Zero()); });
    const SweepingProblem problem{.set = *fixed, .F = [g](double, const Eigen::VectorXd& u) {
                                      return Eigen::VectorXd(Eigen::Vector2d(u[1], -g));
                                  }};
    const Eigen::VectorXd start = Eigen::Vector2d(0, -v0);

    // the constraint acts on q <= 0 only; a motion that comes up again is another problem
    const SweepListener stays_below = [](const SweepStep& step) { return step.u[0] <= 0; };
    const auto landed = [&](double end_s) {
        return converged_by_halving(
            [&](int steps) {
                Eigen::VectorXd u = start;
                const auto report =
                    yosida(problem, lambda_s, {.time_step_s = end_s / steps}, 0, end_s, u, stays_below);
                return finished(report, u);
            },
            256);
    };

    answers.give("q(#)", Means::Exact, [&](const Pieces& p) { return Json(landed(number_in(p[0]))[0]); });
    answers.give("v(#)", Means::Exact, [&](const Pieces& p) { return Json(landed(number_in(p[0]))[1]); });
    answers.give("limit lambda->0: q(#)", Means::Exact, [&](const Pieces& p) {
        constexpr int steps = 1000;
        return Json(swept(problem, number_in(p[0]), steps, start)[0]);
    });
}

}  // namespace carom::reference
