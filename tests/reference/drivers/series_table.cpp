#include "series_drivers.hpp"
#include "series_support.hpp"
#include "shared_systems.hpp"

#include <cmath>
#include <numbers>

/// A ball on a table that vibrates, by the series integrator.
namespace carom::reference {

namespace {

using std::numbers::pi;

/// The ball on its table from one impact to the next: (instant, velocity after).
class SeriesTable {
public:
    SeriesTable(const Task& task, double amplitude_m)
        : period_s_(1 / task.number("f")),
          model_(model_of({.coordinates = {"z"},
                           .kinetic = "z'^2/2",
                           .potential = "g*z",
                           .contacts = {{"table", "z - amplitude*sin(2*pi*f*t)", "e"}}},
                          task, {{"amplitude", amplitude_m}})),
          amplitude_m_(amplitude_m)
    {
    }

    [[nodiscard]] Eigen::Vector2d next(const Eigen::Vector2d& bounce) const
    {
        const double z = amplitude_m_ * std::sin(2 * pi * bounce[0] / period_s_);
        SeriesMotion motion(model_, make_state(model_, one(z), one(bounce[1]), bounce[0]), period_s_ / 2);
        motion.until([&] { return !motion.events(EventKind::Impact).empty(); });
        const Event impact = motion.events(EventKind::Impact).front();
        const double w = 2 * pi / period_s_;
        const double table_m_s = amplitude_m_ * w * std::cos(w * impact.time_s);
        return {impact.time_s - period_s_, table_m_s + impact.velocity_after_m_s};
    }

    /// Derivative of next, by differences of fourth order.
    [[nodiscard]] Eigen::Matrix2d derivative(const Eigen::Vector2d& bounce) const
    {
        Eigen::Matrix2d D;
        for (int i = 0; i < 2; ++i) {
            const double step = 2e-4 * (i == 0 ? period_s_ : bounce[1]);
            Eigen::Vector2d d = Eigen::Vector2d::Zero();
            d[i] = step;
            D.col(i) =
                (8 * (next(bounce + d) - next(bounce - d)) - (next(bounce + 2 * d) - next(bounce - 2 * d))) /
                (12 * step);
        }
        return D;
    }
    [[nodiscard]] Eigen::Vector2d fixed_point(Eigen::Vector2d bounce) const
    {
        for (int i = 0; i < 8; ++i) {
            bounce -= (derivative(bounce) - Eigen::Matrix2d::Identity()).inverse() * (next(bounce) - bounce);
        }
        return bounce;
    }
    [[nodiscard]] double deceleration(double phi) const
    {
        const double w = 2 * pi / period_s_;
        return amplitude_m_ * w * w * std::sin(phi);
    }
    [[nodiscard]] double phase(const Eigen::Vector2d& bounce) const
    {
        const double part = bounce[0] / period_s_;
        return 2 * pi * (part - std::floor(part));
    }

private:
    double period_s_;
    Model model_;
    double amplitude_m_;
};

}  // namespace

void series_bouncing_table(const Task& task, Answers& answers)
{
    const double A = task.number("A");
    const SeriesTable table(task, A);
    Eigen::Vector2d bounce(0.1 / task.number("f"), task.number("g") / task.number("f") / 2);
    for (int i = 0; i < 300; ++i) {
        bounce = table.next(bounce);
    }
    bounce = table.fixed_point(bounce);
    const double phi = table.phase(bounce);
    answers.give("cos_phi", Means::Exact, [&] { return Json(std::cos(phi)); });
    answers.give("phi", Means::Exact, [&] { return Json(phi); });
    answers.give("velocity_after", Means::Exact, [&] { return Json(bounce[1]); });
    answers.give("A w^2 sin phi", Means::Exact, [&] { return Json(table.deceleration(phi)); });
    answers.give("stability_limit", Means::Exact, [&] {
        // the amplitude grows until a multiplier is -1, the motion followed on the way
        // from the last motion that attracts, so that none but it is followed
        const auto attracts = [&](double amplitude_m) {
            const SeriesTable other(task, amplitude_m);
            const Eigen::Vector2d found = other.fixed_point(bounce);
            if ((other.derivative(found) + Eigen::Matrix2d::Identity()).determinant() <= 0) return false;
            bounce = found;
            return true;
        };
        double low = A, high = A;
        for (int i = 0; attracts(high); ++i) {
            if (i > 800) throw DriverFailure("the motion attracts at amplitudes far greater too");
            low = high;
            high *= 1.005;
        }
        for (int i = 0; i < 45; ++i) {
            const double middle = (low + high) / 2;
            (attracts(middle) ? low : high) = middle;
        }
        const SeriesTable at_limit(task, low);
        return Json(at_limit.deceleration(at_limit.phase(bounce)));
    });
}

}  // namespace carom::reference
