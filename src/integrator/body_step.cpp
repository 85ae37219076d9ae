#include "carom/integrator/body_step.hpp"

#include "body_parts.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace detail {
namespace {

Mat3 cross_matrix(const Vec3& a)
{
    Mat3 M;
    M << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return M;
}

/// W at the end of the step and half-way, by the midpoint rule (BO-8):
///     J (W+ - W) = h (torque - Wm x J Wm),   Wm = (W + W+) / 2
/// It keeps energy and the magnitude of the momentum of a free body whatever the step. Newton's method; a
/// step so long that it does not settle leaves the last iterate.
Vec3 turn_freely(const Mat3& J, const Mat3& inverse_J, const Vec3& W, const Vec3& torque, double h,
                 Vec3& W_mid)
{
    Vec3 next = W;
    for (int pass = 0; pass < 30; ++pass) {
        W_mid = 0.5 * (W + next);
        const Vec3 rest = next - W - h * inverse_J * (torque - W_mid.cross(J * W_mid));
        const Mat3 slope =
            Mat3::Identity() + 0.5 * h * inverse_J * (cross_matrix(W_mid) * J - cross_matrix(J * W_mid));
        const Vec3 change = slope.partialPivLu().solve(rest);
        next -= change;
        if (change.norm() <= 1e-15 * (W.norm() + next.norm())) break;
    }
    W_mid = 0.5 * (W + next);
    return next;
}

/// Places half-way, prescribed bodies on their paths (BO-8).
void predict(const BodyModel& model, double h, const BodyState& state, BodyScratch& s)
{
    s.mid.t_s = state.t_s + h / 2;
    s.mid.x = state.x;
    s.mid.R = state.R;
    s.mid.v = state.v;
    s.mid.W = state.W;
    for (int i = 0; i < model.bodies(); ++i) {
        if (model.setup().bodies[static_cast<std::size_t>(i)].motion == BodyMotion::Prescribed) {
            model.prescribed_velocity(i, state.t_s, h, s.mid.v[i], s.mid.W[i]);
        }
        s.mid.x[i] += h / 2 * s.mid.v[i];
        s.mid.R[i] = turned(state.R[i], h / 2 * s.mid.W[i]);
    }
    s.inverse_inertia.resize(state.x.size());
    for (int i = 0; i < model.bodies(); ++i) {
        if (model.isotropic[i]) {
            s.inverse_inertia[i] = model.inverse_inertia[i];
            continue;
        }
        const Mat3 R = s.mid.R[i].toRotationMatrix();
        s.inverse_inertia[i] = R * model.inverse_inertia[i] * R.transpose();
    }
}

/// Velocities with the percussions, and places at the end (BO-8).
void advance(const BodyModel& model, double h, const BodyState& state, BodyScratch& s)
{
    s.next.t_s = state.t_s + h;
    s.next.v = s.v_free;
    s.next.W = s.W_free;
    for (std::size_t c = 0; c < s.contacts.size(); ++c) {
        BodyContact& contact = s.contacts[c];
        const auto at = static_cast<std::size_t>(s.problem.offsets[c]);
        contact.P = {};
        std::copy_n(s.P.begin() + static_cast<long>(at), contact.dimension, contact.P.begin());
        const Vec3 P = contact.percussion_Ns();
        const int a = contact.first, b = contact.second;
        s.next.v[a] += model.inverse_mass[a] * P;
        s.next.v[b] -= model.inverse_mass[b] * P;
        s.next.W[a] += model.inverse_inertia[a] * (s.mid.R[a].conjugate() * contact.arm_first.cross(P));
        s.next.W[b] -= model.inverse_inertia[b] * (s.mid.R[b].conjugate() * contact.arm_second.cross(P));
    }
    s.next.x = s.mid.x;
    s.next.R = s.mid.R;
    std::vector<Vec3> W_world;
    for (int i = 0; i < model.bodies(); ++i) {
        s.next.x[i] += h / 2 * s.next.v[i];
        s.next.R[i] = turned(s.mid.R[i], h / 2 * s.next.W[i]);
        W_world.emplace_back(s.mid.R[i] * s.next.W[i]);
    }
    for (BodyContact& contact : s.contacts) {
        contact.U_plus = relative_velocity(contact, s.next.v, W_world);
    }
}

/// The lines of the step (LE-2) but for the correction: u_mean = (u- + u+) / 2 everywhere.
void account(const BodyModel& model, double h, const BodyState& state, const BodyScratch& s,
             EnergyLines& lines)
{
    lines.kinetic_J = model.kinetic_energy_J(s.next) - model.kinetic_energy_J(state);
    double potential_work = 0;
    std::vector<Vec3> v_still(state.v.size(), Vec3::Zero()), W_still(state.v.size(), Vec3::Zero());
    for (int i = 0; i < model.bodies(); ++i) {
        const Vec3 v = 0.5 * (s.mid.v[i] + s.next.v[i]), W_body = 0.5 * (s.mid.W[i] + s.next.W[i]);
        const Vec3 W = s.mid.R[i] * W_body;
        if (model.inverse_mass[i] == 0) {
            v_still[i] = s.mid.v[i];
            W_still[i] = W;
            continue;
        }
        potential_work += h * (s.potential[i].force_N.dot(v) + s.potential[i].torque_Nm.dot(W));
        lines.given_forces_J += h * (s.given[i].force_N.dot(v) + s.given[i].torque_Nm.dot(W));
        const Vec3& at = s.W_gyroscopic[i];
        lines.scheme_J -= h * W_body.dot(at.cross(model.inertia[i] * at));
    }
    lines.potential_J =
        model.potential_energy_J(s.next.x, s.next.R) - model.potential_energy_J(state.x, state.R);
    lines.scheme_J += lines.potential_J + potential_work;
    for (const BodyContact& contact : s.contacts) {
        const auto b = relative_velocity(contact, v_still, W_still);
        for (std::size_t i = 0; i < 3; ++i) {
            const double work = contact.P[i] * 0.5 * (contact.U_minus[i] + contact.U_plus[i]);
            (i == 0 ? lines.impact_J : lines.friction_J) += work;
            lines.prescribed_motions_J -= contact.P[i] * b[i];
        }
    }
}

bool all_finite(const BodyState& state)
{
    const auto finite = [](const auto& list) {
        return std::all_of(list.begin(), list.end(), [](const Vec3& x) { return x.allFinite(); });
    };
    return finite(state.x) && finite(state.v) && finite(state.W);
}

void keep_contacts(BodyScratch& s, BodyState& state)
{
    state.kept.clear();
    for (const BodyContact& contact : s.contacts) {
        if (!(contact.P[0] > 0)) continue;
        const double met = std::abs(contact.U_minus[0]) + std::abs(contact.U_plus[0]);
        state.kept.push_back({.first = contact.first,
                              .second = contact.second,
                              .feature = contact.at.feature,
                              .percussion_Ns = contact.percussion_Ns(),
                              .closed = contact.U_plus[0] <= 1e-9 * met || contact.restitution == 0});
    }
    // contacts are sorted by bodies, and mostly by features too
    const auto before = [](const KeptContact& a, const KeptContact& b) {
        return std::tie(a.first, a.second, a.feature) < std::tie(b.first, b.second, b.feature);
    };
    if (!std::is_sorted(state.kept.begin(), state.kept.end(), before)) {
        std::sort(state.kept.begin(), state.kept.end(), before);
    }
}

}  // namespace

