#include "constraint_parts.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include "carom/convex/sets.hpp"
#include "carom/core/expected.hpp"
#include "constraint_pressure.hpp"
#include "ledger/reaction_line.hpp"
#include "statuses.hpp"
#include "step_parts.hpp"
#include "system/lagrangian/constraint_geometry.hpp"
#include "tolerances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace carom {
namespace {

const Constraint& constraint_of(const Model& model, int interaction)
{
    return model.system().constraints[model.part(interaction).constraint];
}

/// (CO-3): a firm row that acted before holds the mean of the velocities, so that its reaction does no work;
/// one that begins to act stops what it meets. The known part of the condition goes to U_free.
void hold_mean_velocity(const Model& model, const ConstraintSolve& step, Scratch& s)
{
    for (int k = 0; k < s.rows.size(); ++k) {
        const int i = s.rows.contacts[k];
        if (model.is_contact(i) || model.part(i).limit >= 0) continue;
        const int contact = model.only_while(model.part(i).constraint);
        if (contact >= 0 && !step.state.closed[contact]) continue;
        const int row = s.problem.offsets[k];
        s.problem.U_free[row] += step.carried * s.problem.U_minus[row];
    }
}

/// A scheme that solves several times begins with all conditional constraints each time.
void engage_conditional(const Model& model, const ConstraintSolve& step, Scratch& s)
{
    for (int k = 0; k < s.rows.size(); ++k) {
        const int i = s.rows.contacts[k];
        if (model.is_contact(i) || model.only_while(model.part(i).constraint) < 0) continue;
        s.problem.laws[k] = constraint_law(model, i, step.at, step.h_s, s.work);
    }
}

/// (CO-5): constraints whose contact has not acted let go. True when one did.
bool release_unpressed(const Model& model, Scratch& s)
{
    bool any = false;
    for (int k = 0; k < s.rows.size(); ++k) {
        const int i = s.rows.contacts[k];
        if (model.is_contact(i)) continue;
        const int contact = model.only_while(model.part(i).constraint);
        if (contact < 0 || s.released[k]) continue;
        if (s.P[s.problem.offsets[s.rows.index_of[contact]]] > 0) continue;
        s.released[k] = 1;
        s.problem.laws[k] = released(s.rows.dimension(k));
        for (int row = s.problem.offsets[k]; row < s.problem.offsets[k + 1]; ++row) {
            s.P[row] = 0;
        }
        any = true;
    }
    return any;
}

/// The held positions that acted, after the contacts that stay: interactions into correction_rows, their
/// violations into correction_problem.U_free. Returns the largest violation.
double collect_violations(const Model& model, double t_s, Scratch& s, bool with_contacts = true)
{
    const Point at{view(s.q_end), view(s.u_end), t_s};
    auto& interactions = s.correction_rows.contacts;
    auto& violations = s.correction_problem.U_free;
    interactions.clear();
    violations.clear();
    double worst = 0;
    for (const ContactStep& contact : s.contacts) {
        if (!with_contacts || !stays_closed(contact)) continue;
        interactions.push_back(contact.contact);
        violations.push_back(model.gap_m(contact.contact, at, s.work));
        worst = std::max(worst, left_to_correct(violations.back(), contact.contact, s));
    }
    int evaluated = -1;
    for (int k = 0; k < s.rows.size(); ++k) {
        const int i = s.rows.contacts[k];
        if (model.is_contact(i) || !model.part(i).held || s.released[k]) continue;
        const ConstraintPart& part = model.part(i);
        if (part.constraint != evaluated) {
            const ConstraintGeometry& geometry = model.constraint(part.constraint);
            s.phi.resize(static_cast<std::size_t>(geometry.positions()));
            geometry.violations(at, s.phi, s.work);
            evaluated = part.constraint;
        }
        interactions.push_back(i);
        violations.push_back(s.phi[part.row]);
        const double size = std::abs(s.phi[part.row]);
        if (!(size <= worst)) worst = size;  // NaN is not lost
    }
    return worst;
}

/// Newton's iteration in the kinetic metric, to the tolerance or as far as rounding lets it. Returns the
/// largest violation before and after.
std::pair<double, double> project_positions(const Model& model, double tolerance, double t_s,
                                            bool with_contacts, Scratch& s)
{
    begin_correction(model, s);
    const double first = collect_violations(model, t_s, s, with_contacts);
    double violation = first, last = std::numeric_limits<double>::infinity();
    for (int pass = 0; pass < max_correction_passes && violation > tolerance && violation <= 0.5 * last;
         ++pass) {
        if (!project_out(model, t_s, s.q_end, s)) break;
        last = violation;
        violation = collect_violations(model, t_s, s, with_contacts);
    }
    return {first, violation};
}

/// How far q_end is from q_moved, squared, against how far the step went.
struct TakenBack {
    double undone = 0, moved = 0;

