#include "series/vanishing.hpp"

#include <algorithm>
#include <cmath>

namespace carom {

void divide(std::span<const double> a, std::span<const double> b, int valuation, std::span<double> q)
{
    const auto v = static_cast<std::size_t>(valuation);
    for (std::size_t k = 0; k < q.size(); ++k) {
        double sum = a[k + v];
        for (std::size_t j = 1; j <= k; ++j) {
            sum -= b[j + v] * q[k - j];
        }
        q[k] = sum / b[v];
    }
}

void square_root(std::span<const double> a, int half, std::span<double> r)
{
    const auto v = 2 * static_cast<std::size_t>(half);
    for (std::size_t k = 0; k < r.size(); ++k) {
        if (k == 0) {
            r[0] = std::sqrt(a[v]);
            continue;
        }
        double sum = a[k + v];
        for (std::size_t j = 1; j < k; ++j) {
            sum -= r[j] * r[k - j];
        }
        r[k] = sum / (2 * r[0]);
    }
}

void direction(std::span<const double> f, int dimension, int valuation, std::span<double> d,
               std::span<double> scratch)
{
    const auto v = static_cast<std::size_t>(valuation), components = static_cast<std::size_t>(dimension);
    const std::size_t given = f.size() / components, wanted = d.size() / components;

    // |f|^2 from t^2v on, its root from t^v on, and f over that
    const auto squares = scratch.first(wanted + 2 * v), length = scratch.subspan(wanted + 2 * v, wanted);
    std::fill(squares.begin(), squares.end(), 0.0);
    for (std::size_t c = 0; c < components; ++c) {
        const double* f_c = f.data() + c * given + v;
        for (std::size_t k = 0; k < wanted; ++k) {
            for (std::size_t j = 0; j <= k; ++j) {
                squares[k + 2 * v] += f_c[j] * f_c[k - j];
            }
        }
    }
    square_root(squares, valuation, length);
    for (std::size_t c = 0; c < components; ++c) {
        divide(f.subspan(c * given + v, wanted), length, 0, d.subspan(c * wanted, wanted));
    }
}

}  // namespace carom
