#include "carom/onestep/solution_check.hpp"

#include "isotropic_cone.hpp"
#include "scaled_operator.hpp"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

using detail::Cone;
using detail::SparseMatrix;

/// Singular values of the Jacobian below that are what W cannot see (self-stress) or rounding.
constexpr double min_singular = 1e-8;

/// Derivative of F_c = p - proj(p - v(u)) with respect to p and u, by differences: projections are piecewise
/// smooth, and an estimate asks for no more.
struct BlockDerivative {
    Eigen::Matrix3d by_p = Eigen::Matrix3d::Zero(), by_u = Eigen::Matrix3d::Zero();
    Eigen::Vector3d F = Eigen::Vector3d::Zero();
};

BlockDerivative derivative(const Cone& cone, const Eigen::Vector3d& p, const Eigen::Vector3d& u)
{
    const auto F = [&](const Eigen::Vector3d& p_, const Eigen::Vector3d& u_) -> Eigen::Vector3d {
        return p_ - cone.projection(p_ - cone.with_friction_shift(u_));
    };
    BlockDerivative result;
    result.F = F(p, u);
    const double step = 1e-7 * (p.norm() + u.norm());
    if (!(step > 0)) {
        result.by_p.setIdentity();
        return result;
    }
    for (int k = 0; k < cone.dimension; ++k) {
        const Eigen::Vector3d e = step * Eigen::Vector3d::Unit(k);
        result.by_p.col(k) = (F(p + e, u) - F(p - e, u)) / (2 * step);
        result.by_u.col(k) = (F(p, u + e) - F(p, u - e)) / (2 * step);
    }
    return result;
}

/// F and its Jacobian  J = F_p + F_u W  at the scaled data.
struct Linearised {
    SparseMatrix J;
    Eigen::VectorXd F;
};

Linearised linearise(const OneStepProblem& problem, const SparseMatrix& W, std::span<const double> P,
                     std::span<const double> U)
{
    std::vector<Eigen::Triplet<double>> by_p, by_u;
    Linearised result{.J = {}, .F = Eigen::VectorXd(problem.size())};
    for (int c = 0; c < problem.interactions(); ++c) {
        const double d = detail::scaling(problem, c);
        const Cone cone = Cone::of(problem, c);
        const Eigen::Vector3d p = detail::padded(problem.part(P, c)) / d;
        const Eigen::Vector3d u = d * (detail::padded(problem.part(U, c)) + cone.restitution_shift);
        const auto block = derivative(cone, p, u);
        const int first = problem.offsets[static_cast<std::size_t>(c)];
        for (int i = 0; i < cone.dimension; ++i) {
            result.F[first + i] = block.F[i];
            for (int j = 0; j < cone.dimension; ++j) {
                by_p.emplace_back(first + i, first + j, block.by_p(i, j));
                by_u.emplace_back(first + i, first + j, block.by_u(i, j));
            }
        }
    }
    SparseMatrix F_p(problem.size(), problem.size()), F_u(problem.size(), problem.size());
    F_p.setFromTriplets(by_p.begin(), by_p.end());
    F_u.setFromTriplets(by_u.begin(), by_u.end());
    result.J = F_p + SparseMatrix(F_u * W);
    return result;
}

/// The shortest of the steps that reduce |J x + F|, damped below the least singular value: the quasi-definite
/// system [1 J; J^T -s^2] (r, x) = (-F, 0).
std::optional<Eigen::VectorXd> shortest_step(const Linearised& at)
{
    const int n = static_cast<int>(at.F.size());
    std::vector<Eigen::Triplet<double>> entries;
    for (int k = 0; k < n; ++k) {
        entries.emplace_back(k, k, 1.0);
        entries.emplace_back(n + k, n + k, -min_singular * min_singular);
    }
    for (int column = 0; column < n; ++column) {
        for (SparseMatrix::InnerIterator entry(at.J, column); entry; ++entry) {
            entries.emplace_back(n + column, static_cast<int>(entry.row()), entry.value());
        }
    }
    SparseMatrix lower(2 * n, 2 * n);
    lower.setFromTriplets(entries.begin(), entries.end());
    const SparseMatrix K = lower.selfadjointView<Eigen::Lower>();
    Eigen::VectorXd right = Eigen::VectorXd::Zero(2 * n);
    right.head(n) = -at.F;

    // without pivoting the factor of so small an s may be lost; then with
    const auto solves = [&](const Eigen::VectorXd& x) {
        return x.allFinite() && (K * x - right).norm() <= 1e-3 * right.norm();
    };
    const Eigen::SimplicialLDLT<SparseMatrix> quick(K);
    Eigen::VectorXd x;
    if (quick.info() == Eigen::Success) x = quick.solve(right);
    if (x.size() == 0 || !solves(x)) {
        const Eigen::SparseLU<SparseMatrix> careful(K);
        if (careful.info() != Eigen::Success) return {};
        x = careful.solve(right);
        if (!solves(x)) return {};
    }
    return Eigen::VectorXd(x.tail(n));
}

}  // namespace

std::optional<double> hidden_velocity_error(const OneStepProblem& problem, std::span<const double> P)
{
    if (problem.size() == 0 || problem.size() > max_rows_for_hidden_error) return {};
    std::vector<double> U(static_cast<std::size_t>(problem.size()));
    local_velocity(problem, P, U);
    const SparseMatrix W = detail::scaled_operator(problem);
    const Linearised at = linearise(problem, W, P, U);
    if (!at.F.allFinite()) return {};
    const auto step = shortest_step(at);
    if (!step) return {};

    // relative to what moves, in the scaled norms; where all sticks U is rounding and U_free is not
    double after2 = 0, before2 = 0;
    for (int c = 0; c < problem.interactions(); ++c) {
        const double d = detail::scaling(problem, c);
        after2 += d * d * detail::padded(problem.part(std::span<const double>(U), c)).squaredNorm();
        before2 +=
            d * d * detail::padded(problem.part(std::span<const double>(problem.U_free), c)).squaredNorm();
    }
    const double scale2 = std::max(after2, before2);
    return scale2 > 0 ? (W * *step).norm() / std::sqrt(scale2) : 0.0;
}

}  // namespace carom
