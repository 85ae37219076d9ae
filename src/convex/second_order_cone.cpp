#include "carom/convex/sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {

namespace {

/// The problem (CS-15): nearest point of a cone with v_N = r >= 0 given, in a metric.
class Slices {
public:
    Slices(const Eigen::MatrixXd& A, Eigen::VectorXd z, double mu)
        : A_(A), z_(std::move(z)), mu_(mu), tangential_(z_.size() - 1)
    {
        if (tangential_ > 0) {
            metric_T_ = Metric::from_matrix(A.bottomRightCorner(tangential_, tangential_));
        }
    }

    /// Nearest point with v_N = r; false if a step of it did not converge.
    bool nearest(double r, Eigen::VectorXd& x) const
    {
        x[0] = r;
        if (tangential_ == 0) return true;
        if (!metric_T_) return false;

        // the free minimum over v_T moves with r; then the ball of radius mu r
        const Eigen::VectorXd pull = A_.col(0).tail(tangential_) * (r - z_[0]);
        const Eigen::VectorXd free = z_.tail(tangential_) - metric_T_->solve(pull);
        const auto ball = Ball::make(Eigen::VectorXd::Zero(tangential_), mu_ * r);
        return ball->prox(*metric_T_, free, x.tail(tangential_)) == ProxStatus::Converged;
    }

    /// Derivative by r of half the squared distance: negative while the slice should move outwards.
    [[nodiscard]] double slope(const Eigen::VectorXd& x) const
    {
        const Eigen::VectorXd push = A_ * (x - z_);
        return push[0] - mu_ * push.tail(tangential_).norm();
    }

private:
    const Eigen::MatrixXd& A_;
    Eigen::VectorXd z_;
    double mu_;
    Eigen::Index tangential_;
    Expected<Metric> metric_T_ = Metric::euclidean();
};

}  // namespace

Expected<SecondOrderCone> SecondOrderCone::make(int n, double mu)
{
    Error error{.code = ErrorCode::WrongSize,
                .where = "SecondOrderCone",
                .message = "the cone has no dimension",
                .hint = "give at least one dimension and a slope of zero or more",
                .excerpt = {}};
    if (n < 1) return error;
    if (!(mu >= 0) || !std::isfinite(mu)) {
        error.code = ErrorCode::SettingOutOfRange;
        error.message = fmt::format("the slope is {}", mu);
        return error;
    }
    return SecondOrderCone(n, mu, 1);
}

std::unique_ptr<ConvexSet> SecondOrderCone::polar_cone() const
{
    // a ray, or a cone so narrow that its polar has no finite slope: the half-space behind it
    const double slope = 1 / mu_;
    if (!std::isfinite(slope)) {
        return std::make_unique<HalfSpace>(*HalfSpace::make(sign_ * Eigen::VectorXd::Unit(n_, 0), 0));
    }
    return std::make_unique<SecondOrderCone>(SecondOrderCone(n_, slope, -sign_));
}

double SecondOrderCone::distance_to(ConstPoint v) const
{
    const double v_N = sign_ * v[0];
    const double v_T = v.tail(n_ - 1).norm();
    if (v_N >= 0 && v_T <= mu_ * v_N) return 0;
    if (mu_ * v_T <= -v_N) return std::hypot(v_N, v_T);
    return (v_T - mu_ * v_N) / std::hypot(1.0, mu_);
}

ProxStatus SecondOrderCone::nearest(ConstPoint z, Point x) const
{
    const double z_N = sign_ * z[0];
    const double z_T = z.tail(n_ - 1).norm();

    // inside the cone
    x = z;
    if (z_N >= 0 && z_T <= mu_ * z_N) return ProxStatus::Converged;

    // inside the polar cone: the apex
    if (mu_ * z_T <= -z_N) {
        x.setZero();
        return ProxStatus::Converged;
    }

    // between the two: the perpendicular onto the generator; z_T > 0, because both cases above hold z_T = 0
    const double x_N = (z_N + mu_ * z_T) / (1 + mu_ * mu_);
    x[0] = sign_ * x_N;
    x.tail(n_ - 1) = mu_ * x_N / z_T * z.tail(n_ - 1);
    return ProxStatus::Converged;
}

ProxStatus SecondOrderCone::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    // inside: nothing to do; inside the polar of the metric: the apex
    const bool is_inside = sign_ * z[0] >= 0 && z.tail(n_ - 1).norm() <= mu_ * sign_ * z[0];
    if (is_inside) {
        x = z;
        return ProxStatus::Converged;
    }
    x.setZero();
    Eigen::VectorXd from = z;
    const Eigen::MatrixXd& A = metric.matrix();
    if (sign_ < 0) from = -from;
    const Slices slices(A, from, mu_);
    Eigen::VectorXd best = Eigen::VectorXd::Zero(n_);
    if (slices.slope(best) >= 0) return ProxStatus::Converged;

    // |x| <= |z| in the metric bounds the slice; the derivative grows with r, so halve, with secants between
    double inner = 0, outer = 2 * metric.norm(z) * metric.dual_norm(Eigen::VectorXd::Unit(n_, 0));
    double inner_slope = slices.slope(best), outer_slope = std::numeric_limits<double>::infinity();
    constexpr int max_slices = 300;
    for (int step = 0; step < max_slices; ++step) {
        const double middle = 0.5 * (inner + outer);
        const double secant = inner - inner_slope * (outer - inner) / (outer_slope - inner_slope);
        const bool halve = step % 3 == 2 || !(secant > inner && secant < outer);
        const double r = halve ? middle : secant;
        if (!slices.nearest(r, best)) return ProxStatus::NotConverged;
        const double slope = slices.slope(best);
        if (slope == 0 || !(middle > inner && middle < outer)) {
            x = sign_ * best;
            return ProxStatus::Converged;
        }
        (slope < 0 ? inner : outer) = r;
        (slope < 0 ? inner_slope : outer_slope) = slope;
    }
    x = sign_ * best;
    return ProxStatus::NotConverged;
}

double SecondOrderCone::support_at(ConstPoint p) const
{
    const double outside =
        mu_ * p.tail(n_ - 1).norm() + sign_ * p[0];  // p.v of the best generator with v_N = 1
    return outside <= direction_tolerance * p.norm() * std::hypot(1.0, mu_)
               ? 0
               : std::numeric_limits<double>::infinity();
}

}  // namespace carom
