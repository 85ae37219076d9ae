#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "body_response.hpp"
#include "body_system.hpp"
#include "carom/stepping/settings.hpp"
#include "forces_settle.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// Forces and gyroscopic terms are the same wherever the bodies are and however they move, and every body
/// that a joint turns has inertia.
bool are_constant(const BodyModel& model)
{
    const BodySetup& setup = model.setup();
    const bool all_isotropic = std::ranges::all_of(model.isotropic, [](const auto& is) { return bool(is); });
    return !setup.forces && !setup.with_formulas && !BodyResponse::is_needed(model, nullptr) &&
           setup.joints.empty() && all_isotropic;
}

/// The theta scheme of Moreau and Jean for bodies (BO-27): Newton's iteration for forces and percussions
/// together (MJ-2), with J where springs or dampers are implicit and with the metric A where there are none.
class MoreauJeanBodies final : public BodySystem {
public:
    MoreauJeanBodies(const BodyModel& model, const MoreauJeanSettings& settings, const MoreauSettings& moreau,
                     const SolverSettings& solver, State& state, BodyStepMemory& s)
        : BodySystem(model, moreau, solver, state, s), jean_(settings)
    {
    }

    [[nodiscard]] bool predict() override
    {
        if (!BodySystem::predict()) return false;
        s_.v_start = s_.mid.v;
        s_.W_start = s_.mid.W;
        s_.implicit = BodyResponse::is_needed(model_, s_.formulas.get());
        if (s_.implicit && !s_.response)
            s_.response = std::make_shared<BodyResponse>(model_, s_.formulas.get());
        return true;
    }

    void drift(StepReport& report) override
    {
        s_.v_before = s_.mid.v;
        s_.W_before = s_.mid.W;
        s_.next.v = s_.v_before;
        s_.next.W = s_.W_before;
        settling_ = ForcesSettle();
        free_velocity(report);
    }

    [[nodiscard]] bool drift_again(StepReport& report) override
    {
        if (are_constant(model_)) return false;
        const double change = norm(s_.v_last, s_.W_last, s_.next.v, s_.next.W);
        const double size = std::hypot(norm(s_.next.v, s_.next.W), norm(s_.v_before, s_.W_before),
                                       norm(s_.v_free, s_.W_free));
        const double tolerance = s_.P.empty() ? 0 : solver_.tolerance;
        if (!settling_.continues(
                change, size, [&] { return place_norm(); }, jean_, tolerance, state_.t_s, report))
            return false;
        free_velocity(report);
        return true;
    }

private:
    [[nodiscard]] double theta() const override { return jean_.theta; }

    /// Kinetic norm of a difference, or of velocities alone.
    [[nodiscard]] double norm(std::span<const Vec3> v, std::span<const Vec3> W,
                              std::span<const Vec3> less_v = {}, std::span<const Vec3> less_W = {}) const
    {
        double sum = 0;
        for (int i = 0; i < model_.bodies(); ++i) {
            if (model_.inverse_mass[i] == 0) continue;
            const Vec3 dv = less_v.empty() ? v[i] : Vec3(v[i] - less_v[i]);
            const Vec3 dW = less_W.empty() ? W[i] : Vec3(W[i] - less_W[i]);
            sum += model_.mass[i] * dv.squaredNorm() + dW.dot(model_.inertia[i] * dW);
        }
        for (auto i = static_cast<std::size_t>(model_.bodies()); i < v.size(); ++i)
            sum += (less_v.empty() ? v[i] : Vec3(v[i] - less_v[i])).squaredNorm();
        return std::sqrt(sum);
    }

    /// Of the places at the start and where forces are taken, kinetic norm; turns count as one radian.
    [[nodiscard]] double place_norm() const
    {
        double sum = 0;
        for (int i = 0; i < model_.bodies(); ++i) {
            if (model_.inverse_mass[i] == 0) continue;
            sum += model_.mass[i] * (state_.x[i].squaredNorm() + s_.forces_at.x[i].squaredNorm()) +
                   model_.inertia[i].trace();
        }
        if (s_.formulas)
            sum += s_.formulas->squared_size(state_.q) + s_.formulas->squared_size(s_.forces_at.q);
        return std::sqrt(sum);
    }

    /// Places, velocities and instant at which forces are taken, for the present u+ (MJ-1).
    void set_force_point()
    {
        const double h = settings_.time_step_s, theta = jean_.theta;
        State& at = s_.forces_at;
        at = s_.mid;
        at.t_s = state_.t_s + h * theta;
        for (int i = 0; i < model_.bodies(); ++i) {
            at.x[i] = state_.x[i] + h * theta * ((1 - theta) * s_.v_start[i] + theta * s_.next.v[i]);
            at.R[i] = turned(state_.R[i], h * theta * ((1 - theta) * s_.W_start[i] + theta * s_.next.W[i]));
            at.v[i] = (1 - theta) * s_.v_before[i] + theta * s_.next.v[i];
            at.W[i] = (1 - theta) * s_.W_before[i] + theta * s_.next.W[i];
        }
        if (!s_.formulas) return;
        for (auto i = static_cast<std::size_t>(model_.bodies()); i < at.v.size(); ++i)
            at.v[i] = (1 - theta) * s_.v_before[i] + theta * s_.next.v[i];
        s_.formulas->take_velocities(at.v, at.u);
        s_.formulas->take_velocities(s_.next.v, s_.next.u);
        const int beside = model_.setup().coordinates;
        at.q.tail(beside) =
            state_.q.tail(beside) +
            h * theta * ((1 - theta) * state_.u.tail(beside) + theta * s_.next.u.tail(beside));
    }

