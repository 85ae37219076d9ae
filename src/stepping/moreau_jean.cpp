#include "carom/stepping/settings.hpp"

#include "coordinate_system.hpp"
#include "forces_settle.hpp"
#include "step_parts.hpp"
#include "visit_settings.hpp"

#include <fmt/format.h>

#include <cmath>

namespace carom {
namespace {

/// A(q_M), once for the whole run where it is constant.
bool evaluate_metric(const Model& model, const Point& at, Scratch& s)
{
    if (s.A_is_constant_and_factored) return true;
    model.kinetic_terms(at, s.A, view(s.velocity_terms), s.work);
    if (!s.A.factorise()) return false;
    s.A_is_constant_and_factored = model.has_constant_mass();
    return true;
}

/// Contacts that persist are recognised, but where everything of carom's own is switched off.
bool recognises(const MoreauJeanSettings& settings)
{
    return settings.activation_gap_m > 0 || settings.correction;
}

/// The point where the forces of (MJ-1) are taken, for the present u_end.
Point force_point(const State& state, const MoreauJeanSettings& settings, Scratch& s)
{
    const double h = settings.time_step_s, theta = settings.theta;
    s.u_theta = (1 - theta) * s.u_start + theta * s.u_end;
    move(state.q, s.u_theta, h * theta, s.q_theta);
    s.u_theta = (1 - theta) * s.u_minus + theta * s.u_end;
    return {view(s.q_theta), view(s.u_theta), state.t_s + h * theta};
}

/// x = h K(t_theta, q_theta, u_theta) - A (u_end - u_minus): what percussions have to balance.
void unbalanced(const Model& model, const Point& at, double h, Scratch& s)
{
    s.potential_rate_W = model.potential_gradient(at, view(s.potential_gradient), s.work);
    model.given_forces(at, view(s.given_forces), s.work);
    if (!model.has_constant_mass()) {
        model.kinetic_terms(at, s.correction_A, view(s.velocity_terms), s.work);
    }
    s.u_mean = s.u_end - s.u_minus;
    s.A.multiply(view(s.u_mean), view(s.x));
    s.x = h * (s.given_forces - s.potential_gradient - s.velocity_terms) - s.x;
}

/// The theta scheme in coordinates: Newton's iteration for forces and percussions together (MJ-2). Each pass
/// is a one-step problem with W = H J^-1 H^T; J is evaluated again while velocities do not settle quickly.
class MoreauJeanStep final : public CoordinateSystem {
public:
    MoreauJeanStep(const Model& model, const MoreauJeanSettings& settings, const SolverSettings& solver,
                   State& state, Scratch& s)
        : CoordinateSystem(model,
                           {.h_s = settings.time_step_s,
                            .theta = settings.theta,
                            .activation_gap_m = settings.activation_gap_m,
                            .correction = settings.correction,
                            .recognise = recognises(settings)},
                           state, s),
          settings_(settings),
          solver_(solver)
    {
    }

    /// Metric and contacts half-way, as in Moreau's scheme (MS-1).
    [[nodiscard]] bool predict() override
    {
        if (!s_.J) s_.J.emplace(model_);
        set_places();
        return evaluate_metric(model_, {view(s_.q_mid), view(s_.u_start), mid_s()}, s_);
    }

    void drift(StepReport& report) override
    {
        choose_laws_into(report);
        s_.u_end = s_.u_minus;
        settling_ = ForcesSettle();
        if (has_advanced(report.status)) free_velocity(report);
    }

    [[nodiscard]] bool drift_again(StepReport& report) override
    {
        s_.u_before -= s_.u_end;
        const double change = std::sqrt(s_.A.squared_norm(view(s_.u_before)));
        // at rest only the free velocity says how small a change is small
        const double size =
            std::sqrt(s_.A.squared_norm(view(s_.u_end)) + s_.A.squared_norm(view(s_.u_minus)) +
                      s_.A.squared_norm(view(s_.u_free)));
        const auto size_of_places = [&] {
            return std::sqrt(s_.A.squared_norm(view(state_.q)) + s_.A.squared_norm(view(s_.q_theta)));
        };
        if (!settling_.continues(change, size, size_of_places, settings_, tolerance(), state_.t_s, report))
            return false;
        free_velocity(report);
        return true;
    }

    /// The mean of both velocities, weighted by theta (MJ-1).
    [[nodiscard]] bool advance() override
    {
        s_.u_theta = (1 - scheme_.theta) * s_.u_start + scheme_.theta * s_.u_end;
        move(state_.q, s_.u_theta, scheme_.h_s, s_.q_end);
        return true;
    }

private:
    [[nodiscard]] MassMatrix& response() override { return s_.J->matrix(); }
    [[nodiscard]] const ContactCoupling& coupling() override { return s_.J->coupling(); }

    /// u_free = u+ + J^-1 R for the present u+.
    void free_velocity(StepReport& report)
    {
        const double h = scheme_.h_s;
        const Point at = force_point(state_, settings_, s_);
        if (settling_.evaluates() && !s_.J->evaluate(model_, s_.A, at, h * scheme_.theta, s_.work)) {
            report.status = StepStatus::MetricSingular;
            return;
        }
        unbalanced(model_, at, h, s_);
        s_.J->matrix().solve(view(s_.x));
        s_.u_free = s_.u_end + s_.x;
        s_.u_before = s_.u_end;
        if (!s_.u_free.allFinite()) report.status = StepStatus::NotFinite;
    }

    /// Of percussions; without any, velocities are not known to less.
    [[nodiscard]] double tolerance() const { return s_.P.empty() ? 0 : solver_.tolerance; }

    const MoreauJeanSettings& settings_;
    const SolverSettings& solver_;
    ForcesSettle settling_;
};

}  // namespace

Finding forces_not_settled(const MoreauJeanSettings& settings, double tolerance, double time_s, double change,
                           double size)
{
    return {.code = "forces_not_settled",
            .time_s = time_s,
            .message = fmt::format(
                "the velocity at which forces and percussions are evaluated still changes by {:.2e} "
                "of itself after {} iterations, the limit is {:.2g}: take a shorter step or "
                "increase max_iterations",
                size > 0 ? change / size : 0.0, settings.max_iterations,
                std::max(settings.force_tolerance, tolerance)),
            .uncertifies = true};
}

StepReport moreau_jean_step(const Model& model, const MoreauJeanSettings& settings,
                            const SolverSettings& solver, State& state, Scratch& s)
{
    StepReport report;
    report.h_s = settings.time_step_s;
    MoreauJeanStep step(model, settings, solver, state, s);
    take_step(step, state.t_s, solver, report);
    return report;
}

Expected<void> check(const MoreauJeanSettings& settings)
{
    return check_settings("MoreauJeanSettings", settings);
}

}  // namespace carom
