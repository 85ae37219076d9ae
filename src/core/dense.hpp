#pragma once

#include <Eigen/Dense>

namespace carom {

/// Decompositions of dense matrices of any size, compiled in one place: as templates every file that uses one
/// compiles it again, and they were a quarter of a cold build. Names are those of the theory; thresholds are
/// relative to the largest pivot.

namespace detail {

/// A decomposition that solves: vectors give vectors, matrices matrices.
template <class Decomposition>
class Solving {
public:
    Solving() = default;
    explicit Solving(const Eigen::MatrixXd& A) { compute(A); }

    void compute(const Eigen::MatrixXd& A);

    template <class Derived>
    [[nodiscard]] auto solve(const Eigen::MatrixBase<Derived>& right) const
    {
        if constexpr (Derived::ColsAtCompileTime == 1)
            return solve_vector(right);
        else
            return solve_matrix(right);
    }

protected:
    Decomposition factor_;

private:
    [[nodiscard]] Eigen::VectorXd solve_vector(const Eigen::VectorXd& right) const;
    [[nodiscard]] Eigen::MatrixXd solve_matrix(const Eigen::MatrixXd& right) const;
};

}  // namespace detail

/// Least squares of least length, whatever the rank (complete orthogonal decomposition).
class LeastSquares : public detail::Solving<Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>> {
public:
    using Solving::Solving;
    LeastSquares(const Eigen::MatrixXd& A, double threshold);
    [[nodiscard]] Eigen::MatrixXd pseudo_inverse() const;
};

/// Any square matrix (LU with complete pivoting).
class FullLu : public detail::Solving<Eigen::FullPivLU<Eigen::MatrixXd>> {
public:
    using Solving::Solving;
    FullLu(const Eigen::MatrixXd& A, double threshold);
    [[nodiscard]] Eigen::Index rank() const;
    [[nodiscard]] bool is_invertible() const;
    [[nodiscard]] Eigen::MatrixXd kernel() const;
};

/// Square matrices that are known to be regular (LU with partial pivoting).
class Lu : public detail::Solving<Eigen::PartialPivLU<Eigen::MatrixXd>> {
public:
    using Solving::Solving;
    [[nodiscard]] double reciprocal_condition() const;
    [[nodiscard]] double determinant() const;
};

/// Symmetric matrices without a change of sign (L D L^T).
class Ldlt : public detail::Solving<Eigen::LDLT<Eigen::MatrixXd>> {
public:
    using Solving::Solving;
};

/// A = U diag(values) V^T, values falling. `parts`: Eigen::ComputeFullV and the like.
class Svd {
public:
    explicit Svd(const Eigen::MatrixXd& A, unsigned parts = 0);
    [[nodiscard]] const Eigen::VectorXd& values() const { return svd_.singularValues(); }
    [[nodiscard]] const Eigen::MatrixXd& U() const { return svd_.matrixU(); }
    [[nodiscard]] const Eigen::MatrixXd& V() const { return svd_.matrixV(); }

    [[nodiscard]] Eigen::Index rank() const;

    /// Values above so much, as they are.
    [[nodiscard]] Eigen::Index rank_above(double value) const { return (values().array() > value).count(); }

private:
    Eigen::JacobiSVD<Eigen::MatrixXd> svd_;
};

[[nodiscard]] Eigen::VectorXcd eigenvalues_of(const Eigen::MatrixXd& A);

struct Eigenpairs {
    Eigen::VectorXcd values;
    Eigen::MatrixXcd vectors;  ///< columns
};
[[nodiscard]] Eigenpairs eigenpairs_of(const Eigen::MatrixXd& A);

/// Of a symmetric matrix, values rising.
struct SymmetricEigenpairs {
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;  ///< columns
};
[[nodiscard]] SymmetricEigenpairs symmetric_eigenpairs_of(const Eigen::MatrixXd& A);
[[nodiscard]] Eigen::VectorXd symmetric_eigenvalues_of(const Eigen::MatrixXd& A);

}  // namespace carom
