#include "stepping/body_scratch.hpp"

#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "step_parts.hpp"

#include <fmt/format.h>

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
    s.mid.turns = s.next.turns = state.turns;
    // loads and motors that name angles of the plane count turns as the state does
    if (model.is_flat() && (model.setup().forces || !model.setup().joints.empty()))
        s.mid.angles = s.next.angles = state.angles;
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

/// What the percussions of contacts without rows do to velocities.
void push_bodies(const BodyModel& model, BodyScratch& s)
{
    for (const BodyContact& contact : s.contacts) {
        const Vec3 P =
            contact.P[0] * contact.axes[0] + contact.P[1] * contact.axes[1] + contact.P[2] * contact.axes[2];
        const int a = contact.first, b = contact.second;
        s.next.v[a] += model.inverse_mass[a] * P;
        s.next.v[b] -= model.inverse_mass[b] * P;
        s.correction_w[a] += s.inverse_inertia[a] * contact.arm_first.cross(P);
        s.correction_w[b] -= s.inverse_inertia[b] * contact.arm_second.cross(P);
    }
}

/// Velocities with the percussions, and places at the end (BO-8).
void advance(const BodyModel& model, double h, const BodyState& state, BodyScratch& s)
{
    s.next.t_s = state.t_s + h;
    s.next.v = s.v_free;
    s.next.W = s.W_free;
    s.correction_w.assign(s.W_free.size(), Vec3::Zero());
    for (std::size_t c = 0; c < s.contacts.size(); ++c) {
        BodyContact& contact = s.contacts[c];
        contact.P = {};
        for (int i = 0; i < contact.dimension; ++i) {
            contact.P[contact.slot(i)] = s.P[s.problem.offsets[c] + i];
        }
    }
    for (int row = 0; row < s.rows.size(); ++row) {
        s.rows.apply(model.inverse_mass, row, s.P[row], s.next.v, s.correction_w);
    }
    if (s.rows.size() == 0) push_bodies(model, s);
    s.next.x = s.mid.x;
    s.next.R = s.mid.R;
    s.w_after.assign(s.W_free.size(), Vec3::Zero());
    for (int i = 0; i < model.bodies(); ++i) {
        s.next.W[i] += s.mid.R[i].conjugate() * s.correction_w[i];
        s.next.x[i] += h / 2 * s.next.v[i];
        s.next.R[i] = turned(s.mid.R[i], h / 2 * s.next.W[i]);
        s.w_after[i] = s.mid.R[i] * s.next.W[i];
    }
    for (BodyContact& contact : s.contacts) {
        contact.U_plus = relative_velocity(contact, s.next.v, s.w_after);
    }
    s.joint_U_plus.resize(s.P.size());
    for (int row = s.problem.offsets[s.contacts.size()]; row < s.rows.size(); ++row) {
        s.joint_U_plus[row] = s.rows.velocity(row, s.next.v, s.w_after);
    }
    if (s.formulas) s.formulas->advance(h, s);
}

Energies energies_of(const BodyModel& model, const BodyState& state, const BodyScratch& s)
{
    Energies result{.kinetic_J = model.kinetic_energy_J(state),
                    .potential_J = model.potential_energy_J(state.x, state.R)};
    if (s.formulas) {
        const Energies more = s.formulas->energies(state);
        result.kinetic_J += more.kinetic_J;
        result.potential_J += more.potential_J;
    }
    return result;
}

