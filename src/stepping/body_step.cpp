#include "stepping/body_memory.hpp"

#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "body_response.hpp"
#include "body_system.hpp"
#include "core/parallel.hpp"
#include "system/bodies/body_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom {
namespace detail {
namespace {

bool all_finite(const State& state)
{
    const auto finite = [](const auto& list) {
        return std::all_of(list.begin(), list.end(), [](const Vec3& x) { return x.allFinite(); });
    };
    return finite(state.x) && finite(state.v) && finite(state.W);
}

}  // namespace

/// A body without inertia about some axes, which joints turn about them (BO-19).
struct Loose {
    int body;
    Mat3 axes;              ///< projector, axes of the body
    Vec3 W = Vec3::Zero();  ///< angular velocity about them that the step is expected to end with
};

std::vector<Loose> loose_bodies(const BodyModel& model, const State& state)
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
                      const State& state, std::vector<Loose>& loose, BodyStepMemory& s, SolveReport& report)
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

BodySystem::BodySystem(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                       State& state, BodyStepMemory& s)
    : model_(model), settings_(settings), solver_(solver), state_(state), s_(s)
{
}

bool BodySystem::predict()
{
    place_half_way(model_, settings_.time_step_s, state_, s_);
    s_.findings.clear();
    s_.law_out_of_range = false;
    s_.held_is_factorised = s_.driven_is_factorised = s_.held_at_end = false;
    s_.theta = theta();
    s_.implicit = false;
    if (s_.formulas && !s_.formulas->predict(settings_.time_step_s, state_, s_)) return false;
    if (settings_.cone_point == ConePoint::End) look_ahead(model_, settings_.time_step_s, s_);
    return true;
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

namespace {

/// Contacts and stops that persist do no work in theory: what their normal percussions did kept them on their
/// obstacles, and goes from the line of impacts to that of corrections (LE-2). The statuses of the step are
/// known.
void account_persistent(const BodyStepMemory& s, EnergyLines& lines)
{
    double held_J = 0;
    for (const ContactStep& step : s.statuses.steps) {
        if (step.persists) held_J += step.energy_J;
    }
    lines.impact_J -= held_J;
    lines.correction_J += held_J;
}

}  // namespace

void BodySystem::watch(StepReport& report)
{
    look_for_tunnelling(model_, settings_, state_, s_, report);
    update_statuses(model_, settings_, solver_, state_, s_, report);
    account_persistent(s_, report.energy);
    if (s_.formulas) s_.formulas->report(state_, settings_.time_step_s, s_, report);
}

void BodySystem::commit(const StepReport&)
{
    if (s_.formulas) {
        s_.formulas->commit(state_);
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
    write_coordinates(model_, state_);
}

void BodySystem::tell_unsettled(StepReport& report) const
{
    const Finding finding{.code = "unsolved_step",
                          .time_s = state_.t_s,
                          .message = "a body without inertia about some axis is driven about it, and its "
                                     "rotation did not converge; give it some inertia",
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
        exchange_places(model_, s_);
        free_velocities(model_, settings_, s_);
        exchange_places(model_, s_);
        loose_ = loose_bodies(model_, state_);
        again_ = false;
    }

    /// At the mean of the velocities that contacts and joints left.
    [[nodiscard]] bool drift_again(StepReport& report) override
    {
        if (std::exchange(again_, true)) return false;
        if (s_.problem.interactions() == 0 || report.solve.status != SolveStatus::Converged) return false;
        exchange_places(model_, s_);
        const bool again = free_velocities_again(model_, settings_, s_);
        exchange_places(model_, s_);
        return again;
    }

private:
    [[nodiscard]] bool solve_step(const SolverSettings& solver, SolveReport& report) override
    {
        return solve_with_loose(model_, settings_, solver, state_, loose_, s_, report);
    }

    /// The second half-step uses the new velocities (BO-8).
    void move_bodies() override
    {
        const State& half = half_way(s_);
        s_.next.x = half.x;
        s_.next.R = half.R;
        constexpr std::size_t moved_in_block = 512;
        for_each_index(static_cast<std::size_t>(model_.bodies()), moved_in_block, [&](std::size_t i) {
            s_.next.x[i] += settings_.time_step_s / 2 * s_.next.v[i];
            s_.next.R[i] = turned(half.R[i], settings_.time_step_s / 2 * s_.next.W[i]);
        });
        s_.next.q = half.q;
        const int beside = model_.setup().coordinates;
        if (beside > 0) s_.next.q.tail(beside) += settings_.time_step_s / 2 * s_.next.u.tail(beside);
    }

    std::vector<Loose> loose_;
    bool again_ = false;  ///< forces have been taken a second time
};

}  // namespace
}  // namespace detail

StepReport body_step(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                     State& state, BodyStepMemory& s)
{
    StepReport report;
    report.h_s = settings.time_step_s;
    detail::MoreauBodies system(model, settings, solver, state, s);
    take_step(system, state.t_s, solver, report);
    return report;
}

}  // namespace carom
