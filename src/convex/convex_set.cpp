#include "carom/convex/convex_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace carom {

namespace {

bool all_finite(std::span<const double> v)
{
    return std::all_of(v.begin(), v.end(), [](double value) { return std::isfinite(value); });
}

/// Copy of a point that may be overwritten: on the stack for the blocks that contact laws have.
class Copy {
public:
    explicit Copy(std::span<const double> z) : size_(z.size())
    {
        if (size_ > small_.size()) {
            large_.assign(z.begin(), z.end());
        } else {
            std::copy(z.begin(), z.end(), small_.begin());
        }
    }
    [[nodiscard]] const double* data() const { return size_ > small_.size() ? large_.data() : small_.data(); }

private:
    std::size_t size_;
    std::array<double, 8> small_{};
    std::vector<double> large_;
};

std::span<const double> as_span(const Eigen::Ref<const Eigen::VectorXd>& v)
{
    return {v.data(), static_cast<std::size_t>(v.size())};
}

Eigen::Index length(std::span<const double> v)
{
    return static_cast<Eigen::Index>(v.size());
}

}  // namespace

void ConvexSet::require_dimension(std::size_t n) const
{
    if (n != static_cast<std::size_t>(dimension())) {
        throw InternalError("a point of a convex set has the wrong number of components");
    }
}

bool ConvexSet::contains(std::span<const double> v, double tolerance) const
{
    require_dimension(v.size());
    if (!all_finite(v)) return false;
    const ConstPoint point(v.data(), length(v));
    return distance_to(point) <= tolerance * (point.norm() + size());
}

ProxStatus ConvexSet::prox(std::span<const double> z, std::span<double> x) const
{
    static const Metric euclidean = Metric::euclidean();
    return prox(euclidean, z, x);
}

ProxStatus ConvexSet::prox(const Metric& metric, std::span<const double> z, std::span<double> x) const
{
    require_dimension(z.size());
    require_dimension(x.size());
    if (!metric.fits(length(z))) throw InternalError("a metric and a point differ in dimension");
    if (!all_finite(z)) {
        std::copy(z.begin(), z.end(), x.begin());
        return ProxStatus::NotFinite;
    }
    const Copy copy(z);
    const ConstPoint from(copy.data(), length(z));
    const Point to(x.data(), length(x));
    return metric.is_euclidean() ? nearest(from, to) : nearest_in(metric, from, to);
}

double ConvexSet::support(std::span<const double> p) const
{
    require_dimension(p.size());
    if (!all_finite(p)) return std::numeric_limits<double>::quiet_NaN();
    return support_at(ConstPoint(p.data(), length(p)));
}

bool ConvexSet::contains(const ConstVector& v, double tolerance) const
{
    return contains(as_span(v), tolerance);
}

ProxStatus ConvexSet::prox(const ConstVector& z, Vector x) const
{
    return prox(as_span(z), std::span<double>(x.data(), static_cast<std::size_t>(x.size())));
}

ProxStatus ConvexSet::prox(const Metric& metric, const ConstVector& z, Vector x) const
{
    return prox(metric, as_span(z), std::span<double>(x.data(), static_cast<std::size_t>(x.size())));
}

double ConvexSet::support(const ConstVector& p) const
{
    return support(as_span(p));
}

}  // namespace carom
