#include "series_loads.hpp"

#include "core/dense.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr double rank_part = 1e-12;      ///< singular values below this part of the largest are zero
constexpr double carried_part = 1e-10;   ///< of the accelerations: what loads may leave
constexpr double margin_part = 1e-6;     ///< of the loads: margins that count as positive
constexpr double barrier_weight = 1e-2;  ///< of the barrier beside the length of the loads
constexpr int max_steps = 200;

/// Margins of loads, all positive inside the cones: affine functions a.r + c, and for discs
/// (mu r_N + c)^2 - |r_T|^2. A slack s is added to every r_N.
class Margins {
public:
    explicit Margins(const std::vector<LoadCone>& cones) : cones_(cones) {}

    /// Calls visit(normal weight, tangent weight, offset) for each affine margin w_N (r_N + s) + w_T r_T.
    template <class Visit>
    void each_affine(const Visit& visit) const
    {
        for (const LoadCone& cone : cones_) {
            visit(1.0, 0.0, cone.offset);
            if (cone.dimension != 2 || !std::isfinite(cone.bound)) continue;
            visit(-cone.low * cone.bound, 1.0, cone.offset);
            visit(cone.high * cone.bound, -1.0, cone.offset);
        }
    }

    template <class Visit>
    void each_disc(const Visit& visit) const
    {
        for (const LoadCone& cone : cones_) {
            if (cone.dimension == 3 && std::isfinite(cone.bound)) visit(cone);
        }
    }

    /// The least margin of loads, in units of loads.
    [[nodiscard]] double smallest(const Eigen::VectorXd& r, double s) const
    {
        double result = std::numeric_limits<double>::infinity();
        each_affine([&](double normal, double tangent, int at) {
            const double value = normal * (r[at] + s) + (tangent != 0 ? tangent * r[at + 1] : 0);
            result = std::min(result, value);
        });
        each_disc([&](const LoadCone& cone) {
            const double slip = std::hypot(r[cone.offset + 1], r[cone.offset + 2]);
            result = std::min(result, cone.bound * (r[cone.offset] + s) - slip);
        });
        return result;
    }

    /// Gradient and Hessian of -sum log(margins) with respect to (r, s), added.
    void add_barrier(const Eigen::VectorXd& r, double s, double by, Eigen::VectorXd& g,
                     Eigen::MatrixXd& H) const
    {
        const Eigen::Index last = r.size();
        Eigen::VectorXd a(last + 1);
        each_affine([&](double normal, double tangent, int at) {
            a.setZero();
            a[at] = a[last] = normal;
            if (tangent != 0) a[at + 1] = tangent;
            const double value = normal * (r[at] + s) + (tangent != 0 ? tangent * r[at + 1] : 0);
            g -= by / value * a;
            H += by / (value * value) * a * a.transpose();
        });
        each_disc([&](const LoadCone& cone) {
            const int at = cone.offset;
            const double normal = cone.bound * (r[at] + s);
            const double value = normal * normal - r[at + 1] * r[at + 1] - r[at + 2] * r[at + 2];
            a.setZero();
            a[at] = a[last] = 2 * cone.bound * normal;
            a[at + 1] = -2 * r[at + 1];
            a[at + 2] = -2 * r[at + 2];
            g -= by / value * a;
            H += by / (value * value) * a * a.transpose();
            const double square = 2 * cone.bound * cone.bound;
            for (const auto i : {static_cast<Eigen::Index>(at), last}) {
                for (const auto j : {static_cast<Eigen::Index>(at), last}) {
                    H(i, j) -= by / value * square;
                }
            }
            H(at + 1, at + 1) += by / value * 2;
            H(at + 2, at + 2) += by / value * 2;
        });
    }

private:
    const std::vector<LoadCone>& cones_;
};

/// The loads r_0 + N y of a system of cones, seen in units of r_0.
struct Family {
    Eigen::VectorXd r_0;
    Eigen::MatrixXd N;
};

