#include "stepping/body_scratch.hpp"

#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "body_response.hpp"
#include "body_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

void push_rows(const BodyModel& model, BodyScratch& s)
{
    for (int row = 0; row < s.rows.size(); ++row) {
        s.rows.apply(model.inverse_mass, row, s.P[row], s.next.v, s.correction_w);
    }
    if (s.rows.size() == 0) push_bodies(model, s);
}

/// The same where springs between bodies are implicit.
void push_through_response(BodyScratch& s)
{
    s.correction_v.assign(s.v_free.size(), Vec3::Zero());
    for (int row = 0; row < s.rows.size(); ++row) {
        for (const BodyRows::Term& term : s.rows.row(row)) {
            s.correction_v[static_cast<std::size_t>(term.body)] += s.P[row] * term.v;
            s.correction_w[static_cast<std::size_t>(term.body)] += s.P[row] * term.w;
        }
    }
    s.response->solve(s.correction_v, s.correction_w);
    for (std::size_t i = 0; i < s.correction_v.size(); ++i)
        s.next.v[i] += s.correction_v[i];
}

/// Velocities with the percussions (BO-8).
void push(const BodyModel& model, BodyScratch& s)
{
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
    if (s.implicit)
        push_through_response(s);
    else
        push_rows(model, s);
    s.w_after.assign(s.W_free.size(), Vec3::Zero());
    for (int i = 0; i < model.bodies(); ++i) {
        s.next.W[i] += s.mid.R[i].conjugate() * s.correction_w[i];
        s.w_after[i] = s.mid.R[i] * s.next.W[i];
    }
    for (BodyContact& contact : s.contacts) {
        contact.U_plus = relative_velocity(contact, s.next.v, s.w_after);
    }
    s.joint_U_plus.resize(s.P.size());
    for (int row = s.problem.offsets[s.contacts.size()]; row < s.rows.size(); ++row) {
        s.joint_U_plus[row] = s.rows.velocity(row, s.next.v, s.w_after);
    }
    if (s.formulas) s.formulas->push(s);
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

/// Solves the step with the free velocities as they are; s.next has the velocities that come out.
void solve_and_push(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                    const BodyState& state, BodyScratch& s, SolveReport& report)
{
    load_laws(model, settings, state, s);
    report = {};
    s.P_before.assign(s.P.begin(), s.P.end());
    if (sweep_bodies(model, solver, s, report)) {
        push(model, s);
        judge_by_bodies(solver, s, report);
        report.selection.unexamined = 1;  // no matrix that could be looked at
        if (report.status == SolveStatus::Converged) return;
        if (is_redundant(model, s.P.size())) s.P.assign(s.P_before.begin(), s.P_before.end());
    }
    if (solve_mechanism(model, solver, s, report)) {
        push(model, s);
        judge_by_bodies(solver, s, report);
        if (report.status == SolveStatus::Converged) return;
        s.P.assign(s.P.size(), 0.0);
    }
    solve_assembled(model, solver, settings.time_step_s, s, report);
    if (report.status != SolveStatus::NotFinite) push(model, s);
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

/// The same as solve_and_push. What lent inertia resists is the difference from the velocity that it is
/// expected to have: repeated until that is the velocity which comes out (BO-19). False where it does not.
bool solve_with_loose(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                      const BodyState& state, std::vector<Loose>& loose, BodyScratch& s, SolveReport& report)
{
    if (loose.empty()) {
        solve_and_push(model, settings, solver, state, s, report);
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
        solve_and_push(model, settings, solver, state, s, report);
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

/// Angles of the plane count turns: of all that mean the same place, those next to where they were.
void count_angles(const BodyModel& model, BodyState& state)
{
    for (std::size_t i = 0; i < state.angles.size() && model.is_flat(); ++i)
        state.angles[i] = with_turns(state.angles[i], 2 * std::atan2(state.R[i].z(), state.R[i].w()));
}

BodySystem::BodySystem(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                       BodyState& state, BodyScratch& s)
    : model_(model), settings_(settings), solver_(solver), state_(state), s_(s)
{
}

bool BodySystem::predict()
{
    detail::predict(model_, settings_.time_step_s, state_, s_);
    s_.findings.clear();
    s_.law_out_of_range = false;
    s_.held_is_factorised = s_.driven_is_factorised = s_.held_at_end = false;
    s_.theta = theta();
    s_.implicit = false;
    return !s_.formulas || s_.formulas->predict(settings_.time_step_s, state_, s_);
}

void BodySystem::detect()
{
    detail::detect(model_, settings_, state_, s_);
}

bool BodySystem::strike(StepReport& report)
{
    return apply_impact_map(model_, settings_, state_, s_, report);
}

void BodySystem::solve(const SolverSettings& solver, StepReport& report)
{
    s_.findings.clear();
    if (!solve_step(solver, report.solve)) tell_unsettled(report);
    report.findings.insert(report.findings.end(), s_.findings.begin(), s_.findings.end());
    if (report.solve.status != SolveStatus::Converged) report.status = StepStatus::NotSolved;
    if (report.solve.status == SolveStatus::NotFinite) report.status = StepStatus::NotFinite;
    if (s_.law_out_of_range) report.status = StepStatus::LawOutOfRange;
}

bool BodySystem::solve_step(const SolverSettings& solver, SolveReport& report)
{
    solve_and_push(model_, settings_, solver, state_, s_, report);
    return true;
}

double BodySystem::created_J()
{
    return detail::created_J(s_);
}

double BodySystem::free_kinetic_J()
{
    return free_kinetic_energy_J(model_, s_);
}

std::vector<std::string> BodySystem::names_of(const OtherMotion& other) const
{
    std::vector<std::string> names;
    const std::size_t contacts = s_.contacts.size(), formulas = contacts + s_.joints.size();
    for (const int k : other.interactions) {
        const auto c = static_cast<std::size_t>(k);
        if (c >= formulas) names.push_back(name_of_interaction(model_, s_, k));
        if (c >= contacts) continue;
        for (const int body : {s_.contacts[c].first, s_.contacts[c].second}) {
            names.push_back(model_.setup().bodies[static_cast<std::size_t>(body)].name);
        }
    }
    return names;
}

std::span<const OtherMotion> BodySystem::other_motions() const
{
    return s_.formulas ? s_.formulas->other_motions() : s_.solver.selector.others();
}

bool BodySystem::advance()
{
    s_.next.t_s = state_.t_s + settings_.time_step_s;
    move_bodies();
    if (s_.formulas) s_.formulas->advance(settings_.time_step_s, s_);
    return all_finite(s_.next);
}

Energies BodySystem::energies_at_start()
{
    return energies_of(model_, state_, s_);
}

Energies BodySystem::energies_at_end()
{
    return energies_of(model_, s_.next, s_);
}

void BodySystem::account(const Energies& start, const Energies& end, StepReport& report)
{
    const double h = settings_.time_step_s;
    detail::account(model_, h, state_, start, end, s_, report.energy);
    report.accuracy.held_back_J = free_kinetic_energy_J(model_, s_) - end.kinetic_J;
    report.accuracy.forces_defect_J = forces_defect_J(model_, h, state_, s_);
}

bool BodySystem::correct(StepReport& report)
{
    correct_places(model_, settings_, solver_, s_, report);
    report_joints(model_, s_);
    report_spin(model_, settings_.time_step_s, state_, s_);
    if (settings_.correction) hold_velocities(model_, s_);
    return true;
}

void BodySystem::watch(StepReport& report)
{
    look_for_tunnelling(model_, settings_, state_, s_, report);
    update_statuses(model_, solver_, settings_.time_step_s, state_, s_, report.findings);
    if (s_.formulas) s_.formulas->report(state_, settings_.time_step_s, s_, report.findings);
}

void BodySystem::commit(const StepReport&)
{
    if (s_.formulas) {
        state_.q = s_.next.q;
        state_.u = s_.next.u;
        s_.next.v.resize(state_.v.size());
        s_.next.W.resize(state_.W.size());
    }
    state_.t_s = s_.next.t_s;
    std::swap(state_.x, s_.next.x);
    std::swap(state_.R, s_.next.R);
    std::swap(state_.v, s_.next.v);
    std::swap(state_.W, s_.next.W);
    std::swap(state_.turns, s_.next.turns);
    count_angles(model_, state_);
}

void BodySystem::tell_unsettled(StepReport& report) const
{
    const Finding finding{.code = "unsolved_step",
                          .time_s = state_.t_s,
                          .message = "a body without inertia about some axis is "
                                     "driven about it: its turning has not "
                                     "settled; give it some inertia",
                          .uncertifies = true};
    const auto known = [&](const Finding& one) { return one.message == finding.message; };
    if (std::ranges::none_of(report.findings, known)) report.findings.push_back(finding);
}

namespace {

/// Moreau's midpoint scheme.
class MoreauBodies final : public BodySystem {
public:
    using BodySystem::BodySystem;

    void drift(StepReport&) override
    {
        free_velocities(model_, settings_, s_);
        loose_ = loose_bodies(model_, state_);
        again_ = false;
    }

    /// At the mean of the velocities that contacts and joints left.
    [[nodiscard]] bool drift_again(StepReport& report) override
    {
        if (std::exchange(again_, true)) return false;
        return s_.problem.interactions() > 0 && report.solve.status == SolveStatus::Converged &&
               free_velocities_again(model_, settings_, s_);
    }

private:
    [[nodiscard]] bool solve_step(const SolverSettings& solver, SolveReport& report) override
    {
        return solve_with_loose(model_, settings_, solver, state_, loose_, s_, report);
    }

    /// The second half-step uses the new velocities (BO-8).
    void move_bodies() override
    {
        s_.next.x = s_.mid.x;
        s_.next.R = s_.mid.R;
        for (int i = 0; i < model_.bodies(); ++i) {
            s_.next.x[i] += settings_.time_step_s / 2 * s_.next.v[i];
            s_.next.R[i] = turned(s_.mid.R[i], settings_.time_step_s / 2 * s_.next.W[i]);
        }
    }

    std::vector<Loose> loose_;
    bool again_ = false;  ///< forces have been taken a second time
};

}  // namespace
}  // namespace detail

StepReport body_step(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                     BodyState& state, BodyScratch& s)
{
    StepReport report;
    report.h_s = settings.time_step_s;
    detail::MoreauBodies system(model, settings, solver, state, s);
    take_step(system, state.t_s, solver, report);
    return report;
}

}  // namespace carom