/// The lines of the step (LE-2) but for the correction: u_mean = (u- + u+) / 2 everywhere. `end`: energies of
/// s.next.
void account(const BodyModel& model, double h, const BodyState& state, BodyScratch& s, const Energies& end,
             EnergyLines& lines)
{
    const Energies start = energies_of(model, state, s);
    lines.kinetic_J = end.kinetic_J - start.kinetic_J;
    double potential_work = 0;
    // velocities of bodies on prescribed paths, in the memory of the correction
    std::vector<Vec3>&v_still = s.correction_v, &w_still = s.correction_w;
    v_still.assign(s.mid.v.size(), Vec3::Zero());
    w_still.assign(s.mid.v.size(), Vec3::Zero());
    bool any_driven = false;
    for (int i = 0; i < model.bodies(); ++i) {
        const Vec3 v = 0.5 * (s.mid.v[i] + s.next.v[i]), W_body = 0.5 * (s.mid.W[i] + s.next.W[i]);
        const Vec3 W = s.mid.R[i] * W_body;
        if (model.inverse_mass[i] == 0) {
            v_still[i] = s.mid.v[i];
            w_still[i] = W;
            any_driven = any_driven || s.mid.v[i] != Vec3::Zero() || W != Vec3::Zero();
            continue;
        }
        potential_work += h * (s.potential[i].force_N.dot(v) + s.potential[i].torque_Nm.dot(W));
        lines.given_forces_J += h * (s.given[i].force_N.dot(v) + s.given[i].torque_Nm.dot(W));
        const Vec3& at = s.W_gyroscopic[i];
        lines.scheme_J -= h * W_body.dot(at.cross(model.inertia[i] * at));
    }
    lines.potential_J = end.potential_J - start.potential_J;
    lines.scheme_J += lines.potential_J + potential_work;
    for (const BodyContact& contact : s.contacts) {
        const ContactWork work = work_of(contact);
        lines.impact_J += work.normal_J;
        lines.friction_J += work.friction_J;
        if (!any_driven) continue;
        const auto b = relative_velocity(contact, v_still, w_still);
        for (std::size_t i = 0; i < b.size(); ++i) {
            const double P = i == 0 ? contact.P[0] - contact.cohesion_Ns : contact.P[i];
            lines.prescribed_motions_J -= (P + contact.map_P[i]) * b[i];
        }
    }
    lines.joint_J += s.map_joint_J;
    account_joints(v_still, w_still, s, lines);
    if (s.formulas) s.formulas->account(h, state, v_still, w_still, s, lines);
}

bool all_finite(const BodyState& state)
{
    const auto finite = [](const auto& list) {
        return std::all_of(list.begin(), list.end(), [](const Vec3& x) { return x.allFinite(); });
    };
    return finite(state.x) && finite(state.v) && finite(state.W);
}

/// v_free and W_free with forces at the velocities of s.mid. Gyroscopic terms by the midpoint rule of a free
/// body, or at given angular velocities.
void drift(const BodyModel& model, double h, BodyScratch& s, bool gyroscopic_given)
{
    const BodySetup& setup = model.setup();
    s.given.assign(s.mid.v.size(), {});
    model.spring_wrenches(BodyModel::SpringPart::Dampers, s.mid.x, s.mid.R, s.mid.v, s.mid.W, s.given);
    model.joint_damping(s.mid.x, s.mid.R, s.mid.v, s.mid.W, s.given);
    if (setup.forces) {
        s.loads.assign(s.mid.v.size(), {});
        setup.forces(s.mid, s.loads);
        for (std::size_t i = 0; i < s.loads.size(); ++i) {
            s.given[i].force_N += s.loads[i].force_N;
            s.given[i].torque_Nm += s.loads[i].torque_Nm;
        }
    }
    if (s.formulas) s.formulas->add_given(s);
    s.v_free = s.v_before;
    s.W_free = s.W_before;
    for (int i = 0; i < model.bodies(); ++i) {
        if (model.inverse_mass[i] == 0) continue;
        const Wrench& a = s.potential[i];
        const Wrench& b = s.given[i];
        s.v_free[i] += h * model.inverse_mass[i] * (a.force_N + b.force_N);
        const Vec3 torque = s.mid.R[i].conjugate() * (a.torque_Nm + b.torque_Nm);
        Vec3& at = s.W_gyroscopic[i];
        if (model.isotropic[i]) {
            s.W_free[i] += h * model.inverse_inertia[i] * torque;
        } else if (gyroscopic_given) {
            s.W_free[i] += h * model.inverse_inertia[i] * (torque - at.cross(model.inertia[i] * at));
        } else {
            s.W_free[i] =
                turn_freely(model.inertia[i], model.inverse_inertia[i], s.W_before[i], torque, h, at);
        }
    }
    if (s.formulas) s.formulas->drift(h, s);
}

