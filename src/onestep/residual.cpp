#include "carom/onestep/residual.hpp"

#include "carom/onestep/rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

/// Sums of squares that the errors are made of.
struct Norms {
    double F = 0, U_free = 0, P = 0, U = 0, restitution = 0;

    /// False where squares have overflowed: then no quotient of them means anything.
    [[nodiscard]] bool finite() const { return std::isfinite(F + U_free + P + U + restitution); }

    [[nodiscard]] double relative() const
    {
        // nothing moves and nothing acts: solved exactly, and 0 / 0 is not asked
        const double scale = std::max({U_free, P, U});
        return F > 0 ? std::sqrt(F / scale) : 0.0;
    }
    /// V of (OS-9): of the data alone, since velocities of wrong percussions are no measure
    [[nodiscard]] double velocities() const { return std::sqrt(U_free) + std::sqrt(restitution); }
};

double squared(std::span<const double> x)
{
    double sum = 0;
    for (const double value : x) {
        sum += value * value;
    }
    return sum;
}

bool is_rough(const Law& law)
{
    const auto* coulomb = std::get_if<Coulomb>(&law);
    return coulomb != nullptr && std::holds_alternative<FrictionRough>(coulomb->shape);
}

/// A rough contact is no inclusion with a closed set: where it pushes it does not slide; where it does not,
/// friction may only be against sliding, the limit of large mu (OS-6).
void rough_map(std::span<const double> P, std::span<const double> U, std::span<const double> s, double d,
               double lambda, std::span<double> F)
{
    F[0] = lambda * P[0] / d - std::max(0.0, lambda * P[0] / d - d * (U[0] + s[0]));
    double sliding2 = 0, against = 0;
    for (std::size_t k = 1; k < P.size(); ++k) {
        sliding2 += (U[k] + s[k]) * (U[k] + s[k]);
        against -= P[k] * (U[k] + s[k]);
    }
    const double part = sliding2 > 0 ? std::max(0.0, against) / sliding2 : 0.0;
    for (std::size_t k = 1; k < P.size(); ++k) {
        F[k] = P[0] > 0 ? d * (U[k] + s[k]) : lambda * (P[k] + part * (U[k] + s[k])) / d;
    }
}

/// A set of reactions that is no cone does not keep its size when P is scaled: the map is, afterwards.
void limited_map(const Law& law, std::span<const double> P, std::span<const double> U,
                 std::span<const double> s, double d, double lambda, std::span<double> F)
{
    const double rho = d * d / lambda;
    for (std::size_t k = 0; k < P.size(); ++k) {
        F[k] = P[k] - rho * (U[k] + s[k]);
    }
    project_on_set(law, F);
    for (std::size_t k = 0; k < P.size(); ++k) {
        F[k] = lambda * (P[k] - F[k]) / d;
    }
}

/// |F_c|^2 for U scaled by `d` and P by 1 / d, which keeps cones (OS-5); d = 1 is the raw data. lambda < 1
/// makes percussions that much smaller beside the velocities, which keeps what the law says (OS-9).
double natural_map_squared(const Law& law, std::span<const double> P, std::span<const double> U,
                           std::span<const double> s, double d, double lambda, std::span<double> F)
{
    const double by = lambda / d;
    if (std::holds_alternative<Unilateral>(law)) {
        const double y = by * P[0] - d * (U[0] + s[0]);
        F[0] = by * P[0] - (y > 0 ? y : 0.0);
        return F[0] * F[0];
    }
    if (is_rough(law)) {
        rough_map(P, U, s, d, lambda, F);
        return squared(F);
    }
    if (gives_way(law)) {
        limited_map(law, P, U, s, d, lambda, F);
        return squared(F);
    }
    for (std::size_t k = 0; k < P.size(); ++k) {
        F[k] = by * P[k] - d * (U[k] + s[k]);
    }
    project_on_set(law, F);
    for (std::size_t k = 0; k < P.size(); ++k) {
        F[k] = by * P[k] - F[k];
    }
    return squared(F);
}

/// d_c = (trace W_cc / dim)^(-1/2); a block without inertia is left as it is.
double scaling(const OneStepProblem& problem, int c)
{
    const auto W_cc = problem.W.diagonal(c);
    const int dimension = problem.W.dimension(c);
    double trace = 0;
    for (int k = 0; k < dimension; ++k) {
        trace += W_cc[static_cast<std::size_t>(k * dimension + k)];
    }
    return trace > 0 ? 1 / std::sqrt(trace / dimension) : 1.0;
}

/// |s_T|^2 of restitution.
double tangential_restitution_squared(const Law& law, std::span<const double> U_minus)
{
    const auto* coulomb = std::get_if<Coulomb>(&law);
    if (coulomb == nullptr || coulomb->tangential_restitution == 0) return 0;
    const double e_T = coulomb->tangential_restitution;
    return e_T * e_T * squared(U_minus.subspan(1));
}

void add_sizes(double U_free2, double P2, double U2, double s2, double d, Norms& raw, Norms& scaled)
{
    raw.U_free += U_free2;
    raw.P += P2;
    raw.U += U2;
    scaled.U_free += d * d * U_free2;
    scaled.P += P2 / (d * d);
    scaled.U += d * d * U2;
    scaled.restitution += d * d * s2;
}

