#include "carom/convex/sets.hpp"

#include "core/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {

Expected<Ball> Ball::make(Eigen::VectorXd centre, double radius)
{
    Error error{.code = ErrorCode::WrongSize,
                .where = "Ball",
                .message = "the centre has no components",
                .hint = "give a finite centre and a radius of zero or more",
                .excerpt = {}};
    if (centre.size() == 0) return error;
    if (!centre.allFinite() || !std::isfinite(radius)) {
        error.code = ErrorCode::NotFinite;
        error.message = "the centre or the radius is not finite";
        return error;
    }
    if (radius < 0) {
        error.code = ErrorCode::SettingOutOfRange;
        error.message = fmt::format("the radius is {}", radius);
        return error;
    }
    return Ball(std::move(centre), radius);
}

double Ball::distance_to(ConstPoint v) const
{
    return std::max(0.0, (v - centre_).norm() - radius_);
}

ProxStatus Ball::nearest(ConstPoint z, Point x) const
{
    const double distance = (z - centre_).norm();
    if (distance <= radius_) {
        x = z;
    } else {
        x = centre_ + radius_ / distance * (z - centre_);  // distance > radius >= 0
    }
    return ProxStatus::Converged;
}

ProxStatus Ball::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    // inside, or nothing but the centre: no metric is needed
    if ((z - centre_).norm() <= radius_ || radius_ == 0) return nearest(z, x);

    // in eigenvectors of the metric the condition of tangency is diagonal
    const SymmetricEigenpairs eigen = symmetric_eigenpairs_of(metric.matrix());
    const Eigen::ArrayXd stretch = eigen.values.array();
    const Eigen::ArrayXd from = (eigen.vectors.transpose() * (z - centre_)).array();

    // Newton on 1/|x(tau)| = 1/r: concave and increasing, so the iterates rise to the root and never pass it
    double tau = 0;
    Eigen::ArrayXd reached = from;
    constexpr int max_steps = 200;
    for (int step = 0; step < max_steps; ++step) {
        reached = stretch * from / (stretch + tau);
        const double length = reached.matrix().norm();
        const double excess = (length - radius_) / radius_;
        const double rise = excess * length * length / (reached.square() / (stretch + tau)).sum();
        if (!(tau + rise > tau)) {
            x = centre_ + eigen.vectors * reached.matrix();
            return ProxStatus::Converged;
        }
        tau += rise;
    }
    x = centre_ + eigen.vectors * reached.matrix();
    return ProxStatus::NotConverged;
}

double Ball::support_at(ConstPoint p) const
{
    return p.dot(centre_) + radius_ * p.norm();
}

}  // namespace carom
