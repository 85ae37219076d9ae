#include "carom/convex/metric.hpp"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace carom {

namespace {

Error not_a_metric(ErrorCode code, std::string message)
{
    return Error{.code = code,
                 .where = "Metric",
                 .message = std::move(message),
                 .hint = "a metric needs a symmetric positive definite matrix, as a kinetic energy gives it",
                 .excerpt = {}};
}

/// Largest |A_ij - A_ji| relative to the lengths of the two base vectors.
double asymmetry(const Eigen::Ref<const Eigen::MatrixXd>& A)
{
    double worst = 0;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
        for (Eigen::Index j = 0; j < i; ++j) {
            const double scale = std::sqrt(std::abs(A(i, i))) * std::sqrt(std::abs(A(j, j)));
            const double gap = std::abs(A(i, j) - A(j, i));
            if (gap > worst * scale)
                worst = scale > 0 ? gap / scale : std::numeric_limits<double>::infinity();
        }
    }
    return worst;
}

}  // namespace

Expected<Metric> Metric::from_matrix(const Eigen::Ref<const Eigen::MatrixXd>& A)
{
    const Eigen::Index n = A.rows();
    if (n == 0 || A.cols() != n) {
        return not_a_metric(ErrorCode::WrongSize, fmt::format("the matrix is {} x {}", n, A.cols()));
    }
    if (!A.allFinite())
        return not_a_metric(ErrorCode::NotFinite, "the matrix has an element that is not finite");

    // a matrix that was computed is symmetric up to the roundoff of sums of n products
    constexpr double symmetry_tolerance = 1e-10;
    if (!(asymmetry(A) <= symmetry_tolerance)) {
        return not_a_metric(ErrorCode::MetricNotPositive, "the matrix is not symmetric");
    }

    // every pivot is what is left of a diagonal element: all must stay clear of its roundoff
    Metric metric;
    metric.A_ = 0.5 * A + 0.5 * A.transpose();
    Eigen::LLT<Eigen::MatrixXd> cholesky(metric.A_);
    const double roundoff = static_cast<double>(n) * std::numeric_limits<double>::epsilon();
    for (Eigen::Index i = 0; i < n; ++i) {
        const double pivot = cholesky.matrixLLT()(i, i);
        const bool positive = cholesky.info() == Eigen::Success && metric.A_(i, i) > 0 &&
                              pivot * pivot > roundoff * metric.A_(i, i);
        if (!positive) {
            return not_a_metric(
                ErrorCode::MetricNotPositive,
                fmt::format("the matrix has no positive pivot in row {} of {}, or in an earlier one", i + 1,
                            n));
        }
    }
    metric.L_ = cholesky.matrixLLT();
    return metric;
}

double Metric::dot(const Eigen::Ref<const Eigen::VectorXd>& x,
                   const Eigen::Ref<const Eigen::VectorXd>& y) const
{
    return is_euclidean() ? x.dot(y) : x.dot(A_ * y);
}

double Metric::norm(const Eigen::Ref<const Eigen::VectorXd>& x) const
{
    return is_euclidean() ? x.norm() : (L_.triangularView<Eigen::Lower>().adjoint() * x).norm();
}

double Metric::dual_norm(const Eigen::Ref<const Eigen::VectorXd>& p) const
{
    return is_euclidean() ? p.norm() : L_.triangularView<Eigen::Lower>().solve(p).norm();
}

Eigen::VectorXd Metric::lower(const Eigen::Ref<const Eigen::VectorXd>& x) const
{
    if (is_euclidean()) return x;
    return A_ * x;
}

Eigen::VectorXd Metric::solve(const Eigen::Ref<const Eigen::VectorXd>& p) const
{
    if (is_euclidean()) return p;
    Eigen::VectorXd x = L_.triangularView<Eigen::Lower>().solve(p);
    L_.triangularView<Eigen::Lower>().adjoint().solveInPlace(x);
    return x;
}

Eigen::MatrixXd Metric::whitened(const Eigen::Ref<const Eigen::MatrixXd>& X) const
{
    if (is_euclidean() || X.cols() == 0) return X;
    return L_.triangularView<Eigen::Lower>().adjoint() * X;
}

Eigen::MatrixXd Metric::whitened_covectors(const Eigen::Ref<const Eigen::MatrixXd>& P) const
{
    if (is_euclidean() || P.cols() == 0) return P;
    return L_.triangularView<Eigen::Lower>().solve(P);
}

Eigen::MatrixXd Metric::unwhitened(const Eigen::Ref<const Eigen::MatrixXd>& X) const
{
    if (is_euclidean() || X.cols() == 0) return X;
    return L_.triangularView<Eigen::Lower>().adjoint().solve(X);
}

}  // namespace carom
