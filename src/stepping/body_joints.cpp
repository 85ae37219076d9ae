#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "onestep/factored_operator.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// Passes until friction that reactions press has settled, and to which part of itself.
constexpr int max_passes = 50;
constexpr double settled = 1e-10;

int row_of(const BodyStepMemory& s, std::size_t part)
{
    return s.problem.offsets[s.contacts.size() + part];
}

/// Force of the held rows of a joint: those that move centres.
Vec3 held_force(const BodyStepMemory& s, int joint)
{
    Vec3 force = Vec3::Zero();
    for (std::size_t k = 0; k < s.joints.size(); ++k) {
        if (s.joints[k].joint != joint || s.joints[k].kind != JointPart::Kind::Held) continue;
        const int row = row_of(s, k);
        force += s.P[row] * s.rows.row(row).front().v;
    }
    return force;
}

/// Limits of friction by the reactions as they are now; returns the largest relative change.
double press(double h, BodyStepMemory& s)
{
    double change = 0;
    for (std::size_t k = 0; k < s.joints.size(); ++k) {
        const JointPart& part = s.joints[k];
        if (part.arm == 0) continue;
        const double largest = h * part.largest + part.arm * held_force(s, part.joint).norm();
        auto& law = std::get<Limited>(s.problem.laws[s.contacts.size() + k]);
        if (largest > 0) change = std::max(change, std::abs(largest - law.high) / largest);
        law.low = -largest;
        law.high = largest;
    }
    return change;
}

/// A gear moves the bodies of two joints: what it does is told per body.
bool is_gear(const BodyModel& model, int joint)
{
    return model.setup().joints[static_cast<std::size_t>(joint)].kind == JointKind::Gear;
}

/// Adds a percussion along a row to what is told per body.
void add_constrained(const BodyModel& model, const BodyRows& rows, int row, double P, BodyStepMemory& s)
{
    s.constrained.resize(static_cast<std::size_t>(model.bodies()));
    for (const BodyRows::Term& term : rows.row(row)) {
        if (term.block >= model.bodies()) continue;  // coordinates of formulas
        Wrench& wrench = s.constrained[static_cast<std::size_t>(term.block)];
        wrench.force_N += P * term.v;
        wrench.torque_Nm += P * term.w;
    }
}

/// Adds what holds the velocities at the end to the reactions of the joints.
void add_held(const BodyModel& model, BodyStepMemory& s)
{
    int placed = -1;  // the joint whose point is known: rows of one follow each other
    Vec3 point = Vec3::Zero();
    for (int row = 0; row < s.correction_rows.size(); ++row) {
        const int number = s.violations[static_cast<std::size_t>(row)].joint;
        const double P = s.correction_P[static_cast<std::size_t>(row)];
        if (P == 0) continue;
        if (number < 0 || is_gear(model, number)) {
            add_constrained(model, s.correction_rows, row, P, s);
            continue;
        }
        const int body = model.setup().joints[static_cast<std::size_t>(number)].first;
        if (placed != number) point = model.place_of_joint(number, s.next.x, s.next.R).first_point;
        placed = number;
        JointReaction& reaction = s.reactions[static_cast<std::size_t>(number)];
        for (const BodyRows::Term& term : s.correction_rows.row(row)) {
            if (term.block != body) continue;
            reaction.held_Ns += P * term.v;
            reaction.held_moment_Nms += P * (term.w - (point - s.next.x[body]).cross(term.v));
            break;
        }
    }
}

