#include "carom/stepping/moreau_jean.hpp"

#include "constraint_parts.hpp"
#include "impact_map.hpp"
#include "step_parts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

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

/// A change of the velocity that moves no place by more than rounding in this step, and that more passes do
/// not make smaller: forces are not known better (MJ-4).
bool is_rounding(const State& state, double h, double change, double last_change, Scratch& s)
{
    constexpr double roundings = 64;
    if (!(change > 0.5 * last_change)) return false;
    const double size = std::sqrt(s.A.squared_norm(view(state.q)) + s.A.squared_norm(view(s.q_theta)));
    return h * change <= roundings * std::numeric_limits<double>::epsilon() * size;
}

/// (MJ-2): Newton's iteration for forces and percussions together. Each pass is a one-step problem with
/// W = H J^-1 H^T; J is evaluated again while velocities do not settle quickly.
StepStatus iterate(const Model& model, const MoreauJeanSettings& settings, const SolverSettings& solver,
                   const State& state, Scratch& s, StepReport& report)
{
    const double h = settings.time_step_s;
    double change = 0, size = 0;
    bool evaluate = true;
    for (int iteration = 0; iteration < settings.max_iterations; ++iteration) {
        const Point at = force_point(state, settings, s);
        if (evaluate && !s.J->evaluate(model, s.A, at, h * settings.theta, s.work)) {
            return StepStatus::MetricSingular;
        }
        unbalanced(model, at, h, s);
        s.J->matrix().solve(view(s.x));
        s.u_free = s.u_end + s.x;
        if (!s.u_free.allFinite()) return StepStatus::NotFinite;

        const Point rows_at{view(s.q_mid), view(s.u_start), state.t_s + h / 2};
        const Persistence persistence{
            recognises(settings), {h, settings.theta, false, settings.activation_gap_m}, rows_at};
        if (!assemble_with_persistence(model, s.J->coupling(), s.J->matrix(), persistence, state, s)) {
            return StepStatus::LawOutOfRange;
        }
        solve_with_constraints(model, {state, rows_at, h, carried_part(settings.theta)}, solver, s, report);
        if (!has_advanced(report.status)) return report.status;
        s.u_before = s.u_end;
        apply_solution(model, s.J->matrix(), s);

        const double last_change = change;
        s.u_before -= s.u_end;
        change = std::sqrt(s.A.squared_norm(view(s.u_before)));
        // at rest only the free velocity says how small a change is small
        size = std::sqrt(s.A.squared_norm(view(s.u_end)) + s.A.squared_norm(view(s.u_minus)) +
                         s.A.squared_norm(view(s.u_free)));
        evaluate = iteration > 0 && change > 0.1 * last_change;
        if (change <= settings.force_tolerance * size) return report.status;
        if (iteration > 1 && is_rounding(state, h, change, last_change, s)) return report.status;
    }
    report.findings.push_back(
        {.code = "forces_not_settled",
         .time_s = state.t_s,
         .message =
             fmt::format("the velocity that forces and percussions are taken at still changes by {:.2e} "
                         "of itself after {} passes, {:.2g} was asked for: a shorter step or more "
                         "max_iterations help",
                         size > 0 ? change / size : 0.0, settings.max_iterations, settings.force_tolerance),
         .uncertifies = true});
    return StepStatus::NotSolved;
}

}  // namespace

StepReport moreau_jean_step(const Model& model, const MoreauJeanSettings& settings,
                            const SolverSettings& solver, State& state, Scratch& s)
{
    const double h = settings.time_step_s, theta = settings.theta;
    const double t_mid = state.t_s + h / 2;
    s.events.clear();
    s.u_start = s.u_minus = state.u;
    if (!s.J) s.J.emplace(model);
    StepReport report;
    report.h_s = h;

    // predict and detect, as Moreau's scheme does: metric and contacts half-way (MS-1)
    move(state.q, state.u, h / 2, s.q_mid);
    s.q_cone = s.q_mid;
    const Point mid{view(s.q_mid), view(s.u_start), t_mid};
    if (!evaluate_metric(model, mid, s)) return failed(StepStatus::MetricSingular, h);
    find_touching(model, state, settings.activation_gap_m, recognises(settings), s);
    detect(model, mid, settings.activation_gap_m, s);
    if (!apply_impact_map(model, state, t_mid, s, report)) return failed(StepStatus::LawOutOfRange, h);
    if (!choose_laws(model, mid, h, state, s)) return failed(StepStatus::LawOutOfRange, h);

    // forces and percussions together (MJ-1), (MJ-2)
    s.u_end = s.u_minus;
    report.status = iterate(model, settings, solver, state, s, report);
    if (!has_advanced(report.status)) return failed(std::move(report));

    // advance with the mean of both velocities, weighted by theta (MJ-1)
    s.u_theta = (1 - theta) * s.u_start + theta * s.u_end;
    move(state.q, s.u_theta, h, s.q_end);

    // correct (MS-5), account
    finish_step(model, settings.correction, settings.activation_gap_m, t_mid, state, s, report);
    return report;
}

Expected<void> check(const MoreauJeanSettings& settings)
{
    // written with ! so that NaN is refused too
    if (!(settings.time_step_s > 0 && std::isfinite(settings.time_step_s))) {
        return out_of_range("MoreauJeanSettings::time_step_s", settings.time_step_s,
                            "give a step greater than zero, for example 1e-3");
    }
    if (!(settings.theta >= 0.5 && settings.theta <= 1)) {
        return out_of_range("MoreauJeanSettings::theta", settings.theta,
                            "give 0.5 (second order) to 1 (most damping); below 0.5 the scheme is unstable");
    }
    if (!(settings.activation_gap_m >= 0 && std::isfinite(settings.activation_gap_m))) {
        return out_of_range("MoreauJeanSettings::activation_gap_m", settings.activation_gap_m,
                            "give zero or a small length, for example 1e-9");
    }
    if (!(settings.force_tolerance > 0 && settings.force_tolerance < 1)) {
        return out_of_range("MoreauJeanSettings::force_tolerance", settings.force_tolerance,
                            "give a small part, for example 1e-12");
    }
    if (settings.max_iterations < 2) {
        return out_of_range("MoreauJeanSettings::max_iterations", settings.max_iterations,
                            "give at least 2: one pass to solve and one to see that it holds");
    }
    if (!(settings.max_overlap > 0)) {
        return out_of_range("MoreauJeanSettings::max_overlap", settings.max_overlap,
                            "give a part of gaps, for example 0.1");
    }
    return {};
}

}  // namespace carom
