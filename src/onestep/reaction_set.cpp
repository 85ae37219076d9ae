#include "reaction_set.hpp"

#include "carom/convex/convex_set.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// sup { -x v : low <= x <= high }; zero where that is infinite.
double support_of_interval(double low, double high, double v)
{
    const double bound = v > 0 ? low : high;
    return v != 0 && std::isfinite(bound) ? -bound * v : 0.0;
}

/// sup { -x.V : x in C } of a set that gives way; zero where that is infinite.
double support_of_set(const Law& law, const Components& V)
{
    if (const auto* limited = std::get_if<Limited>(&law))
        return support_of_interval(limited->low, limited->high, V[0]);
    const auto& non_firm = std::get<NonFirm>(law);
    const double support = non_firm.set->support(Eigen::VectorXd(-V));
    return std::isfinite(support) ? non_firm.size * support : 0.0;
}

/// mu |V_T| + rho |V_R| + sigma |V_S| (FR-4).
double resistance(const Resisting& law, const Components& V)
{
    if (law.flat) return law.friction * std::abs(V[1]) + law.rolling * std::abs(V[2]);
    return law.friction * V.segment(1, 2).norm() + law.rolling * V.segment(3, 2).norm() +
           law.spinning * std::abs(V[5]);
}

}  // namespace

ReactionSet ReactionSet::of(const OneStepProblem& problem, int c)
{
    const Law& law = problem.laws[static_cast<std::size_t>(c)];
    ReactionSet set;
    set.law = &law;
    set.dimension = problem.W.dimension(c);
    set.restitution_shift.setZero(set.dimension);
    set.is_free = std::holds_alternative<Bilateral>(law);
    if (set.is_free || gives_way(law)) return set;

    // shifts of restitution: e min(U_N^-, 0) and e_T U_T^-
    const Components U_minus = components(problem.part(std::span<const double>(problem.U_minus), c));
    const auto* coulomb = std::get_if<Coulomb>(&law);
    if (coulomb != nullptr) set.restitution_shift = coulomb->tangential_restitution * U_minus;
    set.restitution_shift[0] = restitution(law) * std::min(U_minus[0], 0.0);
    set.is_isotropic = std::holds_alternative<Unilateral>(law);
    if (coulomb == nullptr) return set;
    set.mu = coulomb->friction;
    const auto* interval = std::get_if<FrictionInterval>(&coulomb->shape);
    set.is_rough = std::holds_alternative<FrictionRough>(coulomb->shape);
    set.is_isotropic = std::holds_alternative<FrictionDisc>(coulomb->shape) ||
                       (interval != nullptr && interval->low == -1 && interval->high == 1);
    return set;
}

Components ReactionSet::projection(const Components& x) const
{
    if (is_free) return x;
    if (!is_isotropic) {
        Components y = x;
        project_on_set(*law, {y.data(), static_cast<std::size_t>(dimension)});
        return y;
    }
    const double x_T = x.tail(dimension - 1).norm();
    if (x[0] >= 0 && x_T <= mu * x[0]) return x;
    if (mu * x_T <= -x[0]) return Components::Zero(dimension);
    // on the generator through x_T; x_T > 0, or one of the cases above holds
    const double n = (x[0] + mu * x_T) / (1 + mu * mu);
    Components y = mu * n / x_T * x;
    y[0] = n;
    return y;
}

Components ReactionSet::natural_map(const Components& P, const Components& V, double d, double lambda) const
{
    const double rho = d * d / lambda;
    Components F = lambda / d * (P - projection(P - rho * with_friction_shift(V)));
    if (!is_rough || dimension == 1) return F;
    // where it pushes it does not slide; where it does not, friction may only be against sliding (OS-6)
    const auto P_T = P.tail(dimension - 1), V_T = V.tail(dimension - 1);
    const double sliding2 = V_T.squaredNorm();
    const double against = sliding2 > 0 ? std::max(0.0, -P_T.dot(V_T)) / sliding2 : 0.0;
    if (P[0] > 0)
        F.tail(dimension - 1) = d * V_T;
    else
        F.tail(dimension - 1) = lambda / d * (P_T + against * V_T);
    return F;
}

Components ReactionSet::with_friction_shift(const Components& V) const
{
    Components shifted = V;
    if (pushes() && dimension > 1) shifted[0] += dissipation(Components::Unit(dimension, 0), V);
    return shifted;
}

double ReactionSet::outside(const Components& P) const
{
    if (is_free) return 0;
    if (is_isotropic) return P.tail(dimension - 1).norm() - mu * P[0];
    return (P - projection(P)).norm();
}

double ReactionSet::dissipation(const Components& P, const Components& V) const
{
    if (is_free) return 0;
    if (gives_way(*law)) return support_of_set(*law, V);
    if (dimension == 1 || is_rough) return 0;
    if (is_isotropic) return mu * P[0] * V.tail(dimension - 1).norm();
    if (const auto* resisting = std::get_if<Resisting>(law)) return P[0] * resistance(*resisting, V);
    const Components against = -V.tail(dimension - 1);
    return mu * P[0] *
           support(std::get<Coulomb>(*law).shape, {against.data(), static_cast<std::size_t>(dimension - 1)});
}

Components components(std::span<const double> block)
{
    return Eigen::Map<const Eigen::VectorXd>(block.data(), std::ssize(block));
}

double scaling(const OneStepProblem& problem, int c)
{
    const auto W_cc = problem.W.diagonal(c);
    const auto d = static_cast<std::size_t>(problem.W.dimension(c));
    double trace = 0;
    for (std::size_t k = 0; k < d; ++k) {
        trace += W_cc[k * d + k];
    }
    return trace > 0 ? std::sqrt(static_cast<double>(d) / trace) : 1.0;
}

}  // namespace carom::detail
