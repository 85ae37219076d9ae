#pragma once

#include "core/four_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

/// Dense matrices of a few dozen rows, for islands of a few contacts. Every sum is in the order of a plain
/// loop, whatever the width of the registers: all machines get the same bits.

namespace carom::detail {

/// y += a x; the two do not overlap.
[[gnu::always_inline]] inline void add_multiple(double a, const double* x, std::size_t n, double* y)
{
    std::size_t j = 0;
    for (; j + 4 <= n; j += 4) {
        store_four(load_four(y + j) + a * load_four(x + j), y + j);
    }
    for (; j < n; ++j) {
        y[j] += a * x[j];
    }
}

/// A = P L U by rows, in place, with the largest pivots of the columns. False where one is zero or infinite.
[[gnu::always_inline]] inline bool eliminate_here(double* A, std::size_t n, int* pivots)
{
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t best = k;
        for (std::size_t i = k + 1; i < n; ++i) {
            if (std::abs(A[i * n + k]) > std::abs(A[best * n + k])) best = i;
        }
        pivots[k] = static_cast<int>(best);
        double* above = A + k * n;
        if (best != k) std::swap_ranges(above, above + n, A + best * n);
        const double pivot = above[k];
        if (!(std::abs(pivot) > 0) || !std::isfinite(pivot)) return false;
        const double inverse = 1 / pivot;
        for (std::size_t i = k + 1; i < n; ++i) {
            double* row = A + i * n;
            if (row[k] == 0) continue;
            const double part = row[k] *= inverse;
            add_multiple(-part, above + k + 1, n - k - 1, row + k + 1);
        }
    }
    return true;
}

/// Rank of a positive semidefinite matrix, W = L D L^T by its lower half, in place, rows and columns
/// exchanged together: pivots below `smallest` of the largest are rounding. `column` has room for n numbers.
[[gnu::always_inline]] inline std::size_t rank_here(double* A, std::size_t n, double smallest, double* column)
{
    double first = 0;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t l = k;
        for (std::size_t i = k + 1; i < n; ++i) {
            if (A[i * n + i] > A[l * n + l]) l = i;
        }
        if (A[l * n + l] > 4 * A[k * n + k]) {  // about as large is good enough
            std::swap(A[k * n + k], A[l * n + l]);
            for (std::size_t i = k + 1; i < l; ++i) {
                std::swap(A[i * n + k], A[l * n + i]);
            }
            for (std::size_t i = l + 1; i < n; ++i) {
                std::swap(A[i * n + k], A[i * n + l]);
            }
        }
        const double pivot = A[k * n + k];
        if (k == 0) first = pivot;
        if (!(pivot > smallest * first)) return k;
        for (std::size_t i = k + 1; i < n; ++i) {
            column[i] = A[i * n + k];
        }
        for (std::size_t i = k + 1; i < n; ++i) {
            if (column[i] == 0) continue;
            add_multiple(-column[i] / pivot, column + k + 1, i - k, A + i * n + k + 1);
        }
    }
    return n;
}

/// y += A x, with A by columns.
[[gnu::always_inline]] inline void add_product_here(const double* A, std::size_t n, const double* x,
                                                    double* y)
{
    for (std::size_t j = 0; j < n; ++j) {
        if (x[j] != 0) add_multiple(x[j], A + j * n, n, y);  // open contacts have no percussion
    }
}

CAROM_WIDE inline bool eliminate_wide(double* A, std::size_t n, int* pivots)
{
    return eliminate_here(A, n, pivots);
}
CAROM_WIDE inline std::size_t rank_wide(double* A, std::size_t n, double smallest, double* column)
{
    return rank_here(A, n, smallest, column);
}
CAROM_WIDE inline void add_product_wide(const double* A, std::size_t n, const double* x, double* y)
{
    add_product_here(A, n, x, y);
}

inline bool eliminate(double* A, std::size_t n, int* pivots)
{
    return has_wide_registers() ? eliminate_wide(A, n, pivots) : eliminate_here(A, n, pivots);
}
inline std::size_t rank_of(double* A, std::size_t n, double smallest, double* column)
{
    return has_wide_registers() ? rank_wide(A, n, smallest, column) : rank_here(A, n, smallest, column);
}
inline void add_product(const double* A, std::size_t n, const double* x, double* y)
{
    has_wide_registers() ? add_product_wide(A, n, x, y) : add_product_here(A, n, x, y);
}

}  // namespace carom::detail
