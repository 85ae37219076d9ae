#include "carom/onestep/solution_check.hpp"

#include "reaction_set.hpp"
#include "scaled_operator.hpp"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

using detail::Components;
using detail::ReactionSet;
using detail::SparseMatrix;

/// Singular values of the Jacobian below that are what W cannot see (self-stress) or rounding.
constexpr double min_singular = 1e-8;

/// Derivative of the natural map with respect to the scaled p = P / d and u = d V, by differences:
/// projections are piecewise smooth, and an estimate asks for no more.
struct BlockDerivative {
    using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, max_components,
                                max_components>;
    Block by_p, by_u;
    Components F;
};

BlockDerivative derivative(const ReactionSet& set, const Components& p, const Components& u, double d)
{
    const auto F = [&](const Components& p_, const Components& u_) {
        return set.natural_map(d * p_, u_ / d, d);
    };
    const int n = set.dimension;
    BlockDerivative result{.by_p = BlockDerivative::Block::Identity(n, n),
                           .by_u = BlockDerivative::Block::Zero(n, n),
                           .F = F(p, u)};
    const double step = 1e-7 * (p.norm() + u.norm());
    if (!(step > 0)) return result;
    for (int k = 0; k < n; ++k) {
        const Components e = step * Components::Unit(n, k);
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
        const ReactionSet set = ReactionSet::of(problem, c);
        const Components p = detail::components(problem.part(P, c)) / d;
        const Components u = d * (detail::components(problem.part(U, c)) + set.restitution_shift);
        const auto block = derivative(set, p, u, d);
        const int first = problem.offsets[static_cast<std::size_t>(c)];
        for (int i = 0; i < set.dimension; ++i) {
            result.F[first + i] = block.F[i];
            for (int j = 0; j < set.dimension; ++j) {
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
        after2 += d * d * detail::components(problem.part(std::span<const double>(U), c)).squaredNorm();
        before2 += d * d *
                   detail::components(problem.part(std::span<const double>(problem.U_free), c)).squaredNorm();
    }
    const double scale2 = std::max(after2, before2);
    return scale2 > 0 ? (W * *step).norm() / std::sqrt(scale2) : 0.0;
}

}  // namespace carom
