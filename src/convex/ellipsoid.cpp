#include "carom/convex/sets.hpp"

#include <fmt/format.h>

#include <cmath>

namespace carom {

Expected<Ellipsoid> Ellipsoid::make(Eigen::VectorXd centre, const Eigen::Ref<const Eigen::MatrixXd>& E)
{
    Error error{.code = ErrorCode::WrongSize,
                .where = "Ellipsoid",
                .message = fmt::format("the centre has {} components, E is {} x {}", centre.size(), E.rows(),
                                       E.cols()),
                .hint = "give a finite centre and a symmetric positive definite matrix of its size",
                .excerpt = {}};
    if (centre.size() == 0 || E.rows() != centre.size() || E.cols() != centre.size()) return error;
    if (!centre.allFinite() || !E.allFinite()) {
        error.code = ErrorCode::NotFinite;
        error.message = "the centre or the matrix is not finite";
        return error;
    }
    const auto shape = Metric::from_matrix(E);
    if (!shape) {
        error.code = shape.error().code;
        error.message = "E is not the matrix of an ellipsoid: " + shape.error().message;
        return error;
    }
    const Eigen::LLT<Eigen::MatrixXd> cholesky(shape->matrix());
    return Ellipsoid(std::move(centre), cholesky.matrixL());
}

double Ellipsoid::distance_to(ConstPoint v) const
{
    Eigen::VectorXd x(v.size());
    nearest(v, Point(x.data(), x.size()));
    return (v - x).norm();
}

ProxStatus Ellipsoid::nearest(ConstPoint z, Point x) const
{
    return nearest_in(Metric::euclidean(), z, x);
}

ProxStatus Ellipsoid::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    // inside: nothing to do
    const Eigen::VectorXd from = factor_.triangularView<Eigen::Lower>().solve(z - centre_);
    x = z;
    if (from.norm() <= 1) return ProxStatus::Converged;

    // the unit ball of y in the metric F^T A F (CS-13)
    const Eigen::MatrixXd whitened = metric.whitened(factor_);
    const auto carried = Metric::from_matrix(whitened.transpose() * whitened);
    if (!carried) return ProxStatus::NotConverged;
    const auto unit = Ball::make(Eigen::VectorXd::Zero(z.size()), 1);
    Eigen::VectorXd y(z.size());
    const ProxStatus status = unit->prox(*carried, from, y);
    x = centre_ + factor_ * y;
    return status;
}

double Ellipsoid::support_at(ConstPoint p) const
{
    return p.dot(centre_) + (factor_.transpose() * p).norm();
}

}  // namespace carom