void free_velocities(const BodyModel& model, const MoreauSettings& settings, BodyScratch& s)
{
    const double h = settings.time_step_s;
    const auto n = s.mid.x.size();
    const BodySetup& setup = model.setup();
    const bool depends_on_velocity = setup.forces || !setup.springs.empty();

    // weight and springs; what has no potential is evaluated a second time at the mean velocity
    s.potential.assign(n, {});
    model.spring_wrenches(BodyModel::SpringPart::Springs, s.mid.x, s.mid.R, {}, {}, s.potential);
    s.W_gyroscopic.assign(n, Vec3::Zero());
    const BodyState before = s.mid;
    for (int pass = 0; pass < (depends_on_velocity ? settings.force_passes : 1); ++pass) {
        s.given.assign(n, {});
        model.spring_wrenches(BodyModel::SpringPart::Dampers, s.mid.x, s.mid.R, s.mid.v, s.mid.W, s.given);
        if (setup.forces) setup.forces(s.mid, s.given);
        s.v_free = before.v;
        s.W_free = before.W;
        for (int i = 0; i < model.bodies(); ++i) {
            if (model.inverse_mass[i] == 0) continue;
            const Wrench& a = s.potential[i];
            const Wrench& b = s.given[i];
            s.v_free[i] += h * (setup.gravity_m_s2 + model.inverse_mass[i] * (a.force_N + b.force_N));
            const Vec3 torque = s.mid.R[i].conjugate() * (a.torque_Nm + b.torque_Nm);
            if (model.isotropic[i]) {
                s.W_free[i] += h * model.inverse_inertia[i] * torque;
            } else {
                s.W_free[i] = turn_freely(model.inertia[i], model.inverse_inertia[i], before.W[i], torque, h,
                                          s.W_gyroscopic[i]);
            }
            s.mid.v[i] = 0.5 * (before.v[i] + s.v_free[i]);
            s.mid.W[i] = 0.5 * (before.W[i] + s.W_free[i]);
        }
    }
    s.mid.v = before.v;
    s.mid.W = before.W;
    for (int i = 0; i < model.bodies(); ++i) {
        s.potential[i].force_N += model.mass[i] * setup.gravity_m_s2;
    }
}

}  // namespace detail

