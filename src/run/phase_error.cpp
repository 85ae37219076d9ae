#include "phase_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace carom {
namespace {

/// A motion with less than this part of the energies of the run is next to rest: its phase is rounding.
constexpr double at_rest = 1e-9;

/// What a step adds where it turns the velocity by this part of the energy.
double phase_of(double part)
{
    return std::sqrt(part * std::sqrt(part)) / 12;
}

}  // namespace

bool second_change(const Eigen::VectorXd& before, const Eigen::VectorXd& after, bool smooth,
                   PhaseError& phase)
{
    auto& change = phase.velocity_change;
    if (!smooth) {
        change.clear();
        return false;
    }
    const auto n = static_cast<std::size_t>(after.size());
    const bool follows = change.size() == n;
    change.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        change[i] = after[k] - before[k] - (follows ? change[i] : 0.0);
    }
    return follows;
}

void keep_change(const Eigen::VectorXd& before, const Eigen::VectorXd& after, PhaseError& phase)
{
    for (std::size_t i = 0; i < phase.velocity_change.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        phase.velocity_change[i] = after[k] - before[k];
    }
}

double phase_of_step(double turned_J, const PhaseScale& scale)
{
    if (!(turned_J > 0) || !(scale.kinetic_J > at_rest * scale.run_J)) return 0;
    return phase_of(turned_J / scale.kinetic_J);
}

void note_phase(const Eigen::VectorXd& before, const Eigen::VectorXd& after, bool smooth, const MassMatrix& A,
                const PhaseScale& scale, PhaseError& phase)
{
    if (second_change(before, after, smooth, phase))
        phase.sum_rad += phase_of_step(A.squared_norm(phase.velocity_change) / 2, scale);
    keep_change(before, after, phase);
}

void note_phases(const BodyModel& model, const State& before, const State& after,
                 std::span<const Event> events, double run_J, std::vector<BodyPhase>& phases)
{
    constexpr double fades = 0.99;
    for (std::size_t k = 0; k < phases.size(); ++k) {
        if (model.inverse_mass[k] == 0) continue;
        BodyPhase& phase = phases[k];
        const auto energy_J = [&](const Vec3& v, const Vec3& W) {
            return (model.mass[k] * v.squaredNorm() + W.dot(model.inertia[k] * W)) / 2;
        };
        phase.recent_J = std::max(fades * phase.recent_J, energy_J(after.v[k], after.W[k]));
        const auto body = static_cast<int>(k);
        const bool jumps = std::ranges::any_of(events, [&](const Event& event) {
            return event.first < 0 || event.first == body || event.second == body;
        });
        const bool follows = phase.follows != 0 && !jumps;
        phase.follows = jumps ? 0 : 1;
        const Vec3 dv = after.v[k] - before.v[k], dW = after.W[k] - before.W[k];
        auto& change = phase.velocity_change;
        const Vec3 turned_v = dv - Vec3(change[0], change[1], change[2]),
                   turned_W = dW - Vec3(change[3], change[4], change[5]);
        change = {dv[0], dv[1], dv[2], dW[0], dW[1], dW[2]};
        if (follows && phase.recent_J > at_rest * run_J)
            phase.sum_rad += phase_of(energy_J(turned_v, turned_W) / phase.recent_J);
    }
}

}  // namespace carom