    /// More than a quarter of the way.
    [[nodiscard]] bool is_long() const { return undone > 0.0625 * moved; }
};

TakenBack taken_back(double h, Scratch& s)
{
    TakenBack taken;
    s.correction_x = s.q_end - s.q_moved;
    taken.undone = s.A.squared_norm(view(s.correction_x));
    s.correction_x = h / 2 * (s.u_start + s.u_end);
    taken.moved = s.A.squared_norm(view(s.correction_x));
    return taken;
}

/// What held positions alone would take back: contacts that closed within the step are rightly moved apart.
TakenBack taken_back_of_positions(const Model& model, double tolerance, double h, double t_s, Scratch& s)
{
    const Eigen::VectorXd corrected = s.q_end;
    s.q_end = s.q_moved;
    const double first = project_positions(model, tolerance, t_s, false, s).first;
    TakenBack taken = taken_back(h, s);
    if (!(first > tolerance)) taken.undone = 0;
    s.q_end = corrected;
    return taken;
}

/// U = W P + U_free of all rows is small beside what it was.
bool is_held(const OneStepProblem& problem, std::span<const double> P)
{
    constexpr double left = 1e-6;
    double before = 0, after = 0;
    for (int k = 0; k < problem.interactions(); ++k) {
        double U = problem.U_free[static_cast<std::size_t>(k)];
        before = std::max(before, std::abs(U));
        for (const auto& entry : problem.W.row(k)) {
            U += problem.W.block(k, entry)[0] * P[static_cast<std::size_t>(entry.column)];
        }
        after = std::max(after, std::abs(U));
    }
    return after <= left * before;
}

/// The velocity of firm rows at the end of the step: u_held = u_end - A^-1 H^T W^-1 (H u_end + b). Contacts that
/// stay keep their normal velocities: what they gained would open them, and they would be struck again.
/// False where that is too much to ask, because rows of contacts depend on firm ones.
bool hold_velocities(const Model& model, double t_s, bool with_contacts, Scratch& s)
{
    ContactRows& rows = s.correction_rows;
    rows.contacts.clear();
    for (const ContactStep& contact : s.contacts) {
        if (with_contacts && stays_closed(contact) && acts(contact)) rows.contacts.push_back(contact.contact);
    }
    const std::size_t kept = rows.contacts.size();
    for (int k = 0; k < s.rows.size(); ++k) {
        const int i = s.rows.contacts[k];
        if (!model.is_contact(i) && model.part(i).limit < 0 && !s.released[k]) rows.contacts.push_back(i);
    }
    if (rows.contacts.size() == kept) return true;
    const Point at{view(s.q_end), view(s.u_end), t_s};
    if (!s.A_is_constant_and_factored) {
        model.kinetic_terms(at, s.correction_A, view(s.correction_x), s.work);
        if (!s.correction_A.factorise()) return true;
    }
    MassMatrix& A = s.A_is_constant_and_factored ? s.A : s.correction_A;
    evaluate_rows(model, at, s.work, rows, RowsOf::Normal);

    OneStepProblem& problem = s.correction_problem;
    local_velocities(model, rows, view(s.u_end), problem.U_free);
    std::fill_n(problem.U_free.begin(), kept, 0.0);
    problem.laws.assign(rows.contacts.size(), Bilateral{});
    problem.offsets = rows.offsets;
    problem.U_minus.assign(rows.contacts.size(), 0.0);
    assemble_delassus(model, model.coupling(), rows, A, view(s.correction_x), problem);
    s.correction_P.assign(rows.contacts.size(), 0.0);
    s.solver.pivoting.solve(problem, s.correction_P);
    apply_percussions(model, rows, s.correction_P, A, view(s.correction_x));
    if (!s.correction_x.allFinite()) return kept == 0;
    if (kept > 0 && !is_held(problem, s.correction_P)) return false;
    s.u_held += s.correction_x;

    // what the reaction grows by within the step: with it percussions are of second order
    for (int k = static_cast<int>(kept); k < rows.size(); ++k) {
        s.held_P[s.problem.offsets[s.rows.index_of[rows.contacts[k]]]] = s.correction_P[k];
    }
    return true;
}

/// The reaction of the limits that nothing presses.
double unpressed_size(const Model& model, int constraint, std::size_t limit, const Point& at, double h_s,
                      Workspace& work)
{
    if (model.pressed_by(constraint, static_cast<int>(limit)) >= 0) return 0;
    return h_s * model.system().constraints[constraint].limits[limit].size.value(at, work);
}

}  // namespace

