#pragma once

#include <optional>
#include <span>
#include <vector>

namespace carom::detail {

/// A root of a power series.
struct Root {
    double t = 0;
    bool touches = false;  ///< the function comes down to zero within rounding and does not cross it
};

/// Roots of event functions (PS-7). Memory is kept from call to call.
class RootFinder {
public:
    /// The smallest root in (0, h] of sum_k c_k t^k, k = valuation .. order, divided by t^valuation; the
    /// leading coefficient is positive, lower ones are zero by status and not read. Isolated by the signs of
    /// Bernstein coefficients, then by Newton's method to rounding.
    [[nodiscard]] std::optional<Root> first_root(const double* c, int order, int valuation, double h);

private:
    [[nodiscard]] std::optional<Root> search(std::span<double> bernstein, double low, double high, int depth);
    [[nodiscard]] double polished(double low, double high) const;

    std::vector<double> c_;       ///< on [0, 1]
    std::vector<double> halves_;  ///< Bernstein coefficients, one row per halving
    double rounding_ = 0;
};

}  // namespace carom::detail
