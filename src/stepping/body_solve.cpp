#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "body_response.hpp"
#include "core/parallel.hpp"
#include "onestep/factored_operator.hpp"
#include "solver/thorough.hpp"

#include <algorithm>

namespace carom::detail {

namespace {

/// Contacts and bodies that one thread takes at once.
constexpr std::size_t pushed_in_block = 512;

/// What the percussion of a contact without rows does to velocities.
void push_bodies(const BodyModel& model, const BodyContact& contact, BodyStepMemory& s)
{
    const Vec3 P =
        contact.P[0] * contact.axes[0] + contact.P[1] * contact.axes[1] + contact.P[2] * contact.axes[2];
    // the inertia of a ball is a number; what does not move has none
    const auto push = [&](int body, const Vec3& on_body, const Vec3& arm) {
        const auto k = static_cast<std::size_t>(body);
        if (model.inverse_mass[k] == 0) return;
        s.next.v[k] += model.inverse_mass[k] * on_body;
        const Vec3 turn = arm.cross(on_body);
        s.correction_w[k] +=
            s.round ? Vec3(s.inverse_inertia[k](0, 0) * turn) : Vec3(s.inverse_inertia[k] * turn);
    };
    push(contact.first, P, contact.arm_first);
    push(contact.second, -P, contact.arm_second);
}

void push_rows(const BodyModel& model, BodyStepMemory& s)
{
    for (int row = 0; row < s.rows.size(); ++row) {
        s.rows.apply(model.inverse_mass, row, s.P[row], s.next.v, s.correction_w);
    }
}

/// The same where springs between bodies are implicit.
void push_through_response(BodyStepMemory& s)
{
    s.correction_v.assign(s.v_free.size(), Vec3::Zero());
    for (int row = 0; row < s.rows.size(); ++row) {
        for (const BodyRows::Term& term : s.rows.row(row)) {
            s.correction_v[static_cast<std::size_t>(term.block)] += s.P[row] * term.v;
            s.correction_w[static_cast<std::size_t>(term.block)] += s.P[row] * term.w;
        }
    }
    s.response->solve(s.correction_v, s.correction_w);
    for (std::size_t i = 0; i < s.correction_v.size(); ++i)
        s.next.v[i] += s.correction_v[i];
}

/// The rows of a contact from the problem to its slots.
void take_percussion(const double* P, BodyContact& contact)
{
    if (contact.dimension == 3 && !contact.rolls()) {
        std::copy_n(P, 3, contact.P.begin());
        return;
    }
    contact.P = {};
    if (contact.beyond != nullptr) contact.beyond->P = {};
    for (int i = 0; i < contact.dimension; ++i) {
        contact.P_of(contact.slot(i)) = P[i];
    }
}

/// Velocities of a contact from its slots to the rows of the problem, where one that is open may close.
void give_velocities(const BodyContact& contact, double* U)
{
    if (contact.dimension == 3 && !contact.rolls()) {
        std::copy_n(contact.U_plus.begin(), 3, U);
    } else {
        for (int k = 0; k < contact.dimension; ++k) {
            U[k] = contact.U_plus_of(contact.slot(k));
        }
    }
    U[0] += contact.may_close_m_s;
}

/// Velocities with the percussions (BO-8), also those of the contacts as the problem has them.
void push(const BodyModel& model, BodyStepMemory& s)
{
    s.next.v = s.v_free;
    s.next.W = s.W_free;
    s.correction_w.assign(s.W_free.size(), Vec3::Zero());
    const bool without_rows = !s.implicit && s.rows.size() == 0;
    for (std::size_t c = 0; c < s.contacts.size(); ++c) {
        BodyContact& contact = s.contacts[c];
        take_percussion(s.P.data() + s.problem.offsets[c], contact);
        if (without_rows) push_bodies(model, contact, s);
    }
    if (s.implicit)
        push_through_response(s);
    else
        push_rows(model, s);
    // behind the bodies are carriers, which do not turn
    s.w_after.resize(s.W_free.size(), Vec3::Zero());
    for_each_index(static_cast<std::size_t>(model.bodies()), pushed_in_block, [&](std::size_t i) {
        s.next.W[i] += s.mid.R[i].conjugate() * s.correction_w[i];
        s.w_after[i] = s.mid.R[i] * s.next.W[i];
    });
    s.U.resize(s.P.size());
    for_each_index(s.contacts.size(), pushed_in_block, [&](std::size_t c) {
        BodyContact& contact = s.contacts[c];
        contact.U_plus = relative_velocity(contact, s.next.v, s.w_after);
        if (contact.rolls()) contact.beyond->U_plus = rolling_velocity(contact, s.w_after);
        give_velocities(contact, s.U.data() + s.problem.offsets[c]);
    });
    s.joint_U_plus.resize(s.P.size());
    for (int row = s.problem.offsets[s.contacts.size()]; row < s.rows.size(); ++row) {
        s.joint_U_plus[row] = s.rows.velocity(row, s.next.v, s.w_after);
    }
    if (s.formulas) s.formulas->push(s);
}

/// In single precision where that can be enough (SO-39): true where the step is solved. Heaps that settle are
/// left to these sweeps: a factor of what still moves is of no use.
bool sweep_quickly_first(const BodyModel& model, const SolverSettings& solver, BodyStepMemory& s,
                         SolveReport& report)
{
    constexpr double settling = 1e-2;
    if (!is_quick(solver)) return false;
    s.problem.factors.calm = stands(model, s, settling);
    if (!s.round && s.problem.factors.calm) return false;
    if (!sweep_quickly(model, solver, s, report)) return false;
    push(model, s);
    judge_by_bodies(solver, s, report);
    report.selection.unexamined = 1;  // no matrix that could be looked at
    return report.status == SolveStatus::Converged;
}

/// A structure at rest whose percussions of the step before solve this one so well that no sweep is needed
/// (BO-26): a hundredth of what it is solved to. Asked first, by the velocities that they give the bodies, so
/// that such a step ends with the residual which it needs in any case.
bool holds_as_before(const BodyModel& model, const SolverSettings& solver, BodyStepMemory& s,
                     SolveReport& report)
{
    constexpr double at_rest = 1e-10;
    const Factors& factors = s.problem.factors;
    const bool stands = factors.calm && !factors.round && factors.is_redundant(s.P.size());
    if (solver.kind != SolverKind::Auto || !stands) return false;
    push(model, s);
    judge_by_bodies(solver, s, report);
    const Residual& residual = report.residual;
    const double error = std::max({residual.unit_free, residual.velocity, residual.siconos});
    if (!(residual.finite && error <= std::min(0.9 * solver.tolerance, at_rest))) return false;
    report.solver = SolverKind::NonlinearCg;
    report.by_factors = true;
    report.selection.unexamined = 1;  // no matrix that could be looked at
    return true;
}

/// What is left to try for a heap; true where it solved the step.
bool refine_if_unsolved(const BodyModel& model, const SolverSettings& solver, BodyStepMemory& s,
                        SolveReport& report)
{
    return report.status == SolveStatus::NotSolved && refine_heap(model, solver, s, report);
}

}  // namespace

void add_contact_rows(BodyStepMemory& s)
{
    for (const BodyContact& contact : s.contacts) {
        add_contact_rows(contact, s.rows);
    }
    s.rows.set_inertia(s.inverse_inertia);
}

void assemble_whole(const BodyModel& model, BodyStepMemory& s)
{
    if (!s.problem.is_assembled()) {
        complete_factors(s);
        s.problem = assembled(s.problem);
        return;
    }
    // its only block has been there since the laws were loaded
    if (s.problem.interactions() == 1 && !s.implicit) return;
    if (s.implicit) return s.response->assemble(s.rows, s.problem);
    if (s.whole.known) return;
    assemble_from_rows(s.rows, model.inverse_mass, s.contacts_of, s.problem);
    s.whole.rows = s.rows;
    s.whole.offsets = s.problem.offsets;
    s.whole.known = true;
}

void solve_assembled(const BodyModel& model, const SolverSettings& solver, double h_s, BodyStepMemory& s,
                     SolveReport& report)
{
    assemble_whole(model, s);
    const int sweeps = report.iterations;
    report = solve_well(s.problem, solver, stands(model, s) || is_small_structure(model, s), s.P, s.solver,
                        [&](const SolverSettings& asked) { return solve_with_joints(asked, h_s, s); });
    report.iterations += sweeps;
}

void solve_and_push(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                    const State& state, BodyStepMemory& s, SolveReport& report)
{
    load_laws(model, settings, state, s);
    report = {};
    if (!s.problem.is_assembled()) {
        if (sweep_quickly_first(model, solver, s, report)) return;
        if (holds_as_before(model, solver, s, report)) return;
        complete_factors(s);
        report = solve_selected(s.problem, solver, s.P, s.solver);
        const bool by_factors = report.by_factors;
        if (!by_factors) add_contact_rows(s);
        if (report.status == SolveStatus::NotFinite) return;
        const bool refined = !by_factors && refine_if_unsolved(model, solver, s, report);
        push(model, s);
        if (by_factors || refined) judge_by_bodies(solver, s, report);
        if (!by_factors || report.status == SolveStatus::Converged) return;
        // rounding between the velocities of factors and those of the bodies: with the blocks
        add_contact_rows(s);
    }
    if (solve_mechanism(model, solver, s, report)) {
        push(model, s);
        judge_by_bodies(solver, s, report);
        if (report.status == SolveStatus::Converged) return;
        s.P.assign(s.P.size(), 0.0);
    }
    if (sweep_with_joints(model, solver, s, report)) {
        push(model, s);
        judge_by_bodies(solver, s, report);
        if (report.status == SolveStatus::Converged) return;
        // what sweeps have spread over contacts is no start
        s.P = s.P_start;
        report.by_factors = false;
        report.selection = {};
    }
    solve_assembled(model, solver, settings.time_step_s, s, report);
    if (report.status == SolveStatus::NotFinite) return;
    const bool refined = refine_if_unsolved(model, solver, s, report);
    push(model, s);
    if (refined) judge_by_bodies(solver, s, report);
}

}  // namespace carom::detail
