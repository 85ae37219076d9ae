#include "body_parts.hpp"
#include "constraint_parts.hpp"

#include "core/parallel.hpp"
#include "onestep/factored_operator.hpp"
#include "onestep/four_diagonals.hpp"

#include <algorithm>

namespace carom::detail {
namespace {

/// Bodies and contacts that one thread takes at once.
constexpr std::size_t bodies_at_once = 256, contacts_at_once = 512;

std::array<double, 3> components(const Vec3& a)
{
    return {a.x(), a.y(), a.z()};
}

/// A block per body, with the inertias half-way; at rest.
void load_metric(const BodyModel& model, const BodyStepMemory& s, Factors& factors)
{
    factors.blocks.resize(static_cast<std::size_t>(model.bodies()));
    for_each_index(factors.blocks.size(), bodies_at_once, [&](std::size_t i) {
        Factors::Block& block = factors.blocks[i];
        block.v = block.w = {};
        block.inverse_mass = model.inverse_mass[i];
        std::copy_n(s.inverse_inertia[i].data(), 9, block.inverse_inertia.begin());
    });
}

/// Velocities that percussions can change, as (BO-26) counts them. Balls that touch nothing but balls and what
/// does not move are part of no structure: their contacts bring as many velocities as redundancy would take.
int freedoms_of(const BodyModel& model, const BodyStepMemory& s)
{
    if (s.round) {
        // all that touches is a ball, or does not move
        int without_shape = 0;
        for (std::size_t i = 0; i < model.inverse_mass.size(); ++i) {
            without_shape += model.inverse_mass[i] > 0 && !model.collides[i] ? 1 : 0;
        }
        return 6 * without_shape + (static_cast<int>(s.P.size()) + 1) / 2;
    }
    thread_local std::vector<char> counts;
    counts.resize(static_cast<std::size_t>(model.bodies()));
    for (int i = 0; i < model.bodies(); ++i)
        counts[static_cast<std::size_t>(i)] = model.inverse_mass[i] > 0 && !is_ball(model, i);
    const auto is_loose = [&](int body) { return model.inverse_mass[body] == 0 || is_ball(model, body); };
    int loose = 0;  // components
    for (const BodyContact& contact : s.contacts) {
        if (is_loose(contact.first) && is_loose(contact.second)) {
            loose += contact.dimension;
            continue;
        }
        for (const int body : {contact.first, contact.second})
            counts[static_cast<std::size_t>(body)] = model.inverse_mass[body] > 0;
    }
    return (model.is_flat() ? 3 : 6) * static_cast<int>(std::ranges::count(counts, 1)) + (loose + 1) / 2;
}

/// The kinetic energy of the bodies is no more than the forces of the step would give them, or a part of
/// that.
bool are_calm(const BodyModel& model, const BodyStepMemory& s, double part)
{
    double before = 0, gained = 0;
    for (int i = 0; i < model.bodies(); ++i) {
        if (model.inverse_mass[i] == 0) continue;
        const Vec3 dv = s.v_free[i] - s.v_before[i], dW = s.W_free[i] - s.W_before[i];
        before +=
            model.mass[i] * s.v_before[i].squaredNorm() + s.W_before[i].dot(model.inertia[i] * s.W_before[i]);
        gained += model.mass[i] * dv.squaredNorm() + dW.dot(model.inertia[i] * dW);
    }
    return before <= part * gained;
}

}  // namespace

bool is_redundant(const BodyModel& model, const BodyStepMemory& s)
{
    const Factors of_bodies{.freedoms = freedoms_of(model, s)};
    return of_bodies.is_redundant(s.P.size());
}

bool stands(const BodyModel& model, const BodyStepMemory& s, double part)
{
    return is_redundant(model, s) && are_calm(model, s, part);
}

bool is_small_structure(const BodyModel& model, const BodyStepMemory& s)
{
    return s.contacts.size() < FactorSweeps::min_interactions && is_redundant(model, s);
}

namespace {

/// The diagonal of W where all contacts are round: inertias are those of any axis, arms along normals.
void set_round_diagonal(const BodyModel& model, BodyStepMemory& s)
{
    for_each_index(s.contacts.size(), contacts_at_once, [&](std::size_t c) {
        const BodyContact& contact = s.contacts[c];
        const auto W =
            s.problem.W.values_of(static_cast<int>(c), s.problem.W.row(static_cast<int>(c)).front());
        double normal = 0, tangential = 0;
        const auto add = [&](int body, const Vec3& arm) {
            const auto k = static_cast<std::size_t>(body);
            if (model.inverse_mass[k] == 0) return;
            normal += model.inverse_mass[k];
            tangential += model.inverse_mass[k] + s.inverse_inertia[k](0, 0) * arm.squaredNorm();
        };
        add(contact.first, contact.arm_first);
        add(contact.second, contact.arm_second);
        W[0] = normal;
        const auto components = static_cast<std::size_t>(contact.dimension);
        for (std::size_t k = 1; k < components; ++k) {
            W[k * components + k] = tangential;
        }
    });
}

/// Whether c and the three contacts behind it, all of them before `end`, have friction in space.
bool are_frictional(std::span<const BodyContact> contacts, std::size_t c, std::size_t end)
{
    return c + 4 <= end && std::ranges::all_of(contacts.subspan(c, 4), [](const BodyContact& contact) {
               return contact.dimension == 3;
           });
}

}  // namespace

void load_free_blocks(const BodyModel& model, const BodyStepMemory& s, Factors& factors)
{
    load_metric(model, s, factors);
    for_each_index(factors.blocks.size(), bodies_at_once, [&](std::size_t i) {
        factors.blocks[i].v = components(s.v_free[i]);
        factors.blocks[i].w = components(s.w_free[i]);
    });
}

Factors::Rows factor_rows(const BodyContact& contact)
{
    return {.axes = contact.axes,
            .arm_a = contact.arm_first,
            .arm_b = contact.arm_second,
            .b_m_s = contact.may_close_m_s,
            .a = contact.first,
            .b = contact.second};
}

void load_factors(const BodyModel& model, BodyStepMemory& s)
{
    Factors& factors = s.problem.factors;
    load_free_blocks(model, s, factors);
    factors.rows.clear();
    factors.freedoms = freedoms_of(model, s);
    factors.round = s.round;
    factors.calm = factors.is_redundant(s.P.size()) && are_calm(model, s, 1.0);
    begin_diagonal(s.problem);
    if (s.round) return set_round_diagonal(model, s);
    for_blocks(s.contacts.size(), contacts_at_once, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t c = begin; c < end; ++c) {
            if (are_frictional(s.contacts, c, end)) {
                set_four_diagonals({factor_rows(s.contacts[c]), factor_rows(s.contacts[c + 1]),
                                    factor_rows(s.contacts[c + 2]), factor_rows(s.contacts[c + 3])},
                                   static_cast<int>(c), s.problem);
                c += 3;
                continue;
            }
            set_diagonal(factor_rows(s.contacts[c]), static_cast<int>(c), s.problem);
        }
    });
}

