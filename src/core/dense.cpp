#include "core/dense.hpp"

namespace carom {
namespace detail {

template <class Decomposition>
void Solving<Decomposition>::compute(const Eigen::MatrixXd& A)
{
    factor_.compute(A);
}

template <class Decomposition>
Eigen::VectorXd Solving<Decomposition>::solve_vector(const Eigen::VectorXd& right) const
{
    return factor_.solve(right);
}

template <class Decomposition>
Eigen::MatrixXd Solving<Decomposition>::solve_matrix(const Eigen::MatrixXd& right) const
{
    return factor_.solve(right);
}

template class Solving<Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>>;
template class Solving<Eigen::FullPivLU<Eigen::MatrixXd>>;
template class Solving<Eigen::PartialPivLU<Eigen::MatrixXd>>;
template class Solving<Eigen::LDLT<Eigen::MatrixXd>>;

}  // namespace detail

LeastSquares::LeastSquares(const Eigen::MatrixXd& A, double threshold)
{
    factor_.setThreshold(threshold);
    compute(A);
}

Eigen::MatrixXd LeastSquares::pseudo_inverse() const
{
    return factor_.pseudoInverse();
}

FullLu::FullLu(const Eigen::MatrixXd& A, double threshold)
{
    factor_.setThreshold(threshold);
    compute(A);
}

Eigen::Index FullLu::rank() const
{
    return factor_.rank();
}

bool FullLu::is_invertible() const
{
    return factor_.isInvertible();
}

Eigen::MatrixXd FullLu::kernel() const
{
    return factor_.kernel();
}

double Lu::reciprocal_condition() const
{
    return factor_.rcond();
}

double Lu::determinant() const
{
    return factor_.determinant();
}

Svd::Svd(const Eigen::MatrixXd& A, unsigned parts) : svd_(A, parts) {}

Eigen::Index Svd::rank() const
{
    return svd_.rank();
}

Eigen::VectorXcd eigenvalues_of(const Eigen::MatrixXd& A)
{
    return Eigen::EigenSolver<Eigen::MatrixXd>(A, false).eigenvalues();
}

Eigenpairs eigenpairs_of(const Eigen::MatrixXd& A)
{
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
    return {solver.eigenvalues(), solver.eigenvectors()};
}

SymmetricEigenpairs symmetric_eigenpairs_of(const Eigen::MatrixXd& A)
{
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
    return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd symmetric_eigenvalues_of(const Eigen::MatrixXd& A)
{
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace carom