    /// s.potential and s.given there; torques as they are in the axes of the body half-way, where the metric
    /// is.
    void take_forces()
    {
        const State& at = s_.forces_at;
        take_potential(model_, at, s_);
        take_given(model_, at, s_);
        s_.W_gyroscopic = at.W;
        for (int i = 0; i < model_.bodies(); ++i) {
            const auto k = static_cast<std::size_t>(i);
            const Rotation to_mid = s_.mid.R[k] * at.R[k].conjugate();
            s_.potential[k].torque_Nm = to_mid * s_.potential[k].torque_Nm;
            s_.given[k].torque_Nm = to_mid * s_.given[k].torque_Nm;
        }
    }

    /// u_free = u+ + J^-1 (h K - A (u+ - u-)) for the present u+.
    void free_velocity(StepReport& report)
    {
        const double h = settings_.time_step_s;
        set_force_point();
        take_forces();
        if (s_.implicit && settling_.evaluates())
            s_.response->evaluate(model_, h * jean_.theta, s_.forces_at, s_.inverse_inertia,
                                  s_.formulas.get());
        s_.v_last = s_.v_free = s_.next.v;
        s_.W_last = s_.W_free = s_.next.W;
        s_.correction_v.assign(s_.v_free.size(), Vec3::Zero());
        s_.correction_w.assign(s_.v_free.size(), Vec3::Zero());
        for (int i = 0; i < model_.bodies(); ++i) {
            if (model_.inverse_mass[i] == 0) continue;
            const Mat3& J = model_.inertia[i];
            const Vec3& at = s_.W_gyroscopic[i];
            const Vec3 force = s_.potential[i].force_N + s_.given[i].force_N;
            const Vec3 torque =
                s_.mid.R[i].conjugate() * (s_.potential[i].torque_Nm + s_.given[i].torque_Nm) -
                at.cross(J * at);
            const Vec3 p = h * force - model_.mass[i] * (s_.next.v[i] - s_.v_before[i]);
            const Vec3 l = h * torque - J * (s_.next.W[i] - s_.W_before[i]);
            s_.correction_v[i] = s_.implicit ? p : Vec3(model_.inverse_mass[i] * p);
            s_.correction_w[i] = s_.implicit ? Vec3(s_.mid.R[i] * l) : Vec3(model_.inverse_inertia[i] * l);
        }
        for (int k = 0; k < model_.carriers(); ++k) {
            const auto i = static_cast<std::size_t>(model_.bodies() + k);
            s_.correction_v[i] = h * s_.formulas->force_on_carrier(k, s_) - (s_.next.v[i] - s_.v_before[i]);
        }
        if (s_.implicit) s_.response->solve(s_.correction_v, s_.correction_w);
        bool finite = true;
        for (auto i = static_cast<std::size_t>(model_.bodies()); i < s_.v_free.size(); ++i) {
            s_.v_free[i] += s_.correction_v[i];
            finite = finite && s_.v_free[i].allFinite();
        }
        for (int i = 0; i < model_.bodies(); ++i) {
            if (model_.inverse_mass[i] == 0) continue;
            s_.v_free[i] += s_.correction_v[i];
            s_.W_free[i] +=
                s_.implicit ? Vec3(s_.mid.R[i].conjugate() * s_.correction_w[i]) : s_.correction_w[i];
            finite = finite && s_.v_free[i].allFinite() && s_.W_free[i].allFinite();
        }
        if (!finite) report.status = StepStatus::NotFinite;
    }

    /// With the mean of both velocities, weighted by theta (MJ-1).
    void move_bodies() override
    {
        const double h = settings_.time_step_s, theta = jean_.theta;
        s_.next.x = state_.x;
        s_.next.R = state_.R;
        for (int i = 0; i < model_.bodies(); ++i) {
            s_.next.x[i] += h * ((1 - theta) * s_.v_start[i] + theta * s_.next.v[i]);
            s_.next.R[i] = turned(state_.R[i], h * ((1 - theta) * s_.W_start[i] + theta * s_.next.W[i]));
        }
        s_.next.q = state_.q;
        if (const int beside = model_.setup().coordinates; beside > 0)
            s_.next.q.tail(beside) +=
                h * ((1 - theta) * state_.u.tail(beside) + theta * s_.next.u.tail(beside));
    }

    const MoreauJeanSettings& jean_;
    ForcesSettle settling_;
};

}  // namespace
}  // namespace carom::detail

namespace carom {

MoreauSettings midpoint_settings(const MoreauJeanSettings& settings)
{
    return {.time_step_s = settings.time_step_s,
            .activation_gap_m = settings.activation_gap_m,
            .correction = settings.correction,
            .max_overlap = settings.max_overlap};
}

StepReport moreau_jean_body_step(const BodyModel& model, const MoreauJeanSettings& settings,
                                 const SolverSettings& solver, State& state, BodyStepMemory& s)
{
    const MoreauSettings moreau = midpoint_settings(settings);
    StepReport report;
    report.h_s = settings.time_step_s;
    detail::MoreauJeanBodies system(model, settings, moreau, solver, state, s);
    take_step(system, state.t_s, solver, report);
    return report;
}

}  // namespace carom