/// Velocities of carriers, and of the coordinates on them, half-way to `v`.
void set_carried(const BodyModel& model, std::span<const Vec3> v, BodyScratch& s)
{
    for (auto i = static_cast<std::size_t>(model.bodies()); i < s.mid.v.size(); ++i)
        s.mid.v[i] = 0.5 * (s.v_before[i] + v[i]);
    s.formulas->take_velocities(s);
}

bool depends_on_velocity(const BodySetup& setup)
{
    return setup.forces || setup.with_formulas || !setup.springs.empty() ||
           std::any_of(setup.joints.begin(), setup.joints.end(),
                       [](const Joint& joint) { return joint.turn.damping > 0 || joint.slide.damping > 0; });
}

}  // namespace

void free_velocities(const BodyModel& model, const MoreauSettings& settings, BodyScratch& s)
{
    const double h = settings.time_step_s;
    const auto n = s.mid.v.size();

    // weight and springs; what has no potential is evaluated a second time at the mean velocity
    s.potential.assign(n, {});
    model.spring_wrenches(BodyModel::SpringPart::Springs, s.mid.x, s.mid.R, {}, {}, s.potential);
    for (int i = 0; i < model.bodies(); ++i) {
        s.potential[i].force_N += model.mass[i] * model.setup().gravity_m_s2;
    }
    if (s.formulas) s.formulas->add_potential(s);
    s.W_gyroscopic.assign(n, Vec3::Zero());
    s.v_before = s.mid.v;
    s.W_before = s.mid.W;
    const int passes = depends_on_velocity(model.setup()) ? settings.force_passes : 1;
    for (int pass = 0; pass < passes; ++pass) {
        drift(model, h, s, false);
        for (int i = 0; i < model.bodies(); ++i) {
            if (model.inverse_mass[i] == 0) continue;
            s.mid.v[i] = 0.5 * (s.v_before[i] + s.v_free[i]);
            s.mid.W[i] = 0.5 * (s.W_before[i] + s.W_free[i]);
        }
        if (s.formulas) set_carried(model, s.v_free, s);
    }
    s.mid.v = s.v_before;
    s.mid.W = s.W_before;
    if (s.formulas) s.formulas->take_velocities(s);
}

bool free_velocities_again(const BodyModel& model, const MoreauSettings& settings, BodyScratch& s)
{
    // gyroscopic terms at the mean velocity, where they differ by what counts
    constexpr double negligible = 1e-8;
    bool differs = depends_on_velocity(model.setup());
    for (int i = 0; i < model.bodies(); ++i) {
        if (model.isotropic[i] || model.inverse_mass[i] == 0) continue;
        const Mat3& J = model.inertia[i];
        const Vec3 mean = 0.5 * (s.W_before[i] + s.next.W[i]);
        Vec3& at = s.W_gyroscopic[i];
        const Vec3 change =
            settings.time_step_s * model.inverse_inertia[i] * (mean.cross(J * mean) - at.cross(J * at));
        differs = differs || change.norm() > negligible * mean.norm();
    }
    if (!differs) return false;
    for (int i = 0; i < model.bodies(); ++i) {
        s.mid.v[i] = 0.5 * (s.v_before[i] + s.next.v[i]);
        s.mid.W[i] = s.W_gyroscopic[i] = 0.5 * (s.W_before[i] + s.next.W[i]);
    }
    if (s.formulas) set_carried(model, s.next.v, s);
    drift(model, settings.time_step_s, s, true);
    s.mid.v = s.v_before;
    s.mid.W = s.W_before;
    if (s.formulas) s.formulas->take_velocities(s);
    return true;
}

/// Bodies whose contacts and joints allow another motion as well.
void tell_other_motions(const BodyModel& model, double time_s, const BodyScratch& s, StepReport& report)
{
    for (const OtherMotion& other : s.solver.selector.others()) {
        std::vector<std::string> names;
        for (const int k : other.interactions) {
            const auto c = static_cast<std::size_t>(k);
            if (c >= s.contacts.size()) continue;
            for (const int body : {s.contacts[c].first, s.contacts[c].second}) {
                names.push_back(model.setup().bodies[static_cast<std::size_t>(body)].name);
            }
        }
        add_other_motion(other, time_s, std::move(names), report);
    }
}

