#include "isotropic_cone.hpp"

#include <cmath>

namespace carom::detail {

Cone Cone::of(const OneStepProblem& problem, int c)
{
    const Law& law = problem.laws[static_cast<std::size_t>(c)];
    Cone cone;
    cone.law = &law;
    cone.dimension = problem.W.dimension(c);
    cone.is_free = std::holds_alternative<Bilateral>(law);
    if (cone.is_free) return cone;

    // shifts of restitution: e min(U_N^-, 0) and e_T U_T^-
    const Eigen::Vector3d U_minus = padded(problem.part(std::span<const double>(problem.U_minus), c));
    if (const auto* unilateral = std::get_if<Unilateral>(&law)) {
        cone.restitution_shift[0] = unilateral->restitution * std::min(U_minus[0], 0.0);
        return cone;
    }
    const auto* coulomb_law = std::get_if<Coulomb>(&law);
    cone.is_isotropic = false;
    if (coulomb_law == nullptr) return cone;  // a set of reactions, by its projection
    const auto& coulomb = *coulomb_law;
    cone.restitution_shift = coulomb.tangential_restitution * U_minus;
    cone.restitution_shift[0] = coulomb.restitution * std::min(U_minus[0], 0.0);
    cone.mu = coulomb.friction;
    const auto* interval = std::get_if<FrictionInterval>(&coulomb.shape);
    cone.is_isotropic = std::holds_alternative<FrictionDisc>(coulomb.shape) ||
                        (interval != nullptr && interval->low == -1 && interval->high == 1);
    return cone;
}

Eigen::Vector3d Cone::projection(const Eigen::Vector3d& x) const
{
    if (is_free) return x;
    if (!is_isotropic) {
        Eigen::Vector3d y = x;
        project_on_set(*law, {y.data(), static_cast<std::size_t>(dimension)});
        return y;
    }
    const double x_T = std::hypot(x[1], x[2]);
    if (x[0] >= 0 && x_T <= mu * x[0]) return x;
    if (mu * x_T <= -x[0]) return Eigen::Vector3d::Zero();
    // on the generator through x_T; x_T > 0, or one of the cases above holds
    const double n = (x[0] + mu * x_T) / (1 + mu * mu);
    return {n, mu * n * x[1] / x_T, mu * n * x[2] / x_T};
}

Eigen::Vector3d Cone::with_friction_shift(const Eigen::Vector3d& V) const
{
    Eigen::Vector3d shifted = V;
    if (is_free || dimension == 1) return shifted;
    shifted[0] += dissipation(Eigen::Vector3d::UnitX(), V);
    return shifted;
}

double Cone::outside(const Eigen::Vector3d& P) const
{
    if (is_free || dimension == 1) return 0;
    if (is_isotropic) return std::hypot(P[1], P[2]) - mu * P[0];
    return (P - projection(P)).norm();
}

double Cone::dissipation(const Eigen::Vector3d& P, const Eigen::Vector3d& V) const
{
    if (is_free || dimension == 1 || gives_way(*law)) return 0;
    if (is_isotropic) return mu * P[0] * std::hypot(V[1], V[2]);
    const auto& coulomb = std::get<Coulomb>(*law);
    if (std::holds_alternative<FrictionRough>(coulomb.shape)) return 0;
    const Eigen::Vector2d against(-V[1], -V[2]);
    return mu * P[0] * support(coulomb.shape, {against.data(), static_cast<std::size_t>(dimension - 1)});
}

Eigen::Vector3d padded(std::span<const double> block)
{
    Eigen::Vector3d result = Eigen::Vector3d::Zero();
    for (std::size_t k = 0; k < block.size(); ++k) {
        result[static_cast<Eigen::Index>(k)] = block[k];
    }
    return result;
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
