#include "carom/convex/sets.hpp"

#include "convex/nonnegative_qp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace carom {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_interval(double lower, double upper)
{
    return lower <= upper && lower < infinity && upper > -infinity;  // false for NaN
}

Error no_interval(const char* where, double lower, double upper)
{
    return Error{.code = ErrorCode::SettingOutOfRange,
                 .where = where,
                 .message = fmt::format("the bounds are {} and {}", lower, upper),
                 .hint = "give a lower bound that is not above the upper one; -inf and inf mean no bound",
                 .excerpt = {}};
}

double size_of(double lower, double upper)
{
    return std::max(std::isfinite(lower) ? std::abs(lower) : 0, std::isfinite(upper) ? std::abs(upper) : 0);
}

double outside(double lower, double upper, double v)
{
    return std::max({lower - v, v - upper, 0.0});
}

/// A bound that p does not push against contributes nothing, even an infinite one.
double support_of(double lower, double upper, double p, double negligible)
{
    if (std::abs(p) <= negligible) {
        if (p > 0 && upper < infinity) return p * upper;
        if (p < 0 && lower > -infinity) return p * lower;
        return 0;
    }
    return p > 0 ? p * upper : p * lower;
}

bool is_cone(double lower, double upper)
{
    return (lower == 0 || lower == -infinity) && (upper == 0 || upper == infinity);
}

double polar_lower(double lower)
{
    return lower == 0 ? -infinity : 0;
}

double polar_upper(double upper)
{
    return upper == 0 ? infinity : 0;
}

/// One finite side of a box: the outward normal is sign e_axis.
struct Side {
    Eigen::Index axis;
    double sign;
    double bound;
};

std::vector<Side> finite_sides(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper)
{
    std::vector<Side> sides;
    for (Eigen::Index i = 0; i < lower.size(); ++i) {
        if (std::isfinite(lower[i])) sides.push_back({i, -1, lower[i]});
        if (std::isfinite(upper[i])) sides.push_back({i, 1, upper[i]});
    }
    return sides;
}

}  // namespace

Expected<Interval> Interval::make(double lower, double upper)
{
    if (!is_interval(lower, upper)) return no_interval("Interval", lower, upper);
    return Interval(lower, upper);
}

double Interval::size() const noexcept
{
    return size_of(lower_, upper_);
}

std::unique_ptr<ConvexSet> Interval::polar_cone() const
{
    if (!is_cone(lower_, upper_)) return nullptr;
    return std::make_unique<Interval>(Interval(polar_lower(lower_), polar_upper(upper_)));
}

double Interval::distance_to(ConstPoint v) const
{
    return outside(lower_, upper_, v[0]);
}

ProxStatus Interval::nearest(ConstPoint z, Point x) const
{
    x[0] = std::clamp(z[0], lower_, upper_);
    return ProxStatus::Converged;
}

ProxStatus Interval::nearest_in(const Metric&, ConstPoint z, Point x) const
{
    return nearest(z, x);
}

double Interval::support_at(ConstPoint p) const
{
    return support_of(lower_, upper_, p[0], 0);
}

Expected<Box> Box::make(Eigen::VectorXd lower, Eigen::VectorXd upper)
{
    if (lower.size() == 0 || lower.size() != upper.size()) {
        return Error{.code = ErrorCode::WrongSize,
                     .where = "Box",
                     .message =
                         fmt::format("there are {} lower and {} upper bounds", lower.size(), upper.size()),
                     .hint = "give one lower and one upper bound for each dimension",
                     .excerpt = {}};
    }
    for (Eigen::Index i = 0; i < lower.size(); ++i) {
        if (!is_interval(lower[i], upper[i])) return no_interval("Box", lower[i], upper[i]);
    }
    return Box(std::move(lower), std::move(upper));
}

double Box::size() const noexcept
{
    double largest = 0;
    for (Eigen::Index i = 0; i < lower_.size(); ++i) {
        largest = std::max(largest, size_of(lower_[i], upper_[i]));
    }
    return largest;
}

std::unique_ptr<ConvexSet> Box::polar_cone() const
{
    for (Eigen::Index i = 0; i < lower_.size(); ++i) {
        if (!is_cone(lower_[i], upper_[i])) return nullptr;
    }
    return std::make_unique<Box>(Box(lower_.unaryExpr(&polar_lower), upper_.unaryExpr(&polar_upper)));
}

double Box::distance_to(ConstPoint v) const
{
    double sum = 0;
    for (Eigen::Index i = 0; i < v.size(); ++i) {
        sum = std::hypot(sum, outside(lower_[i], upper_[i], v[i]));
    }
    return sum;
}

ProxStatus Box::nearest(ConstPoint z, Point x) const
{
    for (Eigen::Index i = 0; i < z.size(); ++i) {
        x[i] = std::clamp(z[i], lower_[i], upper_[i]);
    }
    return ProxStatus::Converged;
}

ProxStatus Box::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    // multipliers of the finite sides: x = z - A^-1 G^T mu, 0 <= mu perp W mu + (h - G z) >= 0
    const std::vector<Side> sides = finite_sides(lower_, upper_);
    const auto m = static_cast<Eigen::Index>(sides.size());
    Eigen::MatrixXd normals = Eigen::MatrixXd::Zero(z.size(), m);
    Eigen::VectorXd slack(m);
    for (Eigen::Index k = 0; k < m; ++k) {
        const Side& side = sides[static_cast<std::size_t>(k)];
        normals(side.axis, k) = side.sign;
        slack[k] = side.sign * (side.bound - z[side.axis]);
    }
    const Eigen::MatrixXd F = metric.whitened_covectors(normals);
    Eigen::VectorXd mu = Eigen::VectorXd::Zero(m);
    const auto report = solve_nonnegative_qp(F.transpose() * F, slack, {}, mu);

    // components on a side are that bound exactly; the others stay admissible against roundoff
    x = z - metric.solve(normals * mu);
    for (Eigen::Index i = 0; i < z.size(); ++i) {
        x[i] = std::clamp(x[i], lower_[i], upper_[i]);
    }
    for (Eigen::Index k = 0; k < m; ++k) {
        const Side& side = sides[static_cast<std::size_t>(k)];
        if (mu[k] > 0) x[side.axis] = side.bound;
    }
    return report.status == QpStatus::Solved ? ProxStatus::Converged : ProxStatus::NotConverged;
}

double Box::support_at(ConstPoint p) const
{
    const double negligible = direction_tolerance * p.norm();
    double sum = 0;
    for (Eigen::Index i = 0; i < p.size(); ++i) {
        sum += support_of(lower_[i], upper_[i], p[i], negligible);
    }
    return sum;
}

}  // namespace carom