/// Solves the step with the free velocities as they are.
void solve_and_advance(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                       const BodyState& state, BodyScratch& s, SolveReport& report)
{
    const double h = settings.time_step_s;
    load_laws(model, settings, state, s);
    report = {};
    s.P_before.assign(s.P.begin(), s.P.end());
    if (sweep_bodies(model, solver, s, report)) {
        advance(model, h, state, s);
        judge_by_bodies(solver, s, report);
        report.selection.unexamined = 1;  // no matrix that could be looked at
        if (report.status == SolveStatus::Converged) return;
        if (is_redundant(model, s.P.size())) s.P.assign(s.P_before.begin(), s.P_before.end());
    }
    if (solve_mechanism(model, solver, s, report)) {
        advance(model, h, state, s);
        judge_by_bodies(solver, s, report);
        if (report.status == SolveStatus::Converged) return;
        s.P.assign(s.P.size(), 0.0);
    }
    solve_assembled(model, solver, h, s, report);
    if (report.status != SolveStatus::NotFinite) advance(model, h, state, s);
}

/// A body without inertia about some axes, which joints turn about them (BO-19).
struct Loose {
    int body;
    Mat3 axes;              ///< projector, axes of the body
    Vec3 W = Vec3::Zero();  ///< angular velocity about them that the step is expected to end with
};

std::vector<Loose> loose_bodies(const BodyModel& model, const BodyState& state)
{
    std::vector<Loose> loose;
    if (model.setup().joints.empty()) return loose;
    for (int i = 0; i < model.bodies(); ++i) {
        const Mat3& J = model.inertia[i];
        const double mean = J.trace() / 3;
        if (model.inverse_mass[i] == 0 || (!model.is_flat() && J.determinant() > 1e-10 * mean * mean * mean))
            continue;
        Mat3 missing = Mat3::Identity() - J * model.inverse_inertia[i];
        if (model.is_flat()) missing = Vec3(0, 0, missing(2, 2)).asDiagonal();
        if (missing.norm() < 1e-6) continue;
        // what rounding leaves of the axes that have an inertia of their own is not lent
        const Mat3 lent = missing * model.inverse_inertia[i];
        if (!(lent.diagonal().maxCoeff() > 1e-9 * model.inverse_inertia[i].norm())) continue;
        // lent is a projector divided by the inertia that was lent: the largest value of it is that inverse
        const double inverse = Eigen::SelfAdjointEigenSolver<Mat3>(lent).eigenvalues()[2];
        const Mat3 axes = lent / inverse;
        loose.push_back({.body = i, .axes = axes, .W = axes * state.W[i]});
    }
    return loose;
}

/// The same as solve_and_advance. What lent inertia resists is the difference from the velocity that it is
/// expected to have: repeated until that is the velocity which comes out (BO-19). False where it does not.
bool solve_with_loose(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                      const BodyState& state, std::vector<Loose>& loose, BodyScratch& s, SolveReport& report)
{
    if (loose.empty()) {
        solve_and_advance(model, settings, solver, state, s, report);
        return true;
    }
    constexpr int max_passes = 20;
    constexpr double settled = 1e-12;
    const std::vector<Vec3> v_free = s.v_free, W_free = s.W_free;
    int iterations = 0;
    double change = 0, fastest = 0;
    for (int pass = 0; pass < max_passes; ++pass) {
        s.v_free = v_free;
        s.W_free = W_free;
        for (const Loose& one : loose) {
            s.W_free[one.body] += one.W - one.axes * s.W_before[one.body];
        }
        solve_and_advance(model, settings, solver, state, s, report);
        iterations += report.iterations;
        report.iterations = iterations;
        if (report.status == SolveStatus::NotFinite) return true;
        change = fastest = 0;
        for (Loose& one : loose) {
            const Vec3 now = one.axes * s.next.W[one.body];
            change = std::max(change, (now - one.W).norm());
            one.W = now;
        }
        for (int i = 0; i < model.bodies(); ++i) {
            fastest = std::max({fastest, s.next.W[i].norm(), s.next.v[i].norm() / model.length_m()});
        }
        if (change <= settled * fastest) return true;
    }
    if (change <= std::max(solver.tolerance, 1e-8) * fastest) return true;
    report.status = SolveStatus::NotSolved;
    return false;
}