Law released(int dimension)
{
    if (dimension == 1) return Limited{.low = 0, .high = 0};
    const auto ball = Ball::make(Eigen::VectorXd::Zero(dimension), 1.0);
    if (!ball) throw InternalError("a ball without a centre");
    return NonFirm{.set = std::make_shared<const Ball>(*ball), .size = 0};
}

Law constraint_law(const Model& model, int interaction, const Point& at, double h_s, Workspace& work)
{
    const ConstraintPart& part = model.part(interaction);
    if (part.limit < 0) return Bilateral{};
    const Constraint& constraint = constraint_of(model, interaction);
    if (part.dimension > 1) {
        const auto limit = static_cast<std::size_t>(part.limit);
        return NonFirm{.set = constraint.limits[limit].set,
                       .size = unpressed_size(model, part.constraint, limit, at, h_s, work),
                       .rubs = model.pressed_by(part.constraint, part.limit) >= 0};
    }
    // a sum of intervals is one
    Limited result{.low = 0, .high = 0};
    for (std::size_t l = 0; l < constraint.limits.size(); ++l) {
        const double size = unpressed_size(model, part.constraint, l, at, h_s, work);
        const Limited more = interval_of(*constraint.limits[l].set, size);
        result.low += more.low;
        result.high += more.high;
        result.rubs = result.rubs || model.pressed_by(part.constraint, static_cast<int>(l)) >= 0;
    }
    return result;
}

void solve_with_constraints(const Model& model, const ConstraintSolve& step, const SolverSettings& solver,
                            Scratch& s, StepReport& report)
{
    s.released.assign(s.rows.contacts.size(), 0);
    if (s.rows.size() == 0) {
        report.status = StepStatus::Solved;
        report.solve.status = SolveStatus::Converged;
        report.solve.solver = SolverKind::Exact;
        return;
    }
    if (model.constraints() == 0) {
        solve_once(solver, s, report);
        return;
    }
    engage_conditional(model, step, s);
    hold_mean_velocity(model, step, s);
    solve_with_pressures(model, step, solver, s, report);
    while (report.status == StepStatus::Solved && release_unpressed(model, s)) {
        solve_with_pressures(model, step, solver, s, report);
    }
}

void hold_constraints(const Model& model, double activation_gap_m, double t_s, Scratch& s, StepReport& report)
{
    const double tolerance = detail::violation_left * activation_gap_m;
    s.q_moved = s.q_end;
    const auto [first, violation] = project_positions(model, tolerance, t_s, true, s);
    report.max_violation = violation;

    // a projection that undoes the step: gradients have lost rank, and positions allow no such motion
    const double visible = std::max(activation_gap_m, detail::visible_violation);
    TakenBack taken = taken_back(report.h_s, s);
    if (first > visible && taken.is_long())
        taken = taken_back_of_positions(model, visible, report.h_s, t_s, s);
    if (!(violation <= visible) || (first > visible && taken.is_long())) {
        report.status = StepStatus::NotSolved;
        report.findings.push_back(
            {.code = "constraints_dependent",
             .time_s = t_s,
             .message = fmt::format("the correction of constraints undoes the step: a violation of {:.3g} "
                                    "became {:.3g}, and {:.3g} of the displacement was taken back. Gradients "
                                    "are dependent here, or the step is too long",
                                    first, violation, std::sqrt(taken.undone / taken.moved))});
    }
    s.u_held = s.u_end;
    s.held_P.assign(s.P.size(), 0.0);
    if (!hold_velocities(model, t_s, true, s)) static_cast<void>(hold_velocities(model, t_s, false, s));
}

