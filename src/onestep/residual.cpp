#include "carom/onestep/residual.hpp"

#include "core/parallel.hpp"
#include "law/circular_cone.hpp"
#include "onestep/disc_errors.hpp"
#include "onestep/factored_operator.hpp"
#include "onestep/residual_shares.hpp"
#include "onestep/rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace carom {
namespace {

/// Interactions whose sums are formed apart, possibly by different threads.
constexpr std::size_t in_block = 1024;

/// Sums of squares that the errors are made of.
struct Norms {
    double F = 0, U_free = 0, P = 0, U = 0, restitution = 0;

    Norms& operator+=(const Norms& other) noexcept
    {
        F += other.F;
        U_free += other.U_free;
        P += other.P;
        U += other.U;
        restitution += other.restitution;
        return *this;
    }

    /// False where squares have overflowed: then no quotient of them means anything.
    [[nodiscard]] bool finite() const { return std::isfinite(F + U_free + P + U + restitution); }

    /// Of F, an error or a share of it. Where nothing moves and nothing acts 0 / 0 is not asked: solved
    /// exactly.
    [[nodiscard]] double relative(double squared_F) const
    {
        return squared_F > 0 ? std::sqrt(squared_F / std::max({U_free, P, U})) : 0.0;
    }
    [[nodiscard]] double relative() const { return relative(F); }
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
    if (const auto* coulomb = std::get_if<Coulomb>(&law);
        coulomb != nullptr && std::holds_alternative<FrictionDisc>(coulomb->shape)) {
        std::array<double, 3> y{};
        for (std::size_t k = 0; k < 3; ++k) {
            y[k] = by * P[k] - d * (U[k] + s[k]);
        }
        detail::project_on_circular_cone(coulomb->friction, y);
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            F[k] = by * P[k] - y[k];
            sum += F[k] * F[k];
        }
        return sum;
    }
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
    const auto count = static_cast<std::size_t>(problem.interactions());
    const double sum = sum_of_shared_blocks<double>(count, in_block, [&](std::size_t begin, std::size_t end) {
        double part = 0;
        for (int c = static_cast<int>(begin); c < static_cast<int>(end); ++c) {
            if (c + 4 <= static_cast<int>(end) && detail::are_discs(problem, c)) {
                for (const double of_one :
                     detail::velocity_errors2(problem, c, P, U, scratch.s, scratch.d, velocities)) {
                    part += of_one;
                }
                c += 3;
                continue;
            }
            const auto P_c = problem.part(P, c);
            const double d = scratch.d[c], size = std::sqrt(squared(P_c)) / d;
            const double lambda = size > velocities ? velocities / size : 1.0;
            part += natural_map_squared(problem.laws[c], P_c, problem.part(U, c),
                                        problem.part(std::span<const double>(scratch.s), c), d, lambda,
                                        problem.part(std::span<double>(scratch.F), c));
        }
        return part;
    });
    return above_rounding(std::sqrt(sum), percussions, velocities) / velocities;
}

/// Sums and maxima over the interactions.
struct Sums {
    Norms raw, scaled;
    double worst = 0;
    Residual result;
    std::vector<double>* parts = nullptr;  ///< where those of all interactions are wanted

    void see(int c, double part)
    {
        scaled.F += part;
        if (parts != nullptr) parts->push_back(part);
        if (!(part > worst)) return;
        worst = part;
        result.worst = c;
    }

    /// Those of later interactions; `parts` are left where they are.
    Sums& operator+=(const Sums& later) noexcept
    {
        raw += later.raw;
        scaled += later.scaled;
        if (later.worst > worst) {
            worst = later.worst;
            result.worst = later.result.worst;
        }
        result.cone_violation_Ns = std::max(result.cone_violation_Ns, later.result.cone_violation_Ns);
        result.approach_m_s = std::max(result.approach_m_s, later.result.approach_m_s);
        return *this;
    }
};

/// An interaction of one component: all is one number. `outside`: distance of P from its set; F(d): the
/// natural map for U scaled by d.
template <class NaturalMap>
void add_number(const OneStepProblem& problem, int c, double P, double U, double s, double outside,
                NaturalMap F, ResidualScratch& scratch, Sums& sums)
{
    const auto row = static_cast<std::size_t>(problem.offsets[c]);
    const double W = problem.W.diagonal(c)[0], d = W > 0 ? 1 / std::sqrt(W) : 1.0;
    const double U_free = problem.U_free[row];
    scratch.s[row] = s;
    scratch.d[static_cast<std::size_t>(c)] = d;
    add_sizes(U_free * U_free, P * P, U * U, s * s, d, sums.raw, sums.scaled);
    const double raw = F(1.0), scaled = F(d);
    sums.raw.F += raw * raw;
    sums.see(c, scaled * scaled);
    sums.result.cone_violation_Ns = std::max(sums.result.cone_violation_Ns, outside);
}

