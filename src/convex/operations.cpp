#include "carom/convex/operations.hpp"

#include "conic_form.hpp"

#include <Eigen/QR>
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

Error not_of_the_catalogue(const char* where)
{
    return Error{.code = ErrorCode::SettingOutOfRange,
                 .where = where,
                 .message = "this set provides nearest points only",
                 .hint = "build images, sums and intersections from the sets of the catalogue",
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

Composite::Composite(const detail::ConicForm& form, double size)
    : form_(std::make_shared<const detail::ConicForm>(form)),
      dimension_(static_cast<int>(form.c.size())),
      size_(size)
{
}

double Composite::distance_to(ConstPoint v) const
{
    return distance_of(*this, v);
}

ProxStatus Composite::nearest(ConstPoint z, Point x) const
{
    return nearest_in(Metric::euclidean(), z, x);
}

ProxStatus Composite::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    Eigen::VectorXd found(z.size());
    const ProxStatus status = detail::nearest(*form_, metric, z, size_, found);
    x = found;
    return status;
}

LinearImage::LinearImage(SetPointer set, Eigen::MatrixXd M, const detail::ConicForm& form)
    : Composite(form, M.norm() * set->size()), set_(std::move(set)), M_(std::move(M))
{
}

Expected<LinearImage> LinearImage::make(SetPointer set, Eigen::MatrixXd M)
{
    if (!set || M.rows() == 0 || M.cols() != set->dimension()) {
        return no_image("LinearImage", ErrorCode::WrongSize,
                        fmt::format("the set has {} dimensions, the matrix is {} x {}",
                                    set ? set->dimension() : 0, M.rows(), M.cols()));
    }
    if (!M.allFinite()) return no_image("LinearImage", ErrorCode::NotFinite, "the matrix is not finite");
    const auto form = detail::conic_form(*set);
    if (!form) return not_of_the_catalogue("LinearImage");
    const detail::ConicForm mapped = detail::image(M, *form);
    return LinearImage(std::move(set), std::move(M), mapped);
}

ProxStatus LinearImage::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    // one-to-one: the nearest point in the metric M^T A M to the solution of least squares (CS-18)
    const Eigen::MatrixXd whitened = metric.whitened(M_);
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
    qr.setThreshold(1e-5);
    qr.compute(whitened);
    if (qr.rank() < M_.cols()) return Composite::nearest_in(metric, z, x);
    const auto carried = Metric::from_matrix(whitened.transpose() * whitened);
    if (!carried) return Composite::nearest_in(metric, z, x);
    const Eigen::VectorXd solution = qr.solve(Eigen::VectorXd(metric.whitened(z)));
    Eigen::VectorXd y(M_.cols());
    const ProxStatus status = set_->prox(*carried, solution, y);
    x = M_ * y;
    return status;
}

double LinearImage::support_at(ConstPoint p) const
{
    // a covector that M sends to roundoff sees a single point
    Eigen::VectorXd q = M_.transpose() * p;
    if (q.norm() <= direction_tolerance * M_.norm() * p.norm()) q.setZero();
    return set_->support(q);
}

}  // namespace carom
