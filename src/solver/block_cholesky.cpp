#include "solver/block_cholesky.hpp"

#include "carom/core/expected.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

// sizes are template arguments where all block rows have the same one, 0 where they are known at run time

/// The lower triangle of a becomes L with a = L L^T, inverses on its diagonal. Returns the least pivot beside
/// what `was` there; not above `singular`: it stopped there.
template <int D>
double factorise_diagonal(int size, double singular, const double* was, double* a)
{
    double smallest = 1;
    const int d = D > 0 ? D : size;
    for (int i = 0; i < d; ++i) {
        double* row = a + i * d;
        for (int j = 0; j < i; ++j) {
            const double* other = a + j * d;
            double sum = row[j];
            for (int k = 0; k < j; ++k) {
                sum -= row[k] * other[k];
            }
            row[j] = sum * other[j];
        }
        double pivot = row[i];
        for (int k = 0; k < i; ++k) {
            pivot -= row[k] * row[k];
        }
        if (!(pivot > singular * was[i])) return singular;
        smallest = std::min(smallest, pivot / was[i]);
        row[i] = 1 / std::sqrt(pivot);
    }
    return smallest;
}

/// b <- b L^-T, b of `rows` rows.
template <int D>
void divide(int rows, int size, const double* L, double* b)
{
    const int d = D > 0 ? D : size;
    for (int r = 0; r < rows; ++r) {
        double* row = b + r * d;
        for (int j = 0; j < d; ++j) {
            const double* other = L + j * d;
            double sum = row[j];
            for (int k = 0; k < j; ++k) {
                sum -= row[k] * other[k];
            }
            row[j] = sum * other[j];
        }
    }
}

/// c -= a b^T, c of `rows` rows and `columns` columns.
template <int D>
void subtract_product(int rows, int columns, int size, const double* __restrict a, const double* __restrict b,
                      double* __restrict c)
{
    const int d = D > 0 ? D : size;
    const int n = D > 0 ? D : columns, m = D > 0 ? D : rows;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < d; ++k) {
                sum += a[i * d + k] * b[j * d + k];
            }
            c[i * n + j] -= sum;
        }
    }
}

}  // namespace

bool BlockCholesky::analyse(std::span<const int> sizes, std::span<const std::array<int, 2>> pairs)
{
    sizes_.assign(sizes.begin(), sizes.end());
    first_.assign(1, 0);
    for (const int size : sizes) {
        first_.push_back(first_.back() + size);
    }
    const bool same = std::ranges::all_of(sizes, [&](int size) { return size == sizes.front(); });
    uniform_ = same && !sizes.empty() ? sizes.front() : 0;
    pattern_.analyse(static_cast<int>(sizes.size()), pairs);
    const std::size_t numbers = place_blocks();
    if (numbers > max_numbers) return false;
    values_.assign(numbers, 0.0);
    diagonal_before_.resize(static_cast<std::size_t>(first_.back()));
    return true;
}

/// Where blocks lie, the diagonal one of a place first, then those below it. Returns how many numbers they
/// have.
std::size_t BlockCholesky::place_blocks()
{
    diagonal_.clear();
    at_.clear();
    std::size_t used = 0;
    const auto size_of = [&](int place) {
        return static_cast<std::size_t>(
            sizes_[static_cast<std::size_t>(pattern_.order[static_cast<std::size_t>(place)])]);
    };
    for (std::size_t k = 0; k < pattern_.size(); ++k) {
        const std::size_t size = size_of(static_cast<int>(k));
        diagonal_.push_back(used);
        used += size * size;
        for (const int row : pattern_.below(k)) {
            at_.push_back(used);
            used += size * size_of(row);
        }
    }
    return used;
}

BlockCholesky::Slot BlockCholesky::slot(int i, int j) const
{
    const int row = pattern_.place[static_cast<std::size_t>(i)],
              column = pattern_.place[static_cast<std::size_t>(j)];
    const auto first = static_cast<std::size_t>(std::min(row, column));
    if (row == column) return {.at = diagonal_[first]};
    for (std::size_t e = pattern_.begin[first]; e < pattern_.begin[first + 1]; ++e) {
        if (pattern_.rows[e] == std::max(row, column)) return {.at = at_[e], .transposed = row < column};
    }
    throw InternalError("a block outside of the pattern");
}

void BlockCholesky::set_zero()
{
    std::fill(values_.begin(), values_.end(), 0.0);
}

bool BlockCholesky::factorise(double singular)
{
    switch (uniform_) {
    case 2: return factorise_blocks<2>(singular);
    case 3: return factorise_blocks<3>(singular);
    case 5: return factorise_blocks<5>(singular);
    case 6: return factorise_blocks<6>(singular);
    default: return factorise_blocks<0>(singular);
    }
}