/// (LE-4): work of the loads over the step by Simpson's rule, less what the ledger has for them.
double forces_defect_J(const BodyModel& model, double h, const BodyState& state, BodyScratch& s)
{
    const auto& forces = model.setup().forces;
    if (!forces) return 0;
    s.end_loads.assign(s.loads.size(), {});
    forces(state, s.end_loads);
    double at_start = 0, at_end = 0;
    const auto power = [&](const Wrench& there, std::size_t i, const Vec3& v, const Vec3& w) {
        return (there.force_N - s.loads[i].force_N).dot(v) + (there.torque_Nm - s.loads[i].torque_Nm).dot(w);
    };
    const auto n = static_cast<std::size_t>(model.bodies());
    for (std::size_t i = 0; i < n; ++i) {
        at_start += power(s.end_loads[i], i, s.mid.v[i], s.mid.R[i] * s.mid.W[i]);
    }
    s.end_loads.assign(s.loads.size(), {});
    forces(s.next, s.end_loads);
    for (std::size_t i = 0; i < n; ++i) {
        at_end += power(s.end_loads[i], i, s.next.v[i], s.mid.R[i] * s.next.W[i]);
    }
    return h / 6 * ((std::isfinite(at_start) ? at_start : 0) + (std::isfinite(at_end) ? at_end : 0));
}

/// T(u_free).
double free_kinetic_energy_J(const BodyModel& model, const BodyScratch& s)
{
    double sum = 0;
    for (int i = 0; i < model.bodies(); ++i) {
        sum += 0.5 *
               (model.mass[i] * s.v_free[i].squaredNorm() + s.W_free[i].dot(model.inertia[i] * s.W_free[i]));
    }
    if (s.formulas) sum += s.formulas->carried_energy_J(s.v_free);
    return sum;
}

/// Energy that percussions of contacts without restitution created, beside that of the free velocities:
/// P . (U_free + U+)/2 is never positive where the laws hold.
double created_part(const BodyModel& model, const BodyScratch& s)
{
    double created = 0;
    for (std::size_t c = 0; c < s.contacts.size(); ++c) {
        const BodyContact& contact = s.contacts[c];
        if (contact.restitution > 0) continue;
        for (int row = 0; row < contact.dimension; ++row) {
            const std::size_t k = contact.slot(row);
            double U_free = s.problem.U_free[s.problem.offsets[c] + row];
            if (row == 0) U_free -= contact.may_close_m_s;
            created += contact.P[k] * 0.5 * (U_free + contact.U_plus[k]);
        }
    }
    const double kinetic = free_kinetic_energy_J(model, s);
    return kinetic > 0 ? created / kinetic : 0;
}

/// Angles of the plane count turns: of all that mean the same place, those next to where they were.
void count_angles(const BodyModel& model, BodyState& state)
{
    for (std::size_t i = 0; i < state.angles.size() && model.is_flat(); ++i)
        state.angles[i] = with_turns(state.angles[i], 2 * std::atan2(state.R[i].z(), state.R[i].w()));
}

