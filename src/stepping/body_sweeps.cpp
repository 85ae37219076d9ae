#include "body_parts.hpp"
#include "solver/body_newton.hpp"

#include <algorithm>

namespace carom::detail {
namespace {

/// Sweeps before a matrix is assembled.
constexpr int max_sweeps = 400;

std::array<double, 3> components(const Vec3& a)
{
    return {a.x(), a.y(), a.z()};
}

/// scratch.rigid_bodies with these velocities, axes of the world; none: at rest.
void load_rigid_bodies(const BodyModel& model, std::span<const Vec3> v, std::span<const Vec3> w,
                       BodyScratch& s)
{
    s.rigid_bodies.assign(static_cast<std::size_t>(model.bodies()), RigidBody{});
    for (int i = 0; i < model.bodies(); ++i) {
        RigidBody& body = s.rigid_bodies[static_cast<std::size_t>(i)];
        if (!v.empty()) {
            body.v = components(v[i]);
            body.w = components(w[i]);
        }
        body.inverse_mass = model.inverse_mass[i];
        std::copy_n(s.inverse_inertia[i].data(), 9, body.inverse_inertia.begin());
    }
}

RigidContact rigid_contact(const BodyContact& contact, double friction, double shift_m_s, const Vec3& P)
{
    return {.normal = components(contact.axes[0]),
            .arm_a = components(contact.arm_first),
            .arm_b = components(contact.arm_second),
            .shift_m_s = shift_m_s,
            .P = components(P),
            .friction = friction,
            .a = contact.first,
            .b = contact.second};
}

/// Percussions of the sweeps, or of Newton's method, by contacts.
template <class Method>
void take_percussions(const Method& method, BodyScratch& s)
{
    for (int c = 0; c < static_cast<int>(s.contacts.size()); ++c) {
        const BodyContact& contact = s.contacts[c];
        const auto P = method.percussion(c);
        for (int k = 0; k < contact.dimension; ++k) {
            s.P[static_cast<std::size_t>(s.problem.offsets[c] + k)] =
                contact.axes[static_cast<std::size_t>(k)].dot(Vec3(P[0], P[1], P[2]));
        }
    }
}

/// A structure that stands is solved well, whatever the tolerance (BO-26): by a few sweeps, which are enough
/// where it stood before, or else by Newton's method in the space of the bodies. False where that costs too
/// much, or does not reach what was asked for.
bool hold_structure(const SolverSettings& solver, BodyScratch& s, SolveReport& report)
{
    constexpr double well = 1e-8, nearly_exact = 1e-11, max_products = 5e6;
    constexpr int few_sweeps = 8, least = 30, most = 60;
    const double tolerance = std::min(0.9 * solver.tolerance, well);
    // at rest the percussions of the step before are those of this one
    if (s.sweeps.error().worst() <= std::min(tolerance, nearly_exact)) {
        take_percussions(s.sweeps, s);
        return true;
    }
    report.iterations = s.sweeps.run({.tolerance = tolerance, .max_iterations = few_sweeps});
    if (s.sweeps.error().worst() <= tolerance) {
        take_percussions(s.sweeps, s);
        return true;
    }
    BodyNewton newton;
    newton.load(s.rigid_bodies, s.rigid_contacts);
    if (newton.products() > max_products) return false;
    // not more than the sweeps would cost that it spares, counted: a product is about two contacts swept
    const double affordable = max_sweeps * static_cast<double>(s.contacts.size()) / newton.products();
    const int max_factorisations = static_cast<int>(std::clamp<double>(affordable, least, most));
    const int factorisations = newton.run({.tolerance = tolerance, .max_iterations = max_factorisations});
    report.iterations += factorisations;
    report.factorisations += factorisations;
    if (!(newton.error() <= 0.9 * solver.tolerance)) return false;
    report.solver = SolverKind::ProximalNewton;
    take_percussions(newton, s);
    return true;
}

}  // namespace

bool is_redundant(const BodyModel& model, std::size_t components)
{
    const auto moving = static_cast<std::size_t>(std::count_if(
        model.inverse_mass.begin(), model.inverse_mass.end(), [](double inverse) { return inverse > 0; }));
    return components > 2 * (model.is_flat() ? 3 : 6) * moving;
}

bool stands(const BodyModel& model, const BodyScratch& s)
{
    double before = 0, gained = 0;
    for (int i = 0; i < model.bodies(); ++i) {
        if (model.inverse_mass[i] == 0) continue;
        const Vec3 dv = s.v_free[i] - s.v_before[i], dW = s.W_free[i] - s.W_before[i];
        before +=
            model.mass[i] * s.v_before[i].squaredNorm() + s.W_before[i].dot(model.inertia[i] * s.W_before[i]);
        gained += model.mass[i] * dv.squaredNorm() + dW.dot(model.inertia[i] * dW);
    }
    return is_redundant(model, s.P.size()) && before <= gained;
}

bool sweep_bodies(const BodyModel& model, const SolverSettings& solver, BodyScratch& s, SolveReport& report)
{
    const int m = static_cast<int>(s.contacts.size());
    const bool goes =
        solver.kind == SolverKind::Auto && s.contacts.size() >= min_swept && model.is_plain() && !s.implicit;
    if (!goes) return false;
    if (s.round) return sweep_round(model, solver, s, report);
    load_rigid_bodies(model, s.v_free, s.w_free, s);
    s.rigid_contacts.clear();
    for (int c = 0; c < m; ++c) {
        const BodyContact& contact = s.contacts[c];
        const auto at = static_cast<std::size_t>(s.problem.offsets[c]);
        Vec3 P = s.P[at] * contact.axes[0];
        for (int k = 1; k < contact.dimension; ++k) {
            P += s.P[at + static_cast<std::size_t>(k)] * contact.axes[static_cast<std::size_t>(k)];
        }
        const double shift = contact.may_close_m_s + contact.restitution * std::min(contact.U_minus[0], 0.0);
        const auto* coulomb = std::get_if<Coulomb>(&s.problem.laws[c]);
        s.rigid_contacts.push_back(
            rigid_contact(contact, coulomb != nullptr ? coulomb->friction : 0.0, shift, P));
    }
    if (!s.sweeps.load(s.rigid_bodies, s.rigid_contacts)) return false;
    report.solver = SolverKind::NonlinearCg;
    if (stands(model, s) && hold_structure(solver, s, report)) return true;
    report.iterations += s.sweeps.run(
        {.tolerance = 0.9 * solver.tolerance, .max_iterations = std::min(max_sweeps, solver.max_sweeps)});
    take_percussions(s.sweeps, s);
    return true;
}

void press_by_sweeps(const BodyModel& model, const Budget& budget, BodyScratch& s)
{
    load_rigid_bodies(model, {}, {}, s);
    s.rigid_contacts.clear();
    for (const BodyContact& contact : s.overlaps) {
        s.rigid_contacts.push_back(rigid_contact(contact, 0.0, contact.at.gap_m, Vec3::Zero()));
    }
    s.correction_P.assign(s.overlaps.size(), 0.0);
    if (!s.sweeps.load(s.rigid_bodies, s.rigid_contacts)) return;
    s.sweeps.run(budget);
    for (int c = 0; c < static_cast<int>(s.overlaps.size()); ++c) {
        const auto P = s.sweeps.percussion(c);
        s.correction_P[c] = s.overlaps[c].at.normal.dot(Vec3(P[0], P[1], P[2]));
    }
}

void judge_by_bodies(const SolverSettings& solver, BodyScratch& s, SolveReport& report)
{
    s.U.resize(s.P.size());
    for (int c = 0; c < static_cast<int>(s.contacts.size()); ++c) {
        const BodyContact& contact = s.contacts[c];
        const auto at = static_cast<std::size_t>(s.problem.offsets[c]);
        for (int k = 0; k < contact.dimension; ++k) {
            s.U[at + static_cast<std::size_t>(k)] = contact.U_plus[static_cast<std::size_t>(k)];
        }
        s.U[at] += contact.may_close_m_s;
    }
    // what is held keeps its mean velocity (CO-3)
    for (std::size_t k = 0; k < s.joints.size(); ++k) {
        const JointPart& part = s.joints[k];
        const int at = s.problem.offsets[s.contacts.size() + k];
        for (int row = at; row < at + part.dimension; ++row) {
            s.U[row] = s.joint_U_plus[row] - part.rate + part.may_close;
            if (part.kind == JointPart::Kind::Held) s.U[row] += s.problem.U_minus[row];
        }
    }
    report.residual = residual_at(s.problem, s.P, s.U, s.solver.residual);
    report.status = !report.residual.finite                        ? SolveStatus::NotFinite
                    : is_solved(report.residual, solver.tolerance) ? SolveStatus::Converged
                                                                   : SolveStatus::NotSolved;
}

}  // namespace carom::detail
