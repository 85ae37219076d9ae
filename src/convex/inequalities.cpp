#include "inequalities.hpp"

#include "convex/nonnegative_qp.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace carom::detail {

namespace {

/// The remainder is 1 / (1 + d^2) for a set at d times the greatest violation: none is that far.
constexpr double empty_below = 1e-13;

std::vector<char> free_multipliers(const Inequalities& set)
{
    std::vector<char> is_free(static_cast<std::size_t>(set.bounds.size()), 0);
    std::fill_n(is_free.begin(), set.equalities, char{1});
    return is_free;
}

/// Slacks b - n.z, zero where they are roundoff of an equality or of an inequality that holds.
bool holds_at(const Inequalities& set, const Eigen::VectorXd& slack)
{
    const Eigen::Index m = slack.size();
    return (m == set.equalities || slack.tail(m - set.equalities).minCoeff() >= 0) &&
           slack.head(set.equalities).isZero(0);
}

/// The shortest y with f_i.y <= c_i, |f_i| = 1: what remains of (0, 1) beside the cone of the columns
/// (-f_i, -c_i / s) is along (-y / s, 1) (CS-16). False if nothing remains: the rows contradict each other.
bool shortest(const Eigen::MatrixXd& F, const Eigen::VectorXd& c, std::span<const char> is_free,
              Eigen::VectorXd& y)
{
    const Eigen::Index n = F.rows(), m = F.cols();
    const double s = c.lpNorm<Eigen::Infinity>();
    y.setZero();
    if (s == 0) return true;
    Eigen::MatrixXd lifted(n + 1, m);
    lifted << -F, -c.transpose() / s;
    Eigen::VectorXd mu = Eigen::VectorXd::Zero(m), remainder(n + 1);
    const auto report =
        solve_nonnegative_least_squares(lifted, Eigen::VectorXd::Unit(n + 1, n), is_free, mu, remainder);
    if (report.status != QpStatus::Solved || !(remainder[n] > empty_below)) return false;
    y = -s / remainder[n] * remainder.head(n);
    return true;
}

}  // namespace

ProxStatus nearest(const Inequalities& set, const Metric& metric, const Eigen::Ref<const Eigen::VectorXd>& z,
                   Eigen::VectorXd& x)
{
    // whitened and seen from z: the shortest y with f_i.y <= c_i, |f_i| = 1
    x = z;
    const Eigen::Index n = z.size(), m = set.bounds.size();
    Eigen::VectorXd c = set.bounds - set.normals.transpose() * z;
    if (m == 0 || holds_at(set, c)) return ProxStatus::Converged;
    Eigen::MatrixXd F = metric.whitened_covectors(set.normals);
    for (Eigen::Index i = 0; i < m; ++i) {
        const double length = F.col(i).norm();
        const bool contradicts = length == 0 && (i < set.equalities ? c[i] != 0 : c[i] < 0);
        if (contradicts) return ProxStatus::NotConverged;
        if (length == 0) c[i] = 0;
        if (length > 0) F.col(i) /= length, c[i] /= length;
    }

    // sides that meet in one point do so up to roundoff only: they may give way by that much
    const double size = set.bounds.lpNorm<Eigen::Infinity>() + z.norm();
    for (const double roundoff : {0.0, 1e-15, 1e-13}) {
        Eigen::VectorXd relaxed = c;
        relaxed.tail(m - set.equalities).array() += roundoff * size;
        Eigen::VectorXd y(n);
        if (!shortest(F, relaxed, free_multipliers(set), y)) continue;
        x = z + metric.unwhitened(y);
        return ProxStatus::Converged;
    }
    return ProxStatus::NotConverged;
}

double support(const Inequalities& set, const Eigen::Ref<const Eigen::VectorXd>& p)
{
    const Eigen::Index n = p.size(), m = set.bounds.size();
    const double length = p.norm();
    if (length == 0) return 0;

    // bounded in the direction p exactly if p is a combination of outward normals
    Eigen::VectorXd multipliers = Eigen::VectorXd::Zero(m), beyond = p;
    if (m > 0) {
        solve_nonnegative_least_squares(set.normals, p, free_multipliers(set), multipliers, beyond);
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (beyond.norm() > direction_tolerance * length) return infinity;

    // proximal steps x <- prox(x + t p): where x rests, p is normal, and p.x the maximum; finitely many,
    // since t grows
    constexpr double not_found = std::numeric_limits<double>::quiet_NaN();
    const Metric euclidean = Metric::euclidean();
    const Eigen::VectorXd normal = p - beyond;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(n), next(n);
    if (nearest(set, euclidean, x, next) != ProxStatus::Converged) return not_found;
    const double scale = set.bounds.lpNorm<Eigen::Infinity>() + next.norm() + 1e-300;
    constexpr int max_steps = 60;
    constexpr double at_rest = 1e-12, longest = 1e6;
    double t = scale / length;
    for (int step = 0; step < max_steps; ++step) {
        x = next;
        if (nearest(set, euclidean, x + t * normal, next) != ProxStatus::Converged) return not_found;
        if ((next - x).norm() <= at_rest * (scale + t * length)) return p.dot(next);
        if (t * length < longest * (scale + next.norm())) t *= 4;
    }
    return not_found;
}

}  // namespace carom::detail
