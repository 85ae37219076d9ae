#include "drivers.hpp"
#include "one_step.hpp"
#include "run/step_view.hpp"

#include <cmath>

namespace carom::reference {
namespace {

enum Contacts { Floor, Corner };

/// A homogeneous disc of unit mass that rolls to the right on the floor and touches the corner (0, h) of a
/// step. The corner is rough; rolling on the floor needs no friction.
class WheelAtKerb {
public:
    explicit WheelAtKerb(const Task& task)
        : model_(model_of({.coordinates = {"x", "y", "phi"},
                           .kinetic = "(x'^2 + y'^2)/2 + R^2/4*phi'^2",
                           .potential = "g*y",
                           .contacts = {{.name = "floor", .gap = "y - R"},
                                        {.name = "corner",
                                         .gap = "sqrt(x^2 + (y - h)^2) - R",
                                         .friction = "0",
                                         .shape = FrictionRough{},
                                         .sliding = {"((y - h)*x' - x*y')/sqrt(x^2 + (y - h)^2) + R*phi'"}}}},
                          task)),
          R_(task.number("R")),
          x_touch_(-std::sqrt(R_ * R_ - (R_ - task.number("h")) * (R_ - task.number("h")))),
          h_s_(task.step_s(1e-4))
    {
    }

    [[nodiscard]] const Model& model() const noexcept { return model_; }

    [[nodiscard]] OneStep impact(double v) const
    {
        return impact_step(
            model_, make_state(model_, Eigen::Vector3d(x_touch_, R_, 0), Eigen::Vector3d(v, 0, -v / R_)));
    }

    /// Whether the disc gets over the corner, or comes back to the floor.
    [[nodiscard]] bool climbs(double v) const
    {
        const State start = impact(v).after;
        State state = start;
        bool over = false;
        run(model_, {.time_step_s = h_s_}, 1e5 * h_s_, state, [&](const StepView& view) {
            over = view.after.q[0] > 0;
            const bool back = view.after.q[0] < x_touch_ || view.after.closed[Floor];
            return !over && !back;
        });
        return over;
    }

    /// The least speed with which it climbs, by bisection to a step's worth of the first-order scheme.
    [[nodiscard]] double critical_speed(double first_guess) const
    {
        double low = 0, high = first_guess;
        while (!climbs(high)) {
            low = high;
            high *= 2;
            if (high > 1e3 * first_guess) throw DriverFailure("the disc does not climb at any speed");
        }
        while (high - low > 1e-4 * high) {
            const double middle = (low + high) / 2;
            (climbs(middle) ? high : low) = middle;
        }
        return (low + high) / 2;
    }

private:
    Model model_;
    double R_, x_touch_, h_s_;
};

}  // namespace

/// C-STEP: a rolling disc hits the corner of a step, soft and rough. The impact by one step without length,
/// the least speed to climb by simulate.
void drive_kerb(const Task& task, Answers& answers)
{
    const WheelAtKerb wheel(task);
    const OneStep one = wheel.impact(1);
    answers.give("omega_ratio", Means::Exact, [&] { return Json(one.after.u[2] / one.before.u[2]); });
    answers.give("mu_needed_at_impact", Means::Exact, [&] { return Json(friction_used(one.of(Corner))); });
    answers.give("v_c", Means::TimeStepping,
                 [&] { return Json(wheel.critical_speed(std::sqrt(task.number("g") * task.number("h")))); });
    answers.give("centre_velocity_after_for_v=#", Means::Exact,
                 [&](const Pieces& p) { return list_of(wheel.impact(number_in(p[0])).after.u.head(2)); });
    answers.give("energy_loss_for_v=#", Means::Exact, [&](const Pieces& p) {
        return Json(kinetic_loss_J(wheel.model(), wheel.impact(number_in(p[0]))));
    });
}

}  // namespace carom::reference
