#include "carom/integrator/moreau.hpp"

#include "impact_map.hpp"
#include "statuses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// q + h u, real coordinates.
void move(const Eigen::VectorXd& q, const Eigen::VectorXd& u, double h, Eigen::VectorXd& out)
{
    out = q + h * u;
}

Energies energies(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& u, double t_s,
                  Workspace& work)
{
    const Point at{view(q), view(u), t_s};
    return {.kinetic_J = model.kinetic_energy(at, work), .potential_J = model.potential_energy(at, work)};
}

/// One pass of (MS-2): u_free = u + h A^-1 K with K evaluated at the velocity u_at. False when A is not
/// positive.
bool free_velocity_pass(const Model& model, double t_mid, double h, const Eigen::VectorXd& u_at, Scratch& s)
{
    const Point at{view(s.q_mid), view(u_at), t_mid};
    if (!s.A_is_constant_and_factored) {
        model.kinetic_terms(at, s.A, view(s.velocity_terms), s.work);
        if (!s.A.factorise()) return false;
        s.A_is_constant_and_factored = model.has_constant_mass();
    }
    model.given_forces(at, view(s.given_forces), s.work);
    s.x = s.given_forces - s.potential_gradient - s.velocity_terms;
    s.A.solve(view(s.x));
    s.u_free = s.u_minus + h * s.x;
    return true;
}

/// (MS-2): velocity at the end of the step if no contact acted.
bool free_velocity(const Model& model, const MoreauSettings& settings, double t_mid, Scratch& s)
{
    const double h = settings.time_step_s;
    const Point at{view(s.q_mid), view(s.u_minus), t_mid};
    s.potential_rate_W = model.potential_gradient(at, view(s.potential_gradient), s.work);
    if (!free_velocity_pass(model, t_mid, h, s.u_minus, s)) return false;
    for (int pass = 1; pass < settings.force_passes && model.has_velocity_forces(); ++pass) {
        s.u_mean = 0.5 * (s.u_minus + s.u_free);
        if (!free_velocity_pass(model, t_mid, h, s.u_mean, s)) return false;
    }
    return true;
}

/// (MS-3): one law per active contact, U_minus and U_free, W. False when a restitution is out of range.
bool assemble(const Model& model, const Point& at, const State& state, Scratch& s)
{
    s.contacts.clear();
    OneStepProblem& problem = s.problem;
    problem.laws.clear();
    problem.offsets.assign(1, 0);
    problem.U_free.clear();
    problem.U_minus.clear();
    s.P.clear();
    const double kinetic_J = s.rows.size() > 0 ? s.A.squared_norm(view(s.u_free)) / 2 : 0.0;
    for (int k = 0; k < s.rows.size(); ++k) {
        const int c = s.rows.contacts[k];
        // an impact map has done what restitution would do
        const double e = model.system().impact_map ? 0.0 : model.restitution(c, at, s.work);
        problem.laws.emplace_back(Unilateral{.restitution = e});
        if (!(e >= 0 && e <= 1)) return false;
        problem.offsets.push_back(k + 1);
        problem.U_minus.push_back(row_product(model, s.rows, k, view(s.u_minus)) + s.rows.b[k]);
        problem.U_free.push_back(row_product(model, s.rows, k, view(s.u_free)) + s.rows.b[k]);
        s.P.push_back(state.percussion_Ns[c]);
        s.contacts.push_back({.contact = c,
                              .U_minus_m_s = row_product(model, s.rows, k, view(s.u_start)) + s.rows.b[k],
                              .U_free_m_s = problem.U_free.back(),
                              .U_plus_m_s = 0,
                              .percussion_Ns = 0,
                              .energy_J = 0,
                              .kinetic_J = kinetic_J,
                              .W_1_kg = 0,
                              .restitution = e});
    }
    assemble_delassus(model, s.rows, s.A, view(s.x), problem);
    for (int k = 0; k < s.rows.size(); ++k) {
        s.contacts[k].W_1_kg = problem.W.diagonal(k)[0];
    }
    return true;
}