/// Velocities in s.correction_v, correction_w held by a problem of their own. False where there are none.
bool hold_exactly(const BodyModel& model, BodyStepMemory& s)
{
    OneStepProblem& problem = s.correction;
    problem.laws.clear();
    problem.offsets.assign(1, 0);
    problem.U_free.clear();
    for (int row = 0; row < s.correction_rows.size(); ++row) {
        // a stop takes part without acting, so that rows keep their places
        const JointPart& part = s.violations[static_cast<std::size_t>(row)];
        const bool held = part.kind == JointPart::Kind::Held;
        problem.offsets.push_back(row + 1);
        problem.U_free.push_back(
            held ? s.correction_rows.velocity(row, s.correction_v, s.correction_w) - part.rate : 1.0);
        if (held)
            problem.laws.emplace_back(Bilateral{});
        else
            problem.laws.emplace_back(Limited{.low = 0, .high = 0});
    }
    problem.U_minus.assign(problem.U_free.size(), 0.0);
    s.correction_rows.set_inertia(s.inverse_inertia);
    problem.factors.clear();
    assemble_from_rows(s.correction_rows, model.inverse_mass, s.contacts_of, problem);
    s.correction_P.assign(problem.U_free.size(), 0.0);
    s.solver.pivoting.solve(problem, s.correction_P);
    if (!std::all_of(s.correction_P.begin(), s.correction_P.end(), [](double P) { return std::isfinite(P); }))
        return false;
    for (int row = 0; row < s.correction_rows.size(); ++row) {
        s.correction_rows.apply(model.inverse_mass, row, s.correction_P[static_cast<std::size_t>(row)],
                                s.correction_v, s.correction_w);
    }
    return true;
}

}  // namespace

SolveReport solve_with_joints(const SolverSettings& solver, double h_s, BodyStepMemory& s)
{
    const auto solve_once = [&] {
        if (!s.formulas) return solve_selected(s.problem, solver, s.P, s.solver);
        s.findings.clear();
        return s.formulas->solve(solver, h_s, s, s.findings);
    };
    SolveReport report;
    report.status = SolveStatus::NotFinite;
    if (s.law_out_of_range) return report;
    report = solve_once();
    const bool pressed =
        std::any_of(s.joints.begin(), s.joints.end(), [](const JointPart& part) { return part.arm > 0; });
    if (!pressed) return report;
    for (int pass = 0; pass < max_passes && press(h_s, s) > settled; ++pass) {
        const int before = report.iterations;
        report = solve_once();
        report.iterations += before;
        if (report.status == SolveStatus::NotFinite || report.status == SolveStatus::NoSolution)
            return report;
    }
    // the limits belong to the last percussions but one: what they are off by is in the residual of the last
    press(h_s, s);
    report.residual = residual(s.problem, s.P, s.solver.residual);
    if (!is_solved(report.residual, solver.tolerance)) report.status = SolveStatus::NotSolved;
    return report;
}

void report_joints(const BodyModel& model, BodyStepMemory& s)
{
    s.reactions.assign(model.setup().joints.size(), {});
    int placed = -1;
    Vec3 point = Vec3::Zero();
    for (std::size_t k = 0; k < s.joints.size(); ++k) {
        const JointPart& part = s.joints[k];
        JointReaction& reaction = s.reactions[static_cast<std::size_t>(part.joint)];
        const Joint& joint = model.setup().joints[static_cast<std::size_t>(part.joint)];
        const bool gear = is_gear(model, part.joint);
        const int body =
            gear ? model.setup().joints[static_cast<std::size_t>(joint.first_joint)].first : joint.first;
        const int frame = gear ? joint.first_joint : part.joint;
        if (placed != frame) point = model.place_of_joint(frame, s.mid.x, s.mid.R).first_point;
        placed = frame;
        for (int row = row_of(s, k); row < row_of(s, k) + part.dimension; ++row) {
            if (gear) add_constrained(model, s.rows, row, s.P[row], s);
            for (const BodyRows::Term& term : s.rows.row(row)) {
                if (term.block != body) continue;
                reaction.percussion_Ns += s.P[row] * term.v;
                reaction.moment_Nms += s.P[row] * (term.w - (point - s.mid.x[body]).cross(term.v));
                break;
            }
        }
    }
    // formulas come after the joints
    if (!s.formulas) return;
    for (int row = row_of(s, s.joints.size()); row < s.rows.size(); ++row)
        add_constrained(model, s.rows, row, s.P[row], s);
}