template <int D>
bool BlockCholesky::factorise_blocks(double singular)
{
    const auto size_of = [&](int place) {
        return D > 0 ? D : sizes_[static_cast<std::size_t>(pattern_.order[static_cast<std::size_t>(place)])];
    };
    double* const values = values_.data();

    // pivots are small beside what was there before anything was eliminated
    for (std::size_t k = 0; k < pattern_.order.size(); ++k) {
        const int size = size_of(static_cast<int>(k));
        double* const was = diagonal_before_.data() + first_[static_cast<std::size_t>(pattern_.order[k])];
        for (int i = 0; i < size; ++i) {
            was[i] = values[diagonal_[k] + static_cast<std::size_t>(i * (size + 1))];
        }
    }
    smallest_pivot_ = 1;
    for (std::size_t k = 0; k < pattern_.order.size(); ++k) {
        const int size = size_of(static_cast<int>(k));
        double* const L = values + diagonal_[k];
        const double* was = diagonal_before_.data() + first_[static_cast<std::size_t>(pattern_.order[k])];
        const double smallest = factorise_diagonal<D>(size, singular, was, L);
        if (!(smallest > singular)) return false;
        smallest_pivot_ = std::min(smallest_pivot_, smallest);
        for (std::size_t e = pattern_.begin[k]; e < pattern_.begin[k + 1]; ++e) {
            divide<D>(size_of(pattern_.rows[e]), size, L, values + at_[e]);
        }

        // what comes later loses the products of the blocks below, two and two; both lists are sorted
        for (std::size_t b = pattern_.begin[k]; b < pattern_.begin[k + 1]; ++b) {
            const int column = pattern_.rows[b], columns = size_of(column);
            const double* const right = values + at_[b];
            subtract_product<D>(columns, columns, size, right, right,
                                values + diagonal_[static_cast<std::size_t>(column)]);
            std::size_t target = pattern_.begin[static_cast<std::size_t>(column)];
            for (std::size_t a = b + 1; a < pattern_.begin[k + 1]; ++a) {
                while (pattern_.rows[target] != pattern_.rows[a]) {
                    ++target;
                }
                subtract_product<D>(size_of(pattern_.rows[a]), columns, size, values + at_[a], right,
                                    values + at_[target]);
            }
        }
    }
    return true;
}

void BlockCholesky::solve(std::span<double> b) const
{
    switch (uniform_) {
    case 2: return solve_blocks<2>(b);
    case 3: return solve_blocks<3>(b);
    case 5: return solve_blocks<5>(b);
    case 6: return solve_blocks<6>(b);
    default: return solve_blocks<0>(b);
    }
}

template <int D>
void BlockCholesky::solve_blocks(std::span<double> b) const
{
    const auto row_of = [&](int place) {
        return static_cast<std::size_t>(pattern_.order[static_cast<std::size_t>(place)]);
    };
    const auto n = static_cast<int>(pattern_.order.size());
    const double* const values = values_.data();

    // L y = b
    for (int place = 0; place < n; ++place) {
        const auto k = static_cast<std::size_t>(place);
        const int d = D > 0 ? D : sizes_[row_of(place)];
        double* x = b.data() + first_[row_of(place)];
        const double* L = values + diagonal_[k];
        for (int i = 0; i < d; ++i) {
            double sum = x[i];
            for (int j = 0; j < i; ++j) {
                sum -= L[i * d + j] * x[j];
            }
            x[i] = sum * L[i * d + i];
        }
        for (std::size_t e = pattern_.begin[k]; e < pattern_.begin[k + 1]; ++e) {
            const std::size_t other = row_of(pattern_.rows[e]);
            double* y = b.data() + first_[other];
            const double* block = values + at_[e];
            for (int i = 0; i < (D > 0 ? D : sizes_[other]); ++i) {
                double sum = 0;
                for (int j = 0; j < d; ++j) {
                    sum += block[i * d + j] * x[j];
                }
                y[i] -= sum;
            }
        }
    }

    // L^T x = y
    for (int place = n - 1; place >= 0; --place) {
        const auto k = static_cast<std::size_t>(place);
        const int d = D > 0 ? D : sizes_[row_of(place)];
        double* x = b.data() + first_[row_of(place)];
        const double* L = values + diagonal_[k];
        for (std::size_t e = pattern_.begin[k]; e < pattern_.begin[k + 1]; ++e) {
            const std::size_t other = row_of(pattern_.rows[e]);
            const double* y = b.data() + first_[other];
            const double* block = values + at_[e];
            for (int i = 0; i < (D > 0 ? D : sizes_[other]); ++i) {
                for (int j = 0; j < d; ++j) {
                    x[j] -= block[i * d + j] * y[i];
                }
            }
        }
        for (int i = d - 1; i >= 0; --i) {
            double sum = x[i];
            for (int j = i + 1; j < d; ++j) {
                sum -= L[j * d + i] * x[j];
            }
            x[i] = sum * L[i * d + i];
        }
    }
}

}  // namespace carom