/// (MS-4): the percussions make the velocity jump; the second half-step uses the new velocity.
void advance(const Model& model, double h, Scratch& s)
{
    apply_percussions(model, s.rows, s.P, s.A, view(s.x));
    s.u_end = s.u_free + s.x;
    move(s.q_mid, s.u_end, h / 2, s.q_end);
    s.U_plus.clear();
    for (int k = 0; k < s.rows.size(); ++k) {
        s.U_plus.push_back(row_product(model, s.rows, k, view(s.u_end)) + s.rows.b[k]);
        ContactStep& contact = s.contacts[k];
        contact.U_plus_m_s = s.U_plus.back();
        contact.percussion_Ns = s.P[k] + s.map_P[k];
        contact.energy_J = (s.map_P[k] * (contact.U_minus_m_s + s.problem.U_minus[k]) +
                            s.P[k] * (s.problem.U_minus[k] + contact.U_plus_m_s)) /
                           2;
    }
}

/// Gaps at the end of the step; returns the deepest overlap.
double evaluate_gaps(const Model& model, const Point& at, Scratch& s)
{
    double deepest = 0;
    for (int c = 0; c < model.contacts(); ++c) {
        s.gap_m[c] = model.gap_m(c, at, s.work);
        deepest = std::max(deepest, -s.gap_m[c]);
    }
    return deepest;
}

/// (MS-5): contacts that acted, stay closed and overlap. One that leaves by restitution is not lifted: that
/// would feed it energy and it would never rest.
bool correct(const Model& model, const MoreauSettings& settings, double t_s, Scratch& s)
{
    auto& staying = s.correction_rows.contacts;
    staying.clear();
    double violation = 0;
    for (const ContactStep& contact : s.contacts) {
        if (!stays_closed(contact)) continue;
        staying.push_back(contact.contact);
        violation = std::max(violation, -s.gap_m[contact.contact]);
    }
    if (!(violation > 1e-3 * settings.activation_gap_m)) return false;
    return correct_violations(model, staying, t_s, s.q_end, s);
}

StepReport failed(StepStatus status, double h)
{
    StepReport report;
    report.status = status;
    report.h_s = h;
    return report;
}

}  // namespace

Scratch::Scratch(const Model& model)
    : gap_m(static_cast<std::size_t>(model.contacts())),
      A(model.mass_pattern()),
      correction_A(model.mass_pattern())
{
    const int n = model.coordinates();
    for (auto* vector : {&u_free, &q_mid, &q_cone, &u_start, &u_minus, &u_mean, &u_end, &q_end,
                         &velocity_terms, &given_forces, &potential_gradient, &x, &correction_x}) {
        *vector = Eigen::VectorXd::Zero(n);
    }
}

