#include "carom/onestep/solution_check.hpp"

#include "isotropic_cone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace carom {
namespace {

using detail::Cone;

/// Sums of squares of the two errors.
struct Squares {
    double F = 0, U_free = 0, P = 0, U = 0;

    [[nodiscard]] double error() const { return F > 0 ? std::sqrt(F / std::max({U_free, P, U})) : 0.0; }
};

/// |F_c|^2 and the squares it is measured against, for velocities scaled by d and percussions by 1 / d.
double add_to(Squares& sum, const Cone& cone, const Eigen::Vector3d& P, const Eigen::Vector3d& U,
              const Eigen::Vector3d& U_free, double d)
{
    const Eigen::Vector3d p = P / d, u = d * U;
    const Eigen::Vector3d F =
        p - cone.projection(p - d * cone.with_friction_shift(U + cone.restitution_shift));
    sum.F += F.squaredNorm();
    sum.P += p.squaredNorm();
    sum.U += u.squaredNorm();
    sum.U_free += d * d * U_free.squaredNorm();
    return F.squaredNorm();
}

/// Percussion and velocity, with its shifts, of one interaction after the scaling.
struct ScaledPair {
    Cone cone;
    Eigen::Vector3d p, v;
};

/// (OS-9): percussions longer than the velocities of the problem are made as long as these. What their
/// rounding makes of velocities is taken off (OS-13).
double velocity_error(const std::vector<ScaledPair>& pairs, double velocities)
{
    if (!(velocities > 0)) return 0;
    double sum = 0, percussions2 = 0;
    for (const ScaledPair& pair : pairs) {
        percussions2 += pair.p.squaredNorm();
        const double part = std::min(1.0, velocities / pair.p.norm());
        const bool is_cone = !gives_way(*pair.cone.law);
        const Eigen::Vector3d F =
            is_cone ? Eigen::Vector3d(part * pair.p - pair.cone.projection(part * pair.p - pair.v))
                    : Eigen::Vector3d(part * (pair.p - pair.cone.projection(pair.p - pair.v / part)));
        sum += F.squaredNorm();
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
    std::vector<ScaledPair> pairs;
    double restitution2 = 0;
    for (int c = 0; c < problem.interactions(); ++c) {
        const Cone cone = Cone::of(problem, c);
        const Eigen::Vector3d P_c = detail::padded(problem.part(P, c));
        const Eigen::Vector3d U_free =
            detail::padded(problem.part(std::span<const double>(problem.U_free), c));
        const Eigen::Vector3d U_c = detail::padded(problem.part(std::span<const double>(U), c));

        // errors
        static_cast<void>(add_to(raw, cone, P_c, U_c, U_free, 1.0));
        const double d = detail::scaling(problem, c);
        parts.push_back(add_to(scaled, cone, P_c, U_c, U_free, d));
        pairs.push_back({cone, P_c / d, d * cone.with_friction_shift(U_c + cone.restitution_shift)});
        restitution2 += d * d * cone.restitution_shift.squaredNorm();

        // what the law forbids, in its own units
        const Eigen::Vector3d V = U_c + cone.restitution_shift;
        if (cone.is_free) {
            check.joint_speed_m_s = std::max(check.joint_speed_m_s, V.cwiseAbs().maxCoeff());
        } else {
            check.cone_violation_Ns = std::max({check.cone_violation_Ns, -P_c[0], cone.outside(P_c)});
            check.penetration_m_s = std::max(check.penetration_m_s, -V[0]);
        }
        check.gap_J += std::abs(P_c.dot(V) + cone.dissipation(P_c, V));
    }
    check.siconos = raw.error();
    check.unit_free = scaled.error();
    check.velocity = velocity_error(pairs, std::sqrt(scaled.U_free) + std::sqrt(restitution2));
    check.carriers = carriers_of(parts);
    return check;
}

}  // namespace carom
