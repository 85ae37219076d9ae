#pragma once

#include "carom/convex/metric.hpp"

#include <memory>
#include <span>

namespace carom {

/// A nonempty closed convex set C of R^n: membership, nearest point, support function, polar.
///
/// Symbols    z, v, x  points;  p  covector;  |.|  norm of the metric, Euclidean where none is named
/// Theory     docs/theory/convex_sets.md, (CS-3) nearest point, (CS-4) normal cone, (CS-5) support function,
///            (CS-6) polar cone
/// Papers     [M83 Sec. 5] prox;  the sets of percussions of every law are of this kind
///
/// Points are spans, so that a law can keep them in small fixed arrays, or vectors of Eigen. A set is
/// constant once made and safe to share between threads. Sets that are not given by a closed form (sums,
/// linear images) fit the same interface: their prox may end with `NotConverged`.

/// How a projection ended.
enum class ProxStatus {
    Converged,     ///< x is the nearest point up to roundoff
    NotConverged,  ///< x is the best point found; never the end of a closed form
    NotFinite,     ///< z holds NaN or infinity; so may x
};

class ConvexSet {
public:
    virtual ~ConvexSet() = default;

    /// n of R^n.
    [[nodiscard]] virtual int dimension() const noexcept = 0;

    /// Size of the numbers that describe the set, in the units of its points; zero for a cone.
    [[nodiscard]] virtual double size() const noexcept { return 0; }

    /// Whether the distance of v to C is at most tolerance * (|v| + size()). False if v is not finite.
    [[nodiscard]] bool contains(std::span<const double> v, double tolerance = 1e-12) const;

    /// Nearest point of C to z, Euclidean (CS-3). x may be z itself. The closed forms allocate nothing.
    ProxStatus prox(std::span<const double> z, std::span<double> x) const;

    /// Nearest point in a metric. x may be z itself. May allocate.
    ProxStatus prox(const Metric& metric, std::span<const double> z, std::span<double> x) const;

    /// sup { p.v : v in C }, +infinity where there is no bound (CS-5). Directions that differ from one with a
    /// finite value by roundoff count as that one.
    [[nodiscard]] double support(std::span<const double> p) const;

    // the same for vectors of Eigen
    using ConstVector = Eigen::Ref<const Eigen::VectorXd>;
    using Vector = Eigen::Ref<Eigen::VectorXd>;
    [[nodiscard]] bool contains(const ConstVector& v, double tolerance = 1e-12) const;
    ProxStatus prox(const ConstVector& z, Vector x) const;
    ProxStatus prox(const Metric& metric, const ConstVector& z, Vector x) const;
    [[nodiscard]] double support(const ConstVector& p) const;

    /// { p : p.v <= 0 for every v in C }, the polar of a cone (CS-6); null if C is not a cone with apex 0.
    [[nodiscard]] virtual std::unique_ptr<ConvexSet> polar_cone() const { return nullptr; }

protected:
    ConvexSet() = default;
    ConvexSet(const ConvexSet&) = default;
    ConvexSet(ConvexSet&&) = default;
    ConvexSet& operator=(const ConvexSet&) = default;
    ConvexSet& operator=(ConvexSet&&) = default;

    using ConstPoint = Eigen::Map<const Eigen::VectorXd>;
    using Point = Eigen::Map<Eigen::VectorXd>;

    /// What a set has to provide. Sizes are checked, points are finite, x is not z, the metric is not
    /// Euclidean.
    [[nodiscard]] virtual double distance_to(ConstPoint v) const = 0;
    virtual ProxStatus nearest(ConstPoint z, Point x) const = 0;
    virtual ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const = 0;
    [[nodiscard]] virtual double support_at(ConstPoint p) const = 0;

private:
    void require_dimension(std::size_t n) const;
};

/// Relative roundoff below which two directions are one, for support functions that are finite only there.
inline constexpr double direction_tolerance = 1e-12;

}  // namespace carom
