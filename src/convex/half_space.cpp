#include "carom/convex/sets.hpp"

#include "carom/convex/polyhedra.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace carom {

Expected<HalfSpace> HalfSpace::make(Eigen::VectorXd normal, double bound)
{
    Error error{.code = ErrorCode::WrongSize,
                .where = "HalfSpace",
                .message = "the normal has no components",
                .hint = "give a finite bound and a finite normal that is not zero",
                .excerpt = {}};
    if (normal.size() == 0) return error;
    if (!normal.allFinite() || !std::isfinite(bound)) {
        error.code = ErrorCode::NotFinite;
        error.message = "the normal or the bound is not finite";
        return error;
    }
    const double length = normal.stableNorm();
    if (!(length > 0)) {
        error.code = ErrorCode::SettingOutOfRange;
        error.message = "the normal is zero";
        return error;
    }
    normal /= length;
    return HalfSpace(std::move(normal), bound / length);
}

std::unique_ptr<ConvexSet> HalfSpace::polar_cone() const
{
    if (bound_ != 0) return nullptr;
    return std::make_unique<PolyhedralCone>(*PolyhedralCone::from_generators(normal_.transpose()));
}

double HalfSpace::distance_to(ConstPoint v) const
{
    return std::max(0.0, normal_.dot(v) - bound_);
}

ProxStatus HalfSpace::nearest(ConstPoint z, Point x) const
{
    x = z - distance_to(z) * normal_;
    return ProxStatus::Converged;
}

ProxStatus HalfSpace::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    const Eigen::VectorXd inward = metric.solve(normal_);
    x = z - distance_to(z) / normal_.dot(inward) * inward;  // the metric is positive, so is the divisor
    return ProxStatus::Converged;
}

double HalfSpace::support_at(ConstPoint p) const
{
    const double along = normal_.dot(p);
    const bool is_normal = along >= 0 && (p - along * normal_).norm() <= direction_tolerance * p.norm();
    return is_normal ? along * bound_ : std::numeric_limits<double>::infinity();
}

}  // namespace carom