/// A solver that was asked for and gave percussions that miss the tolerance and drive the bodies apart is
/// replaced by `auto`; where that does the same the step is not taken.
void replace_bad_percussions(const BodyModel& model, const MoreauSettings& settings,
                             const SolverSettings& solver, const BodyState& state, std::vector<Loose>& loose,
                             BodyScratch& s, StepReport& report)
{
    constexpr double bad = 0.01;
    const auto is_bad = [&] {
        return report.solve.status == SolveStatus::NotSolved && created_part(model, s) > bad;
    };
    if (!is_bad()) return;
    const std::string name(name_of(solver.kind));
    const double part = created_part(model, s);
    if (solver.kind != SolverKind::Auto) {
        SolverSettings other = solver;
        other.kind = SolverKind::Auto;
        free_velocities(model, settings, s);
        solve_with_loose(model, settings, other, state, loose, s, report.solve);
        if (!is_bad()) {
            report.findings.push_back(
                {.code = "solver_replaced",
                 .time_s = state.t_s,
                 .message = fmt::format("{} gave percussions that create {:.2g} of the kinetic energy: auto "
                                        "took its place in this step",
                                        name, part)});
            return;
        }
    }
    report.status = StepStatus::Undetermined;
    report.findings.push_back(
        {.code = "unsolved_step",
         .time_s = state.t_s,
         .message = fmt::format("the percussions that {} found create {:.2g} of the kinetic energy, and no "
                                "other were found: the step was not taken",
                                name, part),
         .uncertifies = true});
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
    s.findings.clear();
    s.law_out_of_range = false;
    s.held_is_factorised = s.driven_is_factorised = s.held_at_end = false;
    if (s.formulas && !s.formulas->predict(h, state, s)) {
        report.status = StepStatus::MetricSingular;
        return report;
    }

    // detect: contacts that this step can close
    detect(model, settings, state, s);

    // strike: an impact map changes the velocities where open contacts close
    if (!apply_impact_map(model, settings, state, s, report)) {
        report.status = StepStatus::LawOutOfRange;
        return report;
    }

    // free: velocity at the end of the step if nothing touched
    free_velocities(model, settings, s);

    // solve: U = W P + U_free, -(U + s) in N_C(P); then advance: the percussions make the velocities jump,
    // and the second half-step uses the new ones
    std::vector<Loose> loose = loose_bodies(model, state);
    bool settled = solve_with_loose(model, settings, solver, state, loose, s, report.solve);

    // what depends on velocities is taken again at the mean of those that contacts and joints left
    if (s.problem.interactions() > 0 && report.solve.status == SolveStatus::Converged &&
        free_velocities_again(model, settings, s)) {
        settled = solve_with_loose(model, settings, solver, state, loose, s, report.solve);
    }
    if (!settled) {
        report.findings.push_back(
            {.code = "unsolved_step",
             .time_s = state.t_s,
             .message = "a body without inertia about some axis is driven about it: its turning has not "
                        "settled; give it some inertia",
             .uncertifies = true});
    }
    replace_bad_percussions(model, settings, solver, state, loose, s, report);
    report.findings.insert(report.findings.end(), s.findings.begin(), s.findings.end());
    if (s.law_out_of_range) {
        report.status = StepStatus::LawOutOfRange;
        return report;
    }
    if (report.status == StepStatus::Undetermined) return report;
    if (report.solve.status != SolveStatus::Converged) report.status = StepStatus::NotSolved;
    if (report.status == StepStatus::NotSolved && solver.is_stopped())
        return report;  // the state is as it was
    if (report.solve.selection.several > 0) tell_other_motions(model, state.t_s, s, report);
    if (report.solve.status == SolveStatus::NotFinite || !all_finite(s.next)) {
        report.status = StepStatus::NotFinite;
        return report;
    }
    const Energies advanced = energies_of(model, s.next, s);
    account(model, h, state, s, advanced, report.energy);
    report.accuracy.held_back_J = free_kinetic_energy_J(model, s) - advanced.kinetic_J;
    report.accuracy.forces_defect_J = forces_defect_J(model, h, state, s);

    // correct: what overlaps and does not separate is moved apart
    correct_places(model, settings, solver, s, report);
    report_joints(model, s);
    report_spin(model, h, state, s);
    if (settings.correction) hold_velocities(model, s);
    report.at_end = energies_of(model, s.next, s);
    const double raised_J = report.at_end.potential_J - advanced.potential_J;
    const double held_J = report.at_end.kinetic_J - advanced.kinetic_J;
    report.energy.correction_J = raised_J + held_J;
    report.energy.potential_J += raised_J;
    report.energy.kinetic_J += held_J;
    look_for_tunnelling(model, settings, state, s, report);

    update_statuses(model, solver, h, state, s, report.findings);
    if (s.formulas) {
        s.formulas->report(state, h, s, report.findings);
        state.q = s.next.q;
        state.u = s.next.u;
        s.next.v.resize(state.v.size());
        s.next.W.resize(state.W.size());
    }
    state.t_s = s.next.t_s;
    std::swap(state.x, s.next.x);
    std::swap(state.R, s.next.R);
    std::swap(state.v, s.next.v);
    std::swap(state.W, s.next.W);
    std::swap(state.turns, s.next.turns);
    count_angles(model, state);
    return report;
}

}  // namespace carom
