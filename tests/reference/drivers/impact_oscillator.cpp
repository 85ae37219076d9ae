#include "drivers.hpp"
#include "run/step_view.hpp"
#include "simulation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace carom::reference {
namespace {

/// One impact per period of the force: the last impact, and the lowest place since the one before.
struct PeriodicMotion {
    Event impact;
    double lowest_m = 0;
};

/// Watches a run for impacts that come once per period.
class PeriodWatch {
public:
    explicit PeriodWatch(double period_s) : period_s_(period_s) {}

    void see(const StepView& view)
    {
        lowest_m_ = std::min(lowest_m_, view.after.q[0]);
        for (const Event& event : view.events) {
            if (event.kind != EventKind::Impact) continue;
            // the instants are good to the step, and so is their distance
            const double off_s = std::abs(event.time_s - motion_.impact.time_s - period_s_);
            in_a_row_ = off_s < 10 * view.report.h_s ? in_a_row_ + 1 : 0;
            motion_ = {event, lowest_m_};
            lowest_m_ = view.after.q[0];
        }
    }

    /// Nothing when the last impacts were not a period apart.
    [[nodiscard]] std::optional<PeriodicMotion> motion() const
    {
        constexpr int enough = 5;
        return in_a_row_ >= enough ? std::optional(motion_) : std::nullopt;
    }

private:
    double period_s_;
    PeriodicMotion motion_;
    double lowest_m_ = 0;
    int in_a_row_ = 0;
};

/// The motion that attracts a start at the stop with the velocity -1, at the given part of the period.
/// Attraction with a coarse step, then what the fine step changes of it.
std::optional<PeriodicMotion> attracted(const Model& model, const Task& task, double part)
{
    constexpr double coarse_s = 1e-3, coarse_periods = 100, fine_periods = 30;
    const double period_s = 2 * std::numbers::pi / task.number("w");
    State state = make_state(model, Eigen::VectorXd::Constant(1, task.number("sigma")),
                             Eigen::VectorXd::Constant(1, -1), part * period_s);
    run(model, {.time_step_s = coarse_s}, coarse_periods * period_s, state);
    PeriodWatch watch(period_s);
    run(model, {.time_step_s = task.step_s(1e-4)}, fine_periods * period_s, state, [&](const StepView& view) {
        watch.see(view);
        return true;
    });
    return watch.motion();
}

}  // namespace

/// C-IMPOSC: x'' + x = cos(w t) with the stop x <= sigma (Shaw and Holmes 1983), its attracting motion with
/// one impact per period. By simulate from starts at eight instants of the period, until one is attracted.
void drive_impact_oscillator(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x"},
                                  .kinetic = "x'^2/2",
                                  .potential = "x^2/2",
                                  .forces = {"cos(w*t)"},
                                  .contacts = {{"stop", "sigma - x", "e"}}},
                                 task);
    std::optional<PeriodicMotion> motion;
    for (int start = 0; start < 8 && !motion; ++start) {
        motion = attracted(model, task, start / 8.0);
    }
    if (!motion) throw DriverFailure("no start was attracted by a motion with one impact per period");

    // the gap is sigma - x: the oscillator moves against the local velocity
    const Event& impact = motion->impact;
    answers.give("phase_at_impact", Means::TimeStepping,
                 [&] { return Json(std::fmod(task.number("w") * impact.time_s, 2 * std::numbers::pi)); });
    answers.give("v_before", Means::TimeStepping, [&] { return Json(-impact.velocity_before_m_s); });
    answers.give("v_after", Means::TimeStepping, [&] { return Json(-impact.velocity_after_m_s); });
    answers.give("x_min", Means::TimeStepping, [&] { return Json(motion->lowest_m); });
}

}  // namespace carom::reference
