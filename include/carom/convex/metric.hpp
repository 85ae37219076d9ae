#pragma once

#include "carom/core/expected.hpp"

#include <Eigen/Core>

namespace carom {

/// A scalar product  x . y = x^T A y  on R^n: Euclidean (A = I, any n) or a symmetric positive definite A.
/// In mechanics A is the kinetic matrix, so that |u|^2 is twice the kinetic energy.
///
/// Symbols    x, y  vectors (velocities);  p  covector (momentum, percussion, gradient): p = A x
///            L     Cholesky factor, A = L L^T;  L^T x are coordinates in which the metric is Euclidean
/// Theory     docs/theory/convex_sets.md, (CS-1) scalar product, (CS-2) whitened coordinates
/// Papers     [M83 (4.5)] and the remark that ends M83 Sec. 5 on covariant components
class Metric {
public:
    /// The metric of R^n for every n; costs nothing.
    [[nodiscard]] static Metric euclidean() { return Metric{}; }

    /// The metric of a matrix. Errors: WrongSize (not square, empty), NotFinite, MetricNotPositive (not
    /// symmetric, or some vector has no positive length up to roundoff).
    [[nodiscard]] static Expected<Metric> from_matrix(const Eigen::Ref<const Eigen::MatrixXd>& A);

    [[nodiscard]] bool is_euclidean() const noexcept { return A_.size() == 0; }

    /// Whether vectors of length n can be measured.
    [[nodiscard]] bool fits(Eigen::Index n) const noexcept { return is_euclidean() || A_.rows() == n; }

    /// A, symmetrised; without elements for the Euclidean metric.
    [[nodiscard]] const Eigen::MatrixXd& matrix() const noexcept { return A_; }

    [[nodiscard]] double dot(const Eigen::Ref<const Eigen::VectorXd>& x,
                             const Eigen::Ref<const Eigen::VectorXd>& y) const;
    [[nodiscard]] double norm(const Eigen::Ref<const Eigen::VectorXd>& x) const;

    /// Length of a covector, (p . A^-1 p)^(1/2).
    [[nodiscard]] double dual_norm(const Eigen::Ref<const Eigen::VectorXd>& p) const;

    /// Covector of a vector, A x.
    [[nodiscard]] Eigen::VectorXd lower(const Eigen::Ref<const Eigen::VectorXd>& x) const;

    /// Vector of a covector, A^-1 p.
    [[nodiscard]] Eigen::VectorXd solve(const Eigen::Ref<const Eigen::VectorXd>& p) const;

    /// Columns that are vectors, to whitened coordinates: L^T X (CS-2).
    [[nodiscard]] Eigen::MatrixXd whitened(const Eigen::Ref<const Eigen::MatrixXd>& X) const;

    /// Columns that are covectors, to whitened coordinates: L^-1 P = L^T (A^-1 P).
    [[nodiscard]] Eigen::MatrixXd whitened_covectors(const Eigen::Ref<const Eigen::MatrixXd>& P) const;

    /// Back from whitened coordinates to vectors: L^-T X.
    [[nodiscard]] Eigen::MatrixXd unwhitened(const Eigen::Ref<const Eigen::MatrixXd>& X) const;

private:
    Metric() = default;

    Eigen::MatrixXd A_, L_;
};

}  // namespace carom