/// The laws of one component; false for others.
bool add_if_number(const OneStepProblem& problem, std::span<const double> all_P,
                   std::span<const double> all_U, int c, ResidualScratch& scratch, Sums& sums)
{
    const Law& law = problem.laws[c];
    const auto row = static_cast<std::size_t>(problem.offsets[c]);
    const double P = all_P[row], U = all_U[row];
    if (const auto* unilateral = std::get_if<Unilateral>(&law)) {
        const double s = unilateral->restitution * std::min(problem.U_minus[row], 0.0);
        const auto F = [=](double d) {
            const double by = 1.0 / d, y = by * P - d * (U + s);
            return by * P - (y > 0 ? y : 0.0);
        };
        add_number(problem, c, P, U, s, P > 0 ? 0.0 : std::abs(P), F, scratch, sums);
        sums.result.approach_m_s = std::max(sums.result.approach_m_s, -(U + s));
        return true;
    }
    if (std::holds_alternative<Bilateral>(law)) {
        const auto F = [=](double d) {
            const double by = 1.0 / d, y = by * P - d * U;
            return by * P - y;
        };
        add_number(problem, c, P, U, 0.0, 0.0, F, scratch, sums);
        return true;
    }
    if (const auto* limited = std::get_if<Limited>(&law)) {
        const auto nearest = [=](double x) { return std::clamp(x, limited->low, limited->high); };
        const auto F = [=](double d) { return (P - nearest(P - d * d * U)) / d; };
        add_number(problem, c, P, U, 0.0, std::abs(P - nearest(P)), F, scratch, sums);
        return true;
    }
    return false;
}

/// A contact with friction in the plane or, isotropic, in space: D components.
template <std::size_t D>
void add_friction(const OneStepProblem& problem, const Coulomb& law, std::span<const double> all_P,
                  std::span<const double> all_U, int c, ResidualScratch& scratch, Sums& sums)
{
    const auto row = static_cast<std::size_t>(problem.offsets[c]);
    const std::span<const double, D> P(all_P.data() + row, D), U(all_U.data() + row, D),
        U_minus(problem.U_minus.data() + row, D), U_free(problem.U_free.data() + row, D);
    const std::span<double, D> s(scratch.s.data() + row, D);
    const double s_e = law.restitution * std::min(U_minus[0], 0.0);
    if constexpr (D == 3) {
        // of the disc: mu |U_T + s_T|
        s[1] = law.tangential_restitution * U_minus[1];
        s[2] = law.tangential_restitution * U_minus[2];
        const double t1 = -(U[1] + s[1]), t2 = -(U[2] + s[2]);
        s[0] = s_e + law.friction * std::sqrt(t1 * t1 + t2 * t2);
    } else {
        velocity_shift(problem.laws[c], U_minus, U, s);
    }
    const double d_c = scratch.d[static_cast<std::size_t>(c)] = scaling(problem, c);
    add_sizes(squared(U_free), squared(P), squared(U),
              s_e * s_e + tangential_restitution_squared(problem.laws[c], U_minus), d_c, sums.raw,
              sums.scaled);
    std::array<double, D> y{};
    const auto from_projection_squared = [&](double by) {
        if constexpr (D == 3) {
            detail::project_on_circular_cone(law.friction, y);
        } else {
            project_on_friction_cone(law.shape, law.friction, y);
        }
        double sum = 0;
        for (std::size_t k = 0; k < D; ++k) {
            const double F = by * P[k] - y[k];
            sum += F * F;
        }
        return sum;
    };
    const auto natural_map = [&](double d) {
        const double by = 1.0 / d;
        for (std::size_t k = 0; k < D; ++k) {
            y[k] = by * P[k] - d * (U[k] + s[k]);
        }
        return from_projection_squared(by);
    };
    sums.raw.F += natural_map(1.0);
    sums.see(c, natural_map(d_c));
    std::copy(P.begin(), P.end(), y.begin());
    Residual& result = sums.result;
    result.cone_violation_Ns = std::max(result.cone_violation_Ns, std::sqrt(from_projection_squared(1.0)));
    result.approach_m_s = std::max(result.approach_m_s, -(U[0] + s_e));
}

/// Four contacts with isotropic friction in space, one after the other: as add_friction has them.
void add_four(const OneStepProblem& problem, std::span<const double> P, std::span<const double> U, int first,
              ResidualScratch& scratch, Sums& sums)
{
    detail::DiscErrors four;
    detail::measure_discs(problem, first, P, U, four);
    Residual& result = sums.result;
    for (std::size_t k = 0; k < 4; ++k) {
        const auto c = static_cast<std::size_t>(first) + k;
        const auto row = static_cast<std::size_t>(problem.offsets[c]);
        for (std::size_t i = 0; i < 3; ++i) {
            scratch.s[row + i] = four.s[i][k];
        }
        scratch.d[c] = four.d[k];
        sums.raw += {.F = four.raw[k], .U_free = four.U_free2[k], .P = four.P2[k], .U = four.U2[k]};
        sums.scaled += {.U_free = four.scaled_U_free2[k],
                        .P = four.scaled_P2[k],
                        .U = four.scaled_U2[k],
                        .restitution = four.scaled_s2[k]};
        sums.see(static_cast<int>(c), four.scaled[k]);
        result.cone_violation_Ns = std::max(result.cone_violation_Ns, four.outside[k]);
        result.approach_m_s = std::max(result.approach_m_s, four.approach[k]);
    }
}