void complete_factors(BodyStepMemory& s)
{
    auto& rows = s.problem.factors.rows;
    if (s.problem.is_assembled() || rows.size() == s.contacts.size()) return;
    rows.resize(s.contacts.size());
    for_each_index(rows.size(), contacts_at_once,
                   [&](std::size_t c) { rows[c] = factor_rows(s.contacts[c]); });
}

void begin_correction(const BodyModel& model, BodyStepMemory& s)
{
    OneStepProblem& problem = s.correction;
    problem.laws.clear();
    problem.offsets.assign(1, 0);
    problem.U_free.clear();
    problem.U_minus.clear();
    problem.factors.rows.clear();
    load_metric(model, s, problem.factors);
    problem.factors.round = problem.factors.calm = false;
}

void add_gap(const Vec3& normal, double gap_m, int a, int b, OneStepProblem& problem)
{
    problem.laws.emplace_back(Unilateral{});
    problem.offsets.push_back(problem.offsets.back() + 1);
    problem.U_free.push_back(gap_m);
    problem.U_minus.push_back(0.0);
    Factors::Rows& rows = problem.factors.rows.emplace_back();
    rows.axes[0] = normal;
    rows.b_m_s = gap_m;
    rows.a = a;
    rows.b = b;
}

void load_overlap_rows(const BodyModel& model, BodyStepMemory& s)
{
    begin_correction(model, s);
    for (const BodyContact& contact : s.overlaps) {
        add_gap(contact.axes[0], contact.at.gap_m, contact.first, contact.second, s.correction);
        s.correction.factors.rows.back().arm_a = contact.arm_first;
        s.correction.factors.rows.back().arm_b = contact.arm_second;
    }
}

void press_by_sweeps(const BodyModel& model, const Budget& budget, BodyStepMemory& s)
{
    load_overlap_rows(model, s);
    s.correction_P.assign(s.overlaps.size(), 0.0);
    if (!s.solver.factor_sweeps.sweep(s.correction, budget, s.correction_P))
        std::fill(s.correction_P.begin(), s.correction_P.end(), 0.0);
}

bool refine_heap(const BodyModel& model, const SolverSettings& solver, BodyStepMemory& s, SolveReport& report)
{
    constexpr std::size_t few = 20;
    const bool goes = solver.kind == SolverKind::Auto && s.contacts.size() >= few && model.is_plain() &&
                      !s.implicit && s.joints.empty();
    if (!goes) return false;
    OneStepProblem whole = s.problem;
    load_factors(model, s);
    complete_factors(s);
    const bool done = s.solver.factor_sweeps.refine(s.problem, solver, s.P, report);
    s.problem = std::move(whole);
    return done;
}

void judge_by_bodies(const SolverSettings& solver, BodyStepMemory& s, SolveReport& report)
{
    // what is held keeps its mean velocity (CO-3)
    for (std::size_t k = 0; k < s.joints.size(); ++k) {
        const JointPart& part = s.joints[k];
        const int at = s.problem.offsets[s.contacts.size() + k];
        for (int row = at; row < at + part.dimension; ++row) {
            s.U[row] = s.joint_U_plus[row] - part.rate + part.may_close;
            if (part.kind == JointPart::Kind::Held)
                s.U[row] += carried_part(s.theta) * s.problem.U_minus[row];
        }
    }
    report.residual = residual_at(s.problem, s.P, s.U, s.solver.residual);
    report.status = !report.residual.finite                        ? SolveStatus::NotFinite
                    : is_solved(report.residual, solver.tolerance) ? SolveStatus::Converged
                                                                   : SolveStatus::NotSolved;
}

}  // namespace carom::detail