double distance_to_set(const Law& law, std::span<const double> P, std::span<double> work)
{
    std::copy(P.begin(), P.end(), work.begin());
    project_on_set(law, work);
    double sum = 0;
    for (std::size_t k = 0; k < P.size(); ++k) {
        sum += (P[k] - work[k]) * (P[k] - work[k]);
    }
    return std::sqrt(sum);
}

bool all_finite(std::span<const double> x)
{
    return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

Residual not_finite()
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {.unit_free = infinity,
            .velocity = infinity,
            .siconos = infinity,
            .cone_violation_Ns = infinity,
            .approach_m_s = infinity,
            .worst = -1,
            .finite = false};
}

/// e_v (OS-9) above rounding (OS-13), once the shifts and the scaling are in the scratch.
double velocity_error(const OneStepProblem& problem, std::span<const double> P, std::span<const double> U,
                      double percussions, double velocities, ResidualScratch& scratch)
{
    double sum = 0;
    for (int c = 0; c < problem.interactions(); ++c) {
        const auto P_c = problem.part(P, c);
        const double d = scratch.d[c], size = std::sqrt(squared(P_c)) / d;
        const double lambda = size > velocities ? velocities / size : 1.0;
        sum += natural_map_squared(problem.laws[c], P_c, problem.part(U, c),
                                   problem.part(std::span<const double>(scratch.s), c), d, lambda,
                                   problem.part(std::span<double>(scratch.F), c));
    }
    return above_rounding(std::sqrt(sum), percussions, velocities) / velocities;
}

}  // namespace

Residual residual(const OneStepProblem& problem, std::span<const double> P, ResidualScratch& scratch)
{
    scratch.U.resize(static_cast<std::size_t>(problem.size()));
    local_velocity(problem, P, scratch.U);
    return residual_at(problem, P, scratch.U, scratch);
}

Residual residual_at(const OneStepProblem& problem, std::span<const double> P, std::span<const double> U,
                     ResidualScratch& scratch)
{
    const auto n = static_cast<std::size_t>(problem.size());
    scratch.s.resize(n);
    scratch.F.resize(n);

    // NaN first: maxima below would lose it
    if (!all_finite(P) || !all_finite(U)) return not_finite();

    Residual result;
    Norms raw, scaled;
    double worst = 0;
    scratch.d.resize(static_cast<std::size_t>(problem.interactions()));
    for (int c = 0; c < problem.interactions(); ++c) {
        const Law& law = problem.laws[c];
        const auto P_c = problem.part(P, c);
        const auto U_c = problem.part(U, c);
        const auto U_minus = problem.part(std::span<const double>(problem.U_minus), c);
        const auto s_c = problem.part(std::span<double>(scratch.s), c);
        const auto F_c = problem.part(std::span<double>(scratch.F), c);
        velocity_shift(law, U_minus, U_c, s_c);
        const double s_e = restitution(law) * std::min(U_minus[0], 0.0);
        const double d = scratch.d[c] = scaling(problem, c);
        add_sizes(squared(problem.part(std::span<const double>(problem.U_free), c)), squared(P_c),
                  squared(U_c), s_e * s_e + tangential_restitution_squared(law, U_minus), d, raw, scaled);
        raw.F += natural_map_squared(law, P_c, U_c, s_c, 1.0, 1.0, F_c);
        const double part = natural_map_squared(law, P_c, U_c, s_c, d, 1.0, F_c);
        scaled.F += part;
        if (part > worst) {
            worst = part;
            result.worst = c;
        }
        result.cone_violation_Ns = std::max(result.cone_violation_Ns, distance_to_set(law, P_c, F_c));
        if (is_unilateral(law)) result.approach_m_s = std::max(result.approach_m_s, -(U_c[0] + s_e));
    }
    if (!raw.finite() || !scaled.finite()) return not_finite();
    result.siconos = raw.relative();
    result.unit_free = scaled.relative();
    // where nothing would move at all only percussions can be wrong, and e_d says so
    const double velocities = scaled.velocities();
    if (!(velocities > 0)) return result;

    // |F^v| <= |F|, which percussions round: where both are small it need not be known better
    constexpr double small_enough = 1e-12, epsilon = std::numeric_limits<double>::epsilon();
    const double F = std::sqrt(scaled.F), percussions = std::sqrt(scaled.P);
    result.velocity = F + epsilon * percussions <= small_enough * velocities
                          ? F / velocities
                          : velocity_error(problem, P, U, percussions, velocities, scratch);
    return std::isfinite(result.velocity) ? result : not_finite();
}

std::string shortfall(const Residual& residual, double tolerance)
{
    if (!residual.finite) return "percussions or velocities are not finite";
    const auto too_large = [](const char* name, double error, double asked) {
        return error > asked ? fmt::format("the {} error is {:.2e}, {:.2g} was asked for", name, error, asked)
                             : std::string();
    };
    std::string text = too_large("unit-free", residual.unit_free, tolerance);
    const std::string of_velocities =
        too_large("velocity", residual.velocity, velocity_tolerances * tolerance);
    if (!text.empty() && !of_velocities.empty()) text += "; ";
    return text + of_velocities;
}

Residual residual(const OneStepProblem& problem, std::span<const double> P)
{
    ResidualScratch scratch;
    return residual(problem, P, scratch);
}

}  // namespace carom
