#include "carom/onestep/solution_check.hpp"

#include "reaction_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace carom {
namespace {

using detail::Components;
using detail::ReactionSet;

/// Sums of squares of the two errors.
struct Squares {
    double F = 0, U_free = 0, P = 0, U = 0;

    [[nodiscard]] double error() const { return F > 0 ? std::sqrt(F / std::max({U_free, P, U})) : 0.0; }
};

/// |F_c|^2 and the squares it is measured against, for velocities scaled by d and percussions by 1 / d.
double add_to(Squares& sum, const ReactionSet& set, const Components& P, const Components& U,
              const Components& U_free, double d)
{
    const double F2 = set.natural_map(P, U + set.restitution_shift, d).squaredNorm();
    sum.F += F2;
    sum.P += P.squaredNorm() / (d * d);
    sum.U += d * d * U.squaredNorm();
    sum.U_free += d * d * U_free.squaredNorm();
    return F2;
}

/// Percussion and velocity, with the shift of restitution, of one interaction, and its scaling.
struct Pair {
    ReactionSet set;
    Components P, V;
    double d;
};

/// (OS-9): percussions longer than the velocities of the problem are made as long as these. What their
/// rounding makes of velocities is taken off (OS-13).
double velocity_error(const std::vector<Pair>& pairs, double velocities)
{
    if (!(velocities > 0)) return 0;
    double sum = 0, percussions2 = 0;
    for (const Pair& pair : pairs) {
        const double p = pair.P.norm() / pair.d;
        percussions2 += p * p;
        sum += pair.set.natural_map(pair.P, pair.V, pair.d, std::min(1.0, velocities / p)).squaredNorm();
    }
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const double rounding = 4 * epsilon * std::sqrt(percussions2) / velocities;
    return std::max(0.0, std::sqrt(sum) / velocities - (rounding <= 1e-6 ? rounding : 0.0));
}

/// The fewest interactions that hold 90 % of the sum.
std::vector<ResidualCarrier> carriers_of(std::span<const double> parts)
{
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    std::vector<ResidualCarrier> all;
    if (!(sum > 0)) return all;
    for (std::size_t c = 0; c < parts.size(); ++c) {
        all.push_back({static_cast<int>(c), parts[c] / sum});
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
    double held = 0;
    std::size_t count = 0;
    while (count < all.size() && held < 0.9) {
        held += all[count++].share;
    }
    all.resize(count);
    return all;
}

SolutionCheck not_finite()
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {.finite = false,
            .unit_free = infinity,
            .velocity = infinity,
            .siconos = infinity,
            .cone_violation_Ns = infinity,
            .penetration_m_s = infinity,
            .joint_speed_m_s = infinity,
            .gap_J = infinity,
            .carriers = {}};
}

}  // namespace

SolutionCheck check_solution(const OneStepProblem& problem, std::span<const double> P)
{
    std::vector<double> U(static_cast<std::size_t>(problem.size()));
    local_velocity(problem, P, U);
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (!std::all_of(P.begin(), P.end(), is_finite) || !std::all_of(U.begin(), U.end(), is_finite)) {
        return not_finite();
    }

    SolutionCheck check;
    Squares raw, scaled;
    std::vector<double> parts;
    std::vector<Pair> pairs;
    double restitution2 = 0;
    for (int c = 0; c < problem.interactions(); ++c) {
        const ReactionSet set = ReactionSet::of(problem, c);
        const Components P_c = detail::components(problem.part(P, c));
        const Components U_free =
            detail::components(problem.part(std::span<const double>(problem.U_free), c));
        const Components U_c = detail::components(problem.part(std::span<const double>(U), c));
        const Components V = U_c + set.restitution_shift;

        // errors
        static_cast<void>(add_to(raw, set, P_c, U_c, U_free, 1.0));
        const double d = detail::scaling(problem, c);
        parts.push_back(add_to(scaled, set, P_c, U_c, U_free, d));
        pairs.push_back({set, P_c, V, d});
        restitution2 += d * d * set.restitution_shift.squaredNorm();

        // what the law forbids, in its own units
        if (set.is_free) check.joint_speed_m_s = std::max(check.joint_speed_m_s, V.cwiseAbs().maxCoeff());
        check.cone_violation_Ns = std::max(check.cone_violation_Ns, set.outside(P_c));
        if (set.pushes()) {
            check.cone_violation_Ns = std::max(check.cone_violation_Ns, -P_c[0]);
            check.penetration_m_s = std::max(check.penetration_m_s, -V[0]);
        }
        check.gap_J += std::abs(P_c.dot(V) + set.dissipation(P_c, V));
    }
    check.siconos = raw.error();
    check.unit_free = scaled.error();
    check.velocity = velocity_error(pairs, std::sqrt(scaled.U_free) + std::sqrt(restitution2));
    check.carriers = carriers_of(parts);
    return check;
}

}  // namespace carom