/// The usual laws of contacts with friction; false for others.
bool add_if_friction(const OneStepProblem& problem, std::span<const double> P, std::span<const double> U,
                     int c, ResidualScratch& scratch, Sums& sums)
{
    const auto* coulomb = std::get_if<Coulomb>(&problem.laws[c]);
    if (coulomb == nullptr) return false;
    if (std::holds_alternative<FrictionDisc>(coulomb->shape)) {
        add_friction<3>(problem, *coulomb, P, U, c, scratch, sums);
        return true;
    }
    if (std::holds_alternative<FrictionInterval>(coulomb->shape)) {
        add_friction<2>(problem, *coulomb, P, U, c, scratch, sums);
        return true;
    }
    return false;
}

void add_interaction(const OneStepProblem& problem, std::span<const double> P, std::span<const double> U,
                     int c, ResidualScratch& scratch, Sums& sums)
{
    const Law& law = problem.laws[c];
    const auto P_c = problem.part(P, c);
    const auto U_c = problem.part(U, c);
    const auto U_minus = problem.part(std::span<const double>(problem.U_minus), c);
    const auto s_c = problem.part(std::span<double>(scratch.s), c);
    const auto F_c = problem.part(std::span<double>(scratch.F), c);
    velocity_shift(law, U_minus, U_c, s_c);
    const double s_e = restitution(law) * std::min(U_minus[0], 0.0);
    const double d = scratch.d[c] = scaling(problem, c);
    add_sizes(squared(problem.part(std::span<const double>(problem.U_free), c)), squared(P_c), squared(U_c),
              s_e * s_e + tangential_restitution_squared(law, U_minus), d, sums.raw, sums.scaled);
    sums.raw.F += natural_map_squared(law, P_c, U_c, s_c, 1.0, 1.0, F_c);
    sums.see(c, natural_map_squared(law, P_c, U_c, s_c, d, 1.0, F_c));
    Residual& result = sums.result;
    result.cone_violation_Ns = std::max(result.cone_violation_Ns, distance_to_set(law, P_c, F_c));
    if (is_unilateral(law)) result.approach_m_s = std::max(result.approach_m_s, -(U_c[0] + s_e));
}

}  // namespace

Residual residual(const OneStepProblem& problem, std::span<const double> P, ResidualScratch& scratch)
{
    scratch.U.resize(static_cast<std::size_t>(problem.size()));
    if (problem.is_assembled())
        local_velocity(problem, P, scratch.U);
    else
        detail::velocities_by_factors(problem, P, scratch.blocks, scratch.U);
    // who asks for all of the scratch is not served by shares of it
    const OwnWork own;
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

    const auto count = static_cast<std::size_t>(problem.interactions());
    scratch.d.resize(count);
    Sums sums = sum_of_shared_blocks<Sums>(count, in_block, [&](std::size_t begin, std::size_t end) {
        Sums part;
        for (int c = static_cast<int>(begin); c < static_cast<int>(end); ++c) {
            if (c + 4 <= static_cast<int>(end) && detail::are_discs(problem, c)) {
                add_four(problem, P, U, c, scratch, part);
                c += 3;
                continue;
            }
            if (!add_if_number(problem, P, U, c, scratch, part) &&
                !add_if_friction(problem, P, U, c, scratch, part))
                add_interaction(problem, P, U, c, scratch, part);
        }
        return part;
    });
    auto& [raw, scaled, worst, result, parts] = sums;
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

void residual_shares(const OneStepProblem& problem, std::span<const double> P, std::span<const double> U,
                     ResidualScratch& scratch, std::vector<double>& shares)
{
    shares.clear();
    if (!all_finite(P) || !all_finite(U)) return;
    scratch.s.resize(static_cast<std::size_t>(problem.size()));
    scratch.F.resize(static_cast<std::size_t>(problem.size()));
    scratch.d.resize(static_cast<std::size_t>(problem.interactions()));
    Sums sums;
    sums.parts = &shares;
    for (int c = 0; c < problem.interactions(); ++c) {
        if (!add_if_number(problem, P, U, c, scratch, sums)) add_interaction(problem, P, U, c, scratch, sums);
    }
    if (!sums.scaled.finite()) return shares.clear();
    for (double& share : shares)
        share = sums.scaled.relative(share);
}

std::string shortfall(const Residual& residual, double tolerance)
{
    if (!residual.finite) return "percussions or velocities are not finite";
    const auto too_large = [](const char* name, double error, double asked) {
        return error > asked ? fmt::format("the {} error is {:.2e}, the limit is {:.2g}", name, error, asked)
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
