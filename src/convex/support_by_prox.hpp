#pragma once

#include "carom/convex/convex_set.hpp"

#include <cmath>
#include <limits>

namespace carom::detail {

/// S_C(p) of a set that only knows its nearest points, by proximal steps x <- prox_C(x + t p) (CS-20): p.x
/// grows and is the maximum when x rests. Ends after one or two steps on polyhedral sets. NaN where a
/// projection or the steps do not converge.
inline double support_by_prox(const ConvexSet& set, const Eigen::Ref<const Eigen::VectorXd>& p)
{
    const double length = p.norm();
    Eigen::VectorXd x = Eigen::VectorXd::Zero(p.size());
    if (set.prox(x, x) != ProxStatus::Converged) return std::numeric_limits<double>::quiet_NaN();
    if (length == 0) return 0;
    const Eigen::VectorXd start = x;
    const double scale = set.size() + x.norm() > 0 ? set.size() + x.norm() : 1;

    // the steps grow; a point beyond every length of the set says that it has no end in this direction
    constexpr int max_steps = 60;
    constexpr double far = 1e5, at_rest = 1e-13, longest = 1e14;
    double t = scale / length;
    for (int step = 0; step < max_steps; ++step) {
        Eigen::VectorXd next(x.size());
        if (set.prox(x + t * p, next) != ProxStatus::Converged) break;
        const double moved = (next - x).norm();
        x = next;
        const double gained = p.dot(x - start);
        if (moved <= at_rest * (scale + x.norm())) return p.dot(x);
        if (x.norm() > far * scale && gained > direction_tolerance * length * x.norm()) {
            return std::numeric_limits<double>::infinity();
        }
        if (t * length < longest * scale) t *= 4;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace carom::detail