std::optional<Family> balanced_loads(const Eigen::MatrixXd& W, const Eigen::VectorXd& e)
{
    const Svd svd(W, Eigen::ComputeThinU | Eigen::ComputeFullV);
    const Eigen::VectorXd& values = svd.values();
    if (values.size() == 0 || !(values[0] > 0)) return std::nullopt;
    Eigen::Index rank = 0;
    while (rank < values.size() && values[rank] > rank_part * values[0])
        ++rank;
    Eigen::VectorXd r = Eigen::VectorXd::Zero(W.cols());
    for (Eigen::Index k = 0; k < rank; ++k) {
        r -= svd.U().col(k).dot(e) / values[k] * svd.V().col(k);
    }
    const double size = r.cwiseAbs().maxCoeff(), pushed = e.cwiseAbs().maxCoeff();
    if (!(size > 0) || !((W * r + e).cwiseAbs().maxCoeff() <= carried_part * pushed)) return std::nullopt;
    return Family{r, size * svd.V().rightCols(W.cols() - rank)};
}

}  // namespace

std::optional<Eigen::VectorXd> loads_inside(const Eigen::MatrixXd& W, const Eigen::VectorXd& e,
                                            const std::vector<LoadCone>& cones)
{
    const auto family = balanced_loads(W, e);
    if (!family) return std::nullopt;
    const auto& [r_0, N] = *family;
    const double size = r_0.cwiseAbs().maxCoeff();
    const Margins margins(cones);

    // a slack that makes all margins positive is driven below zero, then the loads are made short (PS-20)
    const Eigen::Index m = N.cols(), last = r_0.size();
    Eigen::VectorXd y = Eigen::VectorXd::Zero(m), r = r_0;
    double s = size;
    while (margins.smallest(r, s) <= 0 && s < 1e12 * size)
        s *= 2;
    if (margins.smallest(r, s) <= 0) return std::nullopt;
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(last + 1, m + 1);
    B.topLeftCorner(last, m) = N;
    B(last, m) = size;
    bool inside = false;
    for (int n = 0; n < max_steps; ++n) {
        if (!inside && margins.smallest(r, 0) > margin_part * size) {
            inside = true;
            s = 0;
        }
        // outside: s/size - barrier_weight sum log; inside: |r|^2 / (2 size^2) - barrier_weight sum log,
        // without the slack
        Eigen::VectorXd g = Eigen::VectorXd::Zero(last + 1);
        Eigen::MatrixXd H = Eigen::MatrixXd::Zero(last + 1, last + 1);
        margins.add_barrier(r, s, barrier_weight, g, H);
        if (inside) {
            g.head(last) += r / (size * size);
            H.topLeftCorner(last, last).diagonal().array() += 1 / (size * size);
        } else {
            g[last] += 1 / size;
        }
        const Eigen::Index used = inside ? m : m + 1;
        const Eigen::VectorXd slope = (B.transpose() * g).head(used);
        Eigen::MatrixXd bend = (B.transpose() * H * B).topLeftCorner(used, used);
        bend.diagonal().array() += 1e-12 * (1 + bend.diagonal().cwiseAbs().maxCoeff());
        const Eigen::VectorXd step = -Ldlt(bend).solve(slope);
        if (!step.allFinite()) return std::nullopt;
        const double decrement = -slope.dot(step);
        if (!(decrement > 1e-20)) break;

        // damped Newton's method: never out of the barrier
        double part = 1 / (1 + std::sqrt(decrement / barrier_weight));
        for (;; part /= 2) {
            const Eigen::VectorXd trial = r_0 + N * (y + part * step.head(m));
            const double slack = inside ? 0 : s + part * step[m] * size;
            if (margins.smallest(trial, slack) <= 0 && part > 1e-12) continue;
            y += part * step.head(m);
            r = trial;
            s = slack;
            break;
        }
    }
    if (!(margins.smallest(r, 0) > margin_part * size)) return std::nullopt;
    return r;
}

}  // namespace carom::detail