double largest_violation(const Model& model, double t_s, Scratch& s)
{
    return collect_violations(model, t_s, s);
}

namespace {

/// What a part of a constraint does in this step.
ConstraintStatus status_of_part(const Model& model, int interaction, const Scratch& s)
{
    const int k = s.rows.index_of[interaction];
    if (k < 0 || s.released[k]) return ConstraintStatus::Free;
    if (model.part(interaction).limit < 0) return ConstraintStatus::Holds;
    return status_of_reaction(s.problem, k, s.problem.part(std::span<const double>(s.P), k),
                              s.problem.part(std::span<const double>(s.U_plus), k));
}

/// The work of a reaction that holds: in theory none, so that it is the scheme's (LE-26).
void account_held(int k, const Scratch& s, EnergyLines& lines)
{
    double held_J = 0;
    for (int row = s.problem.offsets[k]; row < s.problem.offsets[k + 1]; ++row) {
        held_J += s.P[row] * (s.problem.U_minus[row] + s.U_plus[row]) / 2;
    }
    lines.*line_of(s.problem.laws[k], false) -= held_J;
    lines.correction_J += held_J;
}

void tell_changes(const Model& model, double time_s, State& state, Scratch& s, EnergyLines& lines)
{
    const int contacts = model.contacts(), parts = model.interactions() - contacts;
    state.constraint_status.resize(static_cast<std::size_t>(parts), 0);
    for (int p = 0; p < parts; ++p) {
        const int interaction = contacts + p;
        const ConstraintPart& part = model.part(interaction);
        if (part.limit < 0 && model.only_while(part.constraint) < 0) continue;  // it always holds
        char& kept = state.constraint_status[static_cast<std::size_t>(p)];
        const auto before = static_cast<ConstraintStatus>(kept);
        const ConstraintStatus now = status_of_part(model, interaction, s);
        kept = static_cast<char>(now);
        if (part.limit >= 0 && before == ConstraintStatus::Holds && now == ConstraintStatus::Holds)
            account_held(s.rows.index_of[interaction], s, lines);
        const auto kind = event_of_change(before, now);
        if (!kind) continue;
        Event event;
        event.time_s = time_s;
        event.kind = *kind;
        event.contact = contacts + part.constraint;
        if (const int k = s.rows.index_of[interaction]; k >= 0) {
            const int row = s.problem.offsets[k];
            event.percussion_Ns = s.P[row];
            event.velocity_before_m_s = s.problem.U_minus[row];
            event.velocity_after_m_s = now == ConstraintStatus::Holds ? 0.0 : s.U_plus[row];
            event.energy_J = s.P[row] * (s.problem.U_minus[row] + s.U_plus[row]) / 2;
        }
        s.events.push_back(event);
    }
}

}  // namespace

void report_constraints(const Model& model, double time_s, State& state, Scratch& s, EnergyLines& lines)
{
    if (model.constraints() == 0) {
        s.reaction_J.clear();
        return;
    }
    tell_changes(model, time_s, state, s, lines);
    set_all(static_cast<std::size_t>(model.constraints()), 0.0, s.reaction_J);
    for (int k = 0; k < s.rows.size(); ++k) {
        const int i = s.rows.contacts[k];
        if (model.is_contact(i)) continue;
        double& work_J = s.reaction_J[model.part(i).constraint];
        for (int r = 0; r < s.rows.dimension(k); ++r) {
            const int row = s.problem.offsets[k] + r;
            state.percussion_Ns[model.offset(i) + r] = s.P[row] + (s.held_P.empty() ? 0.0 : s.held_P[row]);
            work_J += s.P[row] * (s.problem.U_minus[row] + s.U_plus[row]) / 2;
        }
    }
}

}  // namespace carom
