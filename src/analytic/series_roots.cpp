#include "series_roots.hpp"

#include "series/series_tape.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr int deepest = 45;  ///< halvings after which two roots are one that touches

}  // namespace

std::optional<Root> RootFinder::first_root(const double* c, int order, int valuation, double h)
{
    // on [0, 1]
    c_.clear();
    double power = 1, rest = 0;
    for (int k = valuation; k <= order; ++k) {
        c_.push_back(c[k] * power);
        if (k > valuation) rest += std::abs(c_.back());
        power *= h;
    }
    // mostly the first coefficient is larger than all that follows: no root
    if (c_[0] > rest || rest == 0) return std::nullopt;
    rounding_ = 4e-16 * (std::abs(c_[0]) + rest);

    // Bernstein coefficients b_i = sum_k C(i,k) / C(n,k) c_k
    const auto n = static_cast<int>(c_.size()) - 1;
    halves_.resize(c_.size() * (deepest + 1));
    const std::span<double> b(halves_.data(), c_.size());
    std::ranges::copy(c_, b.begin());
    for (int k = 1; k <= n; ++k) {
        // divide by binomials, then sum along the diagonals
        double binomial = 1;
        for (int j = 1; j <= k; ++j) {
            binomial *= static_cast<double>(n - k + j) / j;
        }
        b[static_cast<std::size_t>(k)] /= binomial;
    }
    for (int level = 1; level <= n; ++level) {
        for (int i = n; i >= level; --i) {
            b[static_cast<std::size_t>(i)] += b[static_cast<std::size_t>(i) - 1];
        }
    }
    auto root = search(b, 0, 1, 0);
    if (root) root->t *= h;
    return root;
}

std::optional<Root> RootFinder::search(std::span<double> b, double low, double high, int depth)
{
    const double smallest = *std::ranges::min_element(b);
    if (smallest > 0 ||
        (depth > 0 && smallest >= -rounding_ && b.front() > rounding_ && b.back() > rounding_))
        return std::nullopt;
    int changes = 0;
    double last = b.front();
    for (const double value : b) {
        if (value == 0) continue;
        if ((value > 0) != (last > 0)) ++changes;
        last = value;
    }
    if (changes == 0) return std::nullopt;
    if (changes == 1 && b.front() > 0 && b.back() <= 0) return Root{polished(low, high), false};
    if (depth == deepest) {
        if (std::abs(b.front()) > rounding_) return std::nullopt;
        return Root{low, true};
    }

    // de Casteljau at the middle: left half first
    const std::size_t n = b.size() - 1;
    const std::span<double> left(halves_.data() + static_cast<std::size_t>(depth + 1) * b.size(), b.size());
    for (std::size_t level = 0; level <= n; ++level) {
        left[level] = b[0];
        for (std::size_t i = 0; i + level < n; ++i) {
            b[i] = (b[i] + b[i + 1]) / 2;
        }
    }
    const double middle = (low + high) / 2;
    if (auto root = search(left, low, middle, depth + 1)) return root;
    return search(b, middle, high, depth + 1);
}

/// Newton's method kept between a point above and one not above zero.
double RootFinder::polished(double low, double high) const
{
    const auto order = static_cast<int>(c_.size()) - 1;
    double t = (low + high) / 2;
    for (int n = 0; n < 100; ++n) {
        const double value = series_value(c_.data(), order, t);
        (value > 0 ? low : high) = t;
        const double next = t - value / series_slope(c_.data(), order, t);
        const double before = t;
        t = next > low && next < high ? next : (low + high) / 2;
        if (std::abs(t - before) <= 1e-16 * t || !(high - low > 1e-16 * high)) break;
    }
    return t;
}

}  // namespace carom::detail
