#include "drivers.hpp"
#include "located_walk.hpp"

#include <cmath>
#include <numbers>
#include <optional>

namespace carom::reference {
namespace {

/// Instant (within the period of the table) and velocity of the ball after an impact.
using Bounce = Eigen::Vector2d;

/// A ball on the table z = A sin(2 pi f t), from one impact to the next.
class BouncingTable {
public:
    BouncingTable(const Task& task, double amplitude_m)
        : model_(model_of({.coordinates = {"z"},
                           .kinetic = "z'^2/2",
                           .potential = "g*z",
                           .contacts = {{"table", "z - A*sin(2*pi*f*t)", "e"}}},
                          task, {{"A", amplitude_m}})),
          period_s_(1 / task.number("f"))
    {
    }

    [[nodiscard]] double period_s() const noexcept { return period_s_; }

    /// The next bounce, its instant a period earlier: a motion of period 1 is a fixed point.
    [[nodiscard]] Bounce next(const Bounce& bounce) const
    {
        const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
        Workspace work;
        const double table_m = -model_.gap_m(0, {view(zero), view(zero), bounce[0]}, work);
        LocatedWalk walk(model_,
                         make_state(model_, Eigen::VectorXd::Constant(1, table_m),
                                    Eigen::VectorXd::Constant(1, bounce[1]), bounce[0]),
                         period_s_ / 100);
        walk.until_impact(1);
        const LocatedImpact& impact = walk.impacts().front();
        return {impact.event.time_s - period_s_, impact.after.u[0]};
    }

    /// Derivative of `next`, by central differences of fourth order with a truncation near 1e-12.
    [[nodiscard]] Eigen::Matrix2d derivative(const Bounce& at) const
    {
        const Bounce distance = 2e-4 * Bounce(period_s_, at[1]);
        Eigen::Matrix2d J;
        for (int j = 0; j < 2; ++j) {
            const auto value = [&](double x) { return next(at + x * distance[j] * Bounce::Unit(j)); };
            J.col(j) = (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / (12 * distance[j]);
        }
        return J;
    }

    /// The fixed point near a bounce, by Newton's method: also where it does not attract.
    [[nodiscard]] Bounce fixed_point(Bounce bounce) const
    {
        for (int i = 0; i < 6; ++i) {
            const Eigen::Matrix2d slope = derivative(bounce) - Eigen::Matrix2d::Identity();
            bounce -= slope.inverse() * (next(bounce) - bounce);
        }
        return bounce;
    }

private:
    Model model_;
    double period_s_;
};

/// The bounce that attracts a ball thrown up, if it is thrown back once per period. Nothing also where the
/// impacts accumulate and the ball rests on the table.
std::optional<Bounce> attracted(const BouncingTable& table, Bounce bounce)
{
    try {
        for (int i = 0; i < 200; ++i)
            bounce = table.next(bounce);
        const bool settled = (table.next(bounce) - bounce).norm() < 1e-9 * std::abs(bounce[1]);
        // instants that moved by whole periods belong to longer flights
        const bool first = bounce[0] > -table.period_s() && bounce[0] < 2 * table.period_s();
        return settled && first ? std::optional(bounce) : std::nullopt;
    } catch (const DriverFailure&) {
        return std::nullopt;
    }
}

Bounce period_one_bounce(const BouncingTable& table, const Task& task)
{
    // thrown from the middle of the table's way so fast that it is back after about a period
    for (int start = 1; start <= 8; ++start) {
        const double velocity_m_s = start / 8.0 * task.number("g") * table.period_s();
        if (const auto found = attracted(table, {0, velocity_m_s})) return *found;
    }
    throw DriverFailure("no start was attracted by a motion with one impact per period");
}

double phase_rad(const Bounce& bounce, const BouncingTable& table)
{
    const double part = bounce[0] / table.period_s();
    return 2 * std::numbers::pi * (part - std::floor(part));
}

/// Deceleration of the table at the impact.
double table_deceleration(const Task& task, double amplitude_m, double phi)
{
    return number_in("A*(2*pi*f)^2*sin(phi)", {{"A", amplitude_m}, {"f", task.number("f")}, {"phi", phi}});
}

/// The deceleration at which the motion stops to attract: the amplitude grows until a multiplier is -1, the
/// motion followed on the way.
double deceleration_at_limit(const Task& task, Bounce bounce)
{
    const auto attracts = [&](double amplitude_m) {
        const BouncingTable table(task, amplitude_m);
        bounce = table.fixed_point(bounce);
        return (table.derivative(bounce) + Eigen::Matrix2d::Identity()).determinant() > 0;
    };
    double low_m = task.number("A"), high_m = low_m;
    for (int i = 0; attracts(high_m); ++i) {
        if (i > 200) throw DriverFailure("the motion attracts at amplitudes far greater too");
        low_m = high_m;
        high_m *= 1.02;
    }
    for (int i = 0; i < 50; ++i) {
        const double middle_m = (low_m + high_m) / 2;
        (attracts(middle_m) ? low_m : high_m) = middle_m;
    }
    return table_deceleration(task, low_m, phase_rad(bounce, BouncingTable(task, low_m)));
}

}  // namespace

/// C-BTABLE: a ball on a vibrating table, its attracting motion with one impact per period (Holmes 1982). By
/// moreau_step with located impacts; the limit of stability from the multipliers of that motion.
void drive_bouncing_table(const Task& task, Answers& answers)
{
    const double amplitude_m = task.number("A");
    const BouncingTable table(task, amplitude_m);
    const Bounce bounce = period_one_bounce(table, task);
    const double phi = phase_rad(bounce, table);
    answers.give("cos_phi", Means::Exact, [&] { return Json(std::cos(phi)); });
    answers.give("phi", Means::Exact, [&] { return Json(phi); });
    answers.give("velocity_after", Means::Exact, [&] { return Json(bounce[1]); });
    answers.give("A w^2 sin phi", Means::Exact,
                 [&] { return Json(table_deceleration(task, amplitude_m, phi)); });
    answers.give("stability_limit", Means::Exact, [&] { return Json(deceleration_at_limit(task, bounce)); });
}

}  // namespace carom::reference
