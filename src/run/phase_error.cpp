#include "phase_error.hpp"

#include <cmath>
#include <cstddef>

namespace carom {
namespace {

/// A motion with less than this part of the energies of the run is next to rest: its phase is rounding.
constexpr double at_rest = 1e-9;

}  // namespace

void note_phase(const Eigen::VectorXd& before, const Eigen::VectorXd& after, bool smooth, const MassMatrix& A,
                const PhaseScale& scale, PhaseError& phase)
{
    auto& change = phase.velocity_change;
    if (!smooth) return change.clear();
    const auto n = static_cast<std::size_t>(after.size());
    const bool follows = change.size() == n;
    change.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        change[i] = after[k] - before[k] - (follows ? change[i] : 0.0);
    }
    // `change` is u_{n+1} - 2 u_n + u_{n-1} here: of cos(w t) it is about (h w)^2 times the velocity
    const double turned_J = follows ? A.squared_norm(change) / 2 : 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        change[i] = after[k] - before[k];
    }
    if (!(turned_J > 0) || !(scale.kinetic_J > at_rest * scale.run_J)) return;
    const double part = turned_J / scale.kinetic_J;
    phase.sum_rad += std::sqrt(part * std::sqrt(part)) / 12;
}

}  // namespace carom