void report_spin(const BodyModel& model, double h_s, const State& start, BodyStepMemory& s)
{
    s.spin_Nms.clear();
    if (model.bodies() > max_bodies_with_diagrams) return;
    for (int i = 0; i < model.bodies(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const Mat3& J = model.inertia[k];
        const Vec3& at = s.W_gyroscopic[k];
        s.spin_Nms.emplace_back(s.mid.R[k] * (J * (s.next.W[k] - start.W[k]) + h_s * at.cross(J * at)));
    }
}

double& line_of_joint(const JointPart& part, EnergyLines& lines) noexcept
{
    switch (part.kind) {
    case JointPart::Kind::Held: return lines.joint_J;
    case JointPart::Kind::Stop: return lines.impact_J;
    case JointPart::Kind::Friction: return lines.friction_J;
    default: return lines.non_firm_J;
    }
}

double work_of_joint_J(std::size_t part, const BodyStepMemory& s)
{
    const JointPart& joint = s.joints[part];
    double work_J = 0;
    for (int row = row_of(s, part); row < row_of(s, part) + joint.dimension; ++row) {
        const double U_plus = s.joint_U_plus[static_cast<std::size_t>(row)] - joint.rate;
        work_J += s.P[row] * 0.5 * (s.problem.U_minus[row] + U_plus);
    }
    return work_J;
}

void account_joints(std::span<const Vec3> v_still, std::span<const Vec3> w_still, const BodyStepMemory& s,
                    EnergyLines& lines)
{
    for (std::size_t k = 0; k < s.joints.size(); ++k) {
        const JointPart& part = s.joints[k];
        double& line = line_of_joint(part, lines);
        for (int row = row_of(s, k); row < row_of(s, k) + part.dimension; ++row) {
            const double U_plus = s.joint_U_plus[static_cast<std::size_t>(row)] - part.rate;
            line += s.P[row] * 0.5 * (s.problem.U_minus[row] + U_plus);
            lines.prescribed_motions_J -= s.P[row] * (s.rows.velocity(row, v_still, w_still) - part.rate);
        }
    }
}

void hold_velocities(const BodyModel& model, BodyStepMemory& s)
{
    if (model.setup().joints.empty() && !s.formulas) return;
    const auto n = s.next.v.size(), bodies = s.next.x.size();

    // firm rows at the end; stops are left to contacts
    if (!s.rows_are_at_end || s.formulas) {
        s.correction_rows.clear();
        s.violations.clear();
        add_joint_rows(model, {.x = s.next.x, .R = s.next.R, .turns = s.next.turns, .drives = false},
                       s.correction_rows, s.violations);
    }
    double deepest_m = 0;
    if (s.formulas) s.formulas->add_violations(true, s, deepest_m);
    const auto take_velocities = [&] {
        s.correction_v.assign(s.next.v.begin(), s.next.v.end());
        s.correction_w.assign(n, Vec3::Zero());
        for (std::size_t i = 0; i < bodies; ++i) {
            s.correction_w[i] = s.next.R[i] * s.next.W[i];
        }
    };
    take_velocities();
    if (!hold_joints(model, s)) {
        take_velocities();
        if (!hold_exactly(model, s)) return;
    }
    add_held(model, s);
    for (int i = 0; i < model.bodies(); ++i) {
        if (model.inverse_mass[i] == 0) continue;
        const auto k = static_cast<std::size_t>(i);
        const Vec3 W = s.next.R[i].conjugate() * s.correction_w[k];
        if (!s.spin_Nms.empty()) {
            // by the inertia half-way, with which the rows were weighed
            const Vec3 change = s.mid.R[i].conjugate() * (s.correction_w[k] - s.next.R[i] * s.next.W[i]);
            s.spin_Nms[k] += s.mid.R[i] * (model.inertia[i] * change);
        }
        s.next.v[i] = s.correction_v[k];
        s.next.W[i] = W;
    }
    std::copy(s.correction_v.begin() + static_cast<std::ptrdiff_t>(bodies), s.correction_v.end(),
              s.next.v.begin() + static_cast<std::ptrdiff_t>(bodies));
    if (s.formulas) s.formulas->take_velocities(s.next.v, s.next.u);
}

}  // namespace carom::detail