StepReport body_step(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                     BodyState& state, BodyScratch& s)
{
    using namespace detail;
    const double h = settings.time_step_s;
    StepReport report;
    report.h_s = h;

    // predict: half a step with the old velocity
    predict(model, h, state, s);

    // detect: contacts that this step can close
    detect(model, settings, state, s);

    // free: velocity at the end of the step if nothing touched
    free_velocities(model, settings, s);

    // solve: U = W P + U_free, -(U + s) in N_C(P); then advance: the percussions make the velocities jump,
    // and the second half-step uses the new ones
    load_laws(model, settings, state, s);
    if (sweep_bodies(model, solver, s, report.solve)) {
        advance(model, h, state, s);
        judge_by_bodies(solver, s, report.solve);
    }
    if (report.solve.status != SolveStatus::Converged) {
        solve_assembled(model, solver, s, report.solve);
        if (report.solve.status != SolveStatus::NotFinite) advance(model, h, state, s);
    }
    if (report.solve.status != SolveStatus::Converged) report.status = StepStatus::NotSolved;
    if (report.solve.status == SolveStatus::NotFinite || !all_finite(s.next)) {
        report.status = StepStatus::NotFinite;
        return report;
    }
    account(model, h, state, s, report.energy);

    // correct: what overlaps and does not separate is moved apart
    const double before_J = model.potential_energy_J(s.next.x, s.next.R);
    report.max_penetration_m = correct_overlaps(model, settings, s);
    report.energy.correction_J = model.potential_energy_J(s.next.x, s.next.R) - before_J;
    report.energy.potential_J += report.energy.correction_J;

    keep_contacts(s, state);
    state.t_s = s.next.t_s;
    std::swap(state.x, s.next.x);
    std::swap(state.R, s.next.R);
    std::swap(state.v, s.next.v);
    std::swap(state.W, s.next.W);
    report.at_end = {.kinetic_J = model.kinetic_energy_J(state),
                     .potential_J = model.potential_energy_J(state.x, state.R)};
    return report;
}

}  // namespace carom
