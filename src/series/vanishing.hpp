#pragma once

#include <span>

namespace carom {

/// Quotients, roots and directions of truncated power series that vanish at the instant they are taken at, to
/// an order that is known: the valuation. It comes from what the series is (a gap that closes, a slip that
/// begins), never from the size of coefficients, which rounding spoils. Coefficient k of a series is that of
/// t^k. Results have as many coefficients as their spans; nothing is allocated, and results must not overlap
/// what they are made of.
///
/// Theory     docs/theory/series.md, (PS-12)

/// q = a / b where both begin with t^valuation: needs q.size() + valuation coefficients of a and b, and
/// b[valuation] != 0.
void divide(std::span<const double> a, std::span<const double> b, int valuation, std::span<double> q);

/// r = sqrt(a) / t^half where a begins with t^(2 half) and a positive coefficient: needs r.size() + 2 half
/// coefficients of a. The root itself is t^half r.
void square_root(std::span<const double> a, int half, std::span<double> r);

/// d = f / |f| of a vector series that begins with t^valuation, component after component: f holds
/// `dimension` series of f.size() / dimension coefficients each, d as many of its own. Needs `valuation`
/// coefficients more of f than of d, and f_v != 0. `scratch`: at least 2 d.size() / dimension + 2 valuation
/// numbers.
void direction(std::span<const double> f, int dimension, int valuation, std::span<double> d,
               std::span<double> scratch);

}  // namespace carom
