#include "carom/stepping/moreau.hpp"

#include "constraint_parts.hpp"
#include "impact_map.hpp"
#include "step_parts.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// One pass of (MS-2): u_free = u + h A^-1 K with K evaluated at the velocity u_at. The first one factorises
/// A, which is the same in all; false when A is not positive.
bool free_velocity_pass(const Model& model, double t_mid, double h, int pass, const Eigen::VectorXd& u_at,
                        Scratch& s)
{
    const Point at{view(s.q_mid), view(u_at), t_mid};
    if (!s.A_is_constant_and_factored) {
        model.kinetic_terms(at, s.A, view(s.velocity_terms), s.work);
        if (pass == 0 && !s.A.factorise()) return false;
        s.A_is_constant_and_factored = model.has_constant_mass();
    }
    if (pass == 0 || model.has_forces_of_velocity()) model.given_forces(at, view(s.given_forces), s.work);
    for (Eigen::Index i = 0; i < s.x.size(); ++i) {
        s.x[i] = s.given_forces[i] - s.potential_gradient[i] - s.velocity_terms[i];
    }
    s.A.solve(view(s.x));
    move(s.u_minus, s.x, h, s.u_free);
    return true;
}

/// (MS-2): velocity at the end of the step if no contact acted.
bool free_velocity(const Model& model, const MoreauSettings& settings, double t_mid, Scratch& s)
{
    const double h = settings.time_step_s;
    const Point at{view(s.q_mid), view(s.u_minus), t_mid};
    s.potential_rate_W = model.potential_gradient(at, view(s.potential_gradient), s.work);
    if (!free_velocity_pass(model, t_mid, h, 0, s.u_minus, s)) return false;
    const bool again = model.has_velocity_forces() && model.constraints() == 0;
    for (int pass = 1; pass < settings.force_passes && again; ++pass) {
        s.u_mean = 0.5 * (s.u_minus + s.u_free);
        if (!free_velocity_pass(model, t_mid, h, pass, s.u_mean, s)) return false;
    }
    return true;
}

void fail(StepStatus status, StepReport& report)
{
    report = failed(status, report.h_s);
}

void fail(StepReport& report)
{
    report = failed(std::move(report));
}

/// A step into `report`.
void take_step(const Model& model, const MoreauSettings& settings, const SolverSettings& solver, State& state,
               Scratch& s, StepReport& report)
{
    const double h = settings.time_step_s;
    const double t_mid = state.t_s + h / 2;
    const double t_end = state.t_s + h;
    s.events.clear();
    assign(state.u, s.u_minus);
    assign(state.u, s.u_start);
    report.h_s = h;

    // predict: half a step with the old velocity (MS-1)
    move(state.q, state.u, h / 2, s.q_mid);

    // detect: contacts that are closed half-way, or at the end of a free step (MS-1)
    const bool at_end = settings.cone_point == ConePoint::End;
    if (at_end)
        move(state.q, state.u, h, s.q_cone);
    else
        assign(s.q_mid, s.q_cone);
    const Point cone_point{view(s.q_cone), view(s.u_start), at_end ? t_end : t_mid};
    const bool to_the_letter = settings.force_passes == 1 && !settings.correction;
    find_touching(model, state, settings.activation_gap_m, !to_the_letter, s);
    detect(model, cone_point, settings.activation_gap_m, s);
    if (!apply_impact_map(model, state, cone_point.t_s, s, report))
        return fail(StepStatus::LawOutOfRange, report);

    // free: velocity at the end of the step if no contact acted (MS-2)
    if (!free_velocity(model, settings, t_mid, s)) return fail(StepStatus::MetricSingular, report);
    if (!s.u_free.allFinite()) return fail(StepStatus::NotFinite, report);

    // assemble and solve: U = W P + U_free, -(U + s) in N_C(P) (MS-3)
    if (!choose_laws(model, cone_point, h, state, s)) return fail(StepStatus::LawOutOfRange, report);
    const Persistence persistence{!to_the_letter, {h, 0.5, at_end, settings.activation_gap_m}, cone_point};
    const auto solve_for_velocity = [&] {
        if (!assemble_with_persistence(model, model.coupling(), s.A, persistence, state, s)) {
            report.status = StepStatus::LawOutOfRange;
            return false;
        }
        solve_with_constraints(model, {state, cone_point, h, carried_part(0.5)}, solver, s, report);
        apply_solution(model, s.A, s);
        return has_advanced(report.status);
    };
    if (!solve_for_velocity()) return fail(report);

    // constraints turn the velocity: forces a second time at the mean of what they allow, not of the free one
    if (model.constraints() > 0 && settings.force_passes > 1 && model.has_velocity_forces()) {
        s.u_mean = 0.5 * (s.u_minus + s.u_end);
        if (!free_velocity_pass(model, t_mid, h, 1, s.u_mean, s))
            return fail(StepStatus::MetricSingular, report);
        if (!solve_for_velocity()) return fail(report);
    }

    // advance: the percussions make the velocity jump; the second half-step uses the new velocity (MS-4)
    move(s.q_mid, s.u_end, h / 2, s.q_end);

    // correct (MS-5), account
    finish_step(model, settings.correction, settings.activation_gap_m, t_mid, state, s, report);
}

}  // namespace

StepReport moreau_step(const Model& model, const MoreauSettings& settings, const SolverSettings& solver,
                       State& state, Scratch& s)
{
    StepReport report;
    take_step(model, settings, solver, state, s, report);
    return report;
}

std::string_view name_of(ConePoint point) noexcept
{
    return point == ConePoint::Midpoint ? "midpoint" : "end";
}

Expected<void> check(const MoreauSettings& settings)
{
    // written with ! so that NaN is refused too
    if (!(settings.time_step_s > 0 && std::isfinite(settings.time_step_s))) {
        return out_of_range("MoreauSettings::time_step_s", settings.time_step_s,
                            "give a step greater than zero, for example 1e-3");
    }
    if (!(settings.activation_gap_m >= 0 && std::isfinite(settings.activation_gap_m))) {
        return out_of_range("MoreauSettings::activation_gap_m", settings.activation_gap_m,
                            "give zero or a small length, for example 1e-9");
    }
    if (settings.force_passes != 1 && settings.force_passes != 2) {
        return out_of_range("MoreauSettings::force_passes", settings.force_passes,
                            "give 1 (the paper) or 2 (second order)");
    }
    if (!(settings.max_overlap > 0)) {
        return out_of_range("MoreauSettings::max_overlap", settings.max_overlap,
                            "give a part of the thickness of bodies, or of gaps, for example 0.1");
    }
    return {};
}

}  // namespace carom
