#include "carom/convex/operations.hpp"

#include "fixed_point.hpp"

#include <fmt/format.h>

#include <cmath>

namespace carom {

namespace {

Error no_image(const char* where, ErrorCode code, std::string message)
{
    return Error{.code = code,
                 .where = where,
                 .message = std::move(message),
                 .hint = "give finite numbers that fit the dimension of the set, and a scale other than zero",
                 .excerpt = {}};
}

/// Distance to the nearest point found: never below the distance, since that point is in the set.
double distance_of(const ConvexSet& set, const Eigen::Ref<const Eigen::VectorXd>& v)
{
    Eigen::VectorXd x(v.size());
    set.prox(v, x);
    return (v - x).norm();
}

}  // namespace

Expected<Moved> Moved::make(SetPointer set, double scale, Eigen::VectorXd shift)
{
    if (!set || shift.size() != set->dimension()) {
        return no_image(
            "Moved", ErrorCode::WrongSize,
            fmt::format("the set has {} dimensions, the shift {}", set ? set->dimension() : 0, shift.size()));
    }
    if (!std::isfinite(scale) || !shift.allFinite()) {
        return no_image("Moved", ErrorCode::NotFinite, "the scale or the shift is not finite");
    }
    if (scale == 0) return no_image("Moved", ErrorCode::SettingOutOfRange, "the scale is zero");
    return Moved(std::move(set), scale, std::move(shift));
}

Expected<Moved> Moved::translated(SetPointer set, Eigen::VectorXd shift)
{
    return make(std::move(set), 1, std::move(shift));
}

Expected<Moved> Moved::scaled(SetPointer set, double scale)
{
    const int n = set ? set->dimension() : 0;
    return make(std::move(set), scale, Eigen::VectorXd::Zero(n));
}

std::unique_ptr<ConvexSet> Moved::polar_cone() const
{
    // a cone keeps its polar under positive scales, and is mirrored with it under negative ones
    if (!shift_.isZero(0)) return nullptr;
    auto polar = set_->polar_cone();
    if (!polar || scale_ > 0) return polar;
    return std::make_unique<Moved>(Moved(std::move(polar), -1, shift_));
}

double Moved::distance_to(ConstPoint v) const
{
    return distance_of(*this, v);
}

ProxStatus Moved::nearest(ConstPoint z, Point x) const
{
    return nearest_in(Metric::euclidean(), z, x);
}

ProxStatus Moved::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    x = (z - shift_) / scale_;
    const ProxStatus status =
        set_->prox(metric, std::span<const double>(x.data(), static_cast<std::size_t>(x.size())),
                   std::span<double>(x.data(), static_cast<std::size_t>(x.size())));
    x = scale_ * x + shift_;
    return status;
}

double Moved::support_at(ConstPoint p) const
{
    return set_->support(Eigen::VectorXd(scale_ * p)) + p.dot(shift_);
}

Expected<LinearImage> LinearImage::make(SetPointer set, Eigen::MatrixXd M)
{
    if (!set || M.rows() == 0 || M.cols() != set->dimension()) {
        return no_image("LinearImage", ErrorCode::WrongSize,
                        fmt::format("the set has {} dimensions, the matrix is {} x {}",
                                    set ? set->dimension() : 0, M.rows(), M.cols()));
    }
    if (!M.allFinite()) return no_image("LinearImage", ErrorCode::NotFinite, "the matrix is not finite");
    return LinearImage(std::move(set), std::move(M));
}

double LinearImage::distance_to(ConstPoint v) const
{
    return distance_of(*this, v);
}

ProxStatus LinearImage::nearest(ConstPoint z, Point x) const
{
    return nearest_in(Metric::euclidean(), z, x);
}

ProxStatus LinearImage::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    const Eigen::Index n = M_.cols();
    const Eigen::MatrixXd whitened = metric.whitened(M_);
    const Eigen::VectorXd from = metric.whitened(z);
    Eigen::MatrixXd H = whitened.transpose() * whitened;
    Eigen::VectorXd y = Eigen::VectorXd::Zero(n);

    // one-to-one: the nearest point in the metric M^T A M to the least-squares solution (CS-18)
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
    qr.setThreshold(1e-7);
    qr.compute(whitened);
    if (qr.rank() == n) {
        const auto carried = Metric::from_matrix(H);
        const Eigen::VectorXd solution = qr.solve(from);
        const ProxStatus status = carried ? set_->prox(*carried, solution, y) : ProxStatus::NotConverged;
        x = M_ * y;
        return status;
    }

    // otherwise proximal steps: the term eps |y - y_k|^2 / 2 makes each of them well-posed
    const double eps = H.trace() > 0 ? 1e-3 * H.trace() : 1;
    H.diagonal().array() += eps;
    const auto regular = Metric::from_matrix(H);
    if (!regular) return ProxStatus::NotConverged;
    bool is_solved = true;  // the last step
    const auto step = [&](const Eigen::VectorXd& y_k) {
        Eigen::VectorXd next(n);
        const Eigen::VectorXd pull = regular->solve(whitened.transpose() * from + eps * y_k);
        is_solved = set_->prox(*regular, pull, next) == ProxStatus::Converged;
        return next;
    };
    constexpr int max_evaluations = 1000;
    const double tolerance = 1e-13 * (set_->size() + regular->solve(whitened.transpose() * from).norm());
    const auto report = detail::accelerated_fixed_point(step, tolerance, y, max_evaluations);
    x = M_ * step(y);
    return report.converged && is_solved ? ProxStatus::Converged : ProxStatus::NotConverged;
}

double LinearImage::support_at(ConstPoint p) const
{
    return set_->support(Eigen::VectorXd(M_.transpose() * p));
}

}  // namespace carom