StepReport moreau_step(const Model& model, const MoreauSettings& settings, const SolverSettings& solver,
                       State& state, Scratch& s)
{
    const double h = settings.time_step_s;
    const double t_mid = state.t_s + h / 2;
    const double t_end = state.t_s + h;
    s.events.clear();
    s.u_start = s.u_minus = state.u;
    StepReport report;
    report.h_s = h;

    // predict: half a step with the old velocity (MS-1)
    move(state.q, state.u, h / 2, s.q_mid);

    // detect: contacts that are closed half-way, or at the end of a free step (MS-1)
    const bool at_end = settings.cone_point == ConePoint::End;
    move(state.q, state.u, at_end ? h : h / 2, s.q_cone);
    const Point cone_point{view(s.q_cone), view(s.u_start), at_end ? t_end : t_mid};
    find_closed(model, cone_point, settings.activation_gap_m, s.work, s.rows.contacts);
    evaluate_rows(model, cone_point, s.work, s.rows);
    if (!apply_impact_map(model, state, cone_point.t_s, s, report))
        return failed(StepStatus::LawOutOfRange, h);

    // free: velocity at the end of the step if no contact acted (MS-2)
    if (!free_velocity(model, settings, t_mid, s)) return failed(StepStatus::MetricSingular, h);
    if (!s.u_free.allFinite()) return failed(StepStatus::NotFinite, h);

    // assemble and solve: U = W P + U_free, -(U + s) in N_C(P) (MS-3)
    if (!assemble(model, cone_point, state, s)) return failed(StepStatus::LawOutOfRange, h);
    report.solve = solve(s.problem, solver, s.P, s.solver);
    if (report.solve.status == SolveStatus::NotFinite) return failed(StepStatus::NotFinite, h);
    if (report.solve.status != SolveStatus::Converged) report.status = StepStatus::NotSolved;

    // advance: the percussions make the velocity jump (MS-4)
    const Energies start = energies(model, state.q, state.u, state.t_s, s.work);
    advance(model, h, s);
    const Energies end = energies(model, s.q_end, s.u_end, t_end, s.work);

    // correct: project the violation of contacts that stay out of the configuration (MS-5)
    const Point end_point{view(s.q_end), view(s.u_end), t_end};
    report.max_penetration_m = evaluate_gaps(model, end_point, s);
    Energies corrected = end;
    if (settings.correction && correct(model, settings, t_end, s)) {
        report.max_penetration_m = evaluate_gaps(model, end_point, s);
        corrected = energies(model, s.q_end, s.u_end, t_end, s.work);
    }
    if (!std::isfinite(corrected.kinetic_J + corrected.potential_J)) return failed(StepStatus::NotFinite, h);

    // account: energy ledger and status changes
    report.energy = account_step({.h_s = h,
                                  .u_start = view(s.u_start),
                                  .u_minus = view(s.u_minus),
                                  .u_plus = view(s.u_end),
                                  .A = &s.A,
                                  .velocity_terms = view(s.velocity_terms),
                                  .given_forces = view(s.given_forces),
                                  .potential_gradient = view(s.potential_gradient),
                                  .potential_rate_W = s.potential_rate_W,
                                  .laws = s.problem.laws,
                                  .P = s.P,
                                  .U_minus = s.problem.U_minus,
                                  .U_plus = s.U_plus,
                                  .b = s.rows.b},
                                 start, end, corrected);
    report.at_end = corrected;
    update_statuses(s.contacts, t_mid, state, s.events);
    state.q = s.q_end;
    state.u = s.u_end;
    state.t_s = t_end;
    return report;
}

std::string_view name_of(ConePoint point) noexcept
{
    return point == ConePoint::Midpoint ? "midpoint" : "end";
}

std::string_view name_of(StepStatus status) noexcept
{
    switch (status) {
    case StepStatus::Solved: return "solved";
    case StepStatus::NotSolved: return "not_solved";
    case StepStatus::NotFinite: return "not_finite";
    case StepStatus::MetricSingular: return "metric_singular";
    case StepStatus::LawOutOfRange: return "law_out_of_range";
    }
    return "unknown";
}

Expected<void> check(const MoreauSettings& settings)
{
    const auto refuse = [](const char* field, double seen, const char* hint) {
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = std::string("MoreauSettings::") + field,
                     .message = fmt::format("{} is {}", field, seen),
                     .hint = hint,
                     .excerpt = {}};
    };
    // written with ! so that NaN is refused too
    if (!(settings.time_step_s > 0 && std::isfinite(settings.time_step_s))) {
        return refuse("time_step_s", settings.time_step_s, "give a step greater than zero, for example 1e-3");
    }
    if (!(settings.activation_gap_m >= 0 && std::isfinite(settings.activation_gap_m))) {
        return refuse("activation_gap_m", settings.activation_gap_m,
                      "give zero or a small length, for example 1e-9");
    }
    if (settings.force_passes != 1 && settings.force_passes != 2) {
        return refuse("force_passes", settings.force_passes, "give 1 (the paper) or 2 (second order)");
    }
    return {};
}

}  // namespace carom
