#include "solver/block_lu.hpp"

#include "core/four_numbers.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace carom {
namespace {

constexpr int max_in_a_word = 64;

/// A pivot block is singular where its determinant is this part of the product of its row sizes.
constexpr double singular = 1e-15;

/// c -= a b
template <int D>
inline void subtract_product(const double* __restrict a, const double* __restrict b, double* __restrict c)
{
    for (int i = 0; i < D; ++i) {
        for (int k = 0; k < D; ++k) {
            const double a_ik = a[i * D + k];
            for (int j = 0; j < D; ++j) {
                c[i * D + j] -= a_ik * b[k * D + j];
            }
        }
    }
}

/// c_j -= a b_j for the blocks of one row, c_j in the places `columns` of `work`.
template <int D>
void eliminate(const double* a, const double* b, std::span<const int> columns, double* work)
{
    for (const int j : columns) {
        subtract_product<D>(a, b, work + j * D * D);
        b += D * D;
    }
}

/// The same for blocks of three rows, a row at once: its fourth number belongs to the next row and is written
/// right with that. Reads one number behind the last block.
CAROM_WIDE void eliminate_wide(const double* a, const double* b, std::span<const int> columns, double* work)
{
    using detail::Four;
    for (const int j : columns) {
        double* c = work + j * 9;
        const Four b_0 = detail::load_four(b), b_1 = detail::load_four(b + 3), b_2 = detail::load_four(b + 6);
        const Four c_0 = detail::load_four(c) - a[0] * b_0 - a[1] * b_1 - a[2] * b_2;
        const Four c_1 = detail::load_four(c + 3) - a[3] * b_0 - a[4] * b_1 - a[5] * b_2;
        const Four c_2 = detail::load_four(c + 6) - a[6] * b_0 - a[7] * b_1 - a[8] * b_2;
        detail::store_four(c_0, c);
        detail::store_four(c_1, c + 3);
        std::memcpy(c + 6, &c_2, 3 * sizeof(double));
        b += 9;
    }
}

/// c = a b
template <int D>
inline void set_product(const double* __restrict a, const double* __restrict b, double* __restrict c)
{
    for (int i = 0; i < D; ++i) {
        for (int j = 0; j < D; ++j) {
            double sum = 0;
            for (int k = 0; k < D; ++k) {
                sum += a[i * D + k] * b[k * D + j];
            }
            c[i * D + j] = sum;
        }
    }
}

/// y -= a x
template <int D>
inline void subtract_from(const double* a, const double* x, double* y)
{
    for (int i = 0; i < D; ++i) {
        double sum = 0;
        for (int k = 0; k < D; ++k) {
            sum += a[i * D + k] * x[k];
        }
        y[i] -= sum;
    }
}

/// Inverse by cofactors; false where the block is singular to rounding.
template <int D>
bool invert(const double* a, double* inverse);

template <>
bool invert<1>(const double* a, double* inverse)
{
    inverse[0] = 1 / a[0];
    return std::abs(a[0]) > 0;
}

template <>
bool invert<2>(const double* a, double* inverse)
{
    const double det = a[0] * a[3] - a[1] * a[2];
    const double size = (std::abs(a[0]) + std::abs(a[1])) * (std::abs(a[2]) + std::abs(a[3]));
    inverse[0] = a[3] / det;
    inverse[1] = -a[1] / det;
    inverse[2] = -a[2] / det;
    inverse[3] = a[0] / det;
    return std::abs(det) > singular * size;
}

template <>
bool invert<3>(const double* a, double* inverse)
{
    const double c00 = a[4] * a[8] - a[5] * a[7], c01 = a[5] * a[6] - a[3] * a[8],
                 c02 = a[3] * a[7] - a[4] * a[6];
    const double det = a[0] * c00 + a[1] * c01 + a[2] * c02;
    double size = 1;
    for (int i = 0; i < 3; ++i) {
        size *= std::abs(a[3 * i]) + std::abs(a[3 * i + 1]) + std::abs(a[3 * i + 2]);
    }
    const double f = 1 / det;
    inverse[0] = c00 * f;
    inverse[1] = (a[2] * a[7] - a[1] * a[8]) * f;
    inverse[2] = (a[1] * a[5] - a[2] * a[4]) * f;
    inverse[3] = c01 * f;
    inverse[4] = (a[0] * a[8] - a[2] * a[6]) * f;
    inverse[5] = (a[2] * a[3] - a[0] * a[5]) * f;
    inverse[6] = c02 * f;
    inverse[7] = (a[1] * a[6] - a[0] * a[7]) * f;
    inverse[8] = (a[0] * a[4] - a[1] * a[3]) * f;
    return std::abs(det) > singular * size;
}

/// The inverse, of the block moved away from singularity where it must be. False where it had to be.
template <int D>
bool invert_safely(const double* a, double* inverse)
{
    if (invert<D>(a, inverse)) return true;
    double moved[D * D];
    double size = 0;
    for (int k = 0; k < D * D; ++k) {
        size = std::max(size, std::abs(a[k]));
    }
    double shift = std::max(1e-12 * size, std::numeric_limits<double>::min() * 1e20);
    for (int attempt = 0; attempt < 12; ++attempt, shift *= 10) {
        std::copy(a, a + D * D, moved);
        for (int k = 0; k < D; ++k) {
            moved[k * D + k] += shift;
        }
        if (invert<D>(moved, inverse)) return false;
    }
    return false;
}

}  // namespace

void BlockLu::analyse(const FlatProblem& problem)
{
    const auto m = static_cast<std::size_t>(problem.contacts());
    d_ = problem.d;
    const auto block = static_cast<std::size_t>(d_ * d_);
    order_.resize(m);
    place_.resize(m);
    upper_begin_.assign(1, 0);
    upper_.clear();
    if (problem.contacts() <= max_in_a_word) {
        order_small(problem);
    } else {
        order_large(problem);
    }
    transpose_pattern();
    diagonal_.resize(m * block);
    off_.resize(problem.W_off.size());
    L_.resize(lower_.size() * block);
    U_.resize(upper_.size() * block + 1);  // read one number at most behind its end
    inverse_.resize(m * block);
    work_.assign(m * block + 1, 0.0);
    rhs_.resize(m * static_cast<std::size_t>(d_));
}

/// Least degree first, with the graph in machine words: eliminating a contact joins its neighbours.
void BlockLu::order_small(const FlatProblem& problem)
{
    const int m = problem.contacts();
    neighbours_.assign(static_cast<std::size_t>(m), 0);
    for (int c = 0; c < m; ++c) {
        for (int k = problem.row_begin[c]; k < problem.row_begin[c + 1]; ++k) {
            const int j = problem.column[k];
            neighbours_[c] |= std::uint64_t{1} << j;
            neighbours_[j] |= std::uint64_t{1} << c;
        }
    }
    std::uint64_t left = m == max_in_a_word ? ~std::uint64_t{0} : (std::uint64_t{1} << m) - 1;
    for (int at = 0; at < m; ++at) {
        int smallest = -1, degree = max_in_a_word + 1;
        for (std::uint64_t rest = left; rest != 0; rest &= rest - 1) {
            const int c = std::countr_zero(rest);
            const int now = std::popcount(neighbours_[c] & left);
            if (now < degree) {
                degree = now;
                smallest = c;
            }
        }
        order_[at] = smallest;
        place_[smallest] = at;
        left &= ~(std::uint64_t{1} << smallest);
        const std::uint64_t joined = neighbours_[smallest] & left;
        neighbours_[smallest] = joined;
        for (std::uint64_t rest = joined; rest != 0; rest &= rest - 1) {
            const int c = std::countr_zero(rest);
            neighbours_[c] |= joined & ~(std::uint64_t{1} << c);
        }
    }
    for (int at = 0; at < m; ++at) {
        for (std::uint64_t rest = neighbours_[order_[at]]; rest != 0; rest &= rest - 1) {
            upper_.push_back(place_[std::countr_zero(rest)]);
        }
        std::sort(upper_.begin() + upper_begin_.back(), upper_.end());
        upper_begin_.push_back(static_cast<int>(upper_.size()));
    }
}

/// Approximate least degree; then row k of U has its own neighbours and those its children left to it.
void BlockLu::order_large(const FlatProblem& problem)
{
    const int m = problem.contacts();
    // both triangles and the diagonal, in compressed columns: W may couple one way only
    begin_.assign(static_cast<std::size_t>(m) + 1, 0);
    for (int c = 0; c < m; ++c) {
        begin_[c + 1] += 1 + problem.row_begin[c + 1] - problem.row_begin[c];
        for (int k = problem.row_begin[c]; k < problem.row_begin[c + 1]; ++k) {
            ++begin_[problem.column[k] + 1];
        }
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    graph_.resize(static_cast<std::size_t>(begin_.back()));
    next_.assign(begin_.begin(), begin_.end() - 1);
    for (int c = 0; c < m; ++c) {
        graph_[next_[c]++] = c;
        for (int k = problem.row_begin[c]; k < problem.row_begin[c + 1]; ++k) {
            graph_[next_[c]++] = problem.column[k];
            graph_[next_[problem.column[k]]++] = c;
        }
    }
    int kept = 0;
    for (int c = 0, from = 0; c < m; ++c) {
        const int to = begin_[c + 1];
        std::sort(graph_.begin() + from, graph_.begin() + to);
        const auto last = std::unique(graph_.begin() + from, graph_.begin() + to);
        const int first = kept;
        kept =
            static_cast<int>(std::copy(graph_.begin() + from, last, graph_.begin() + first) - graph_.begin());
        from = to;
        begin_[c + 1] = kept;
    }
    graph_.resize(static_cast<std::size_t>(kept));
    mark_.assign(graph_.size(), 0);
    const Eigen::Map<const Eigen::SparseMatrix<int>> full(m, m, kept, begin_.data(), graph_.data(),
                                                          mark_.data());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
    Eigen::SparseMatrix<int> pattern = full;
    Eigen::internal::minimum_degree_ordering(pattern, permutation);
    for (int at = 0; at < m; ++at) {
        order_[at] = permutation.indices()[at];
        place_[order_[at]] = at;
    }

    mark_.assign(static_cast<std::size_t>(m), -1);
    child_.assign(static_cast<std::size_t>(m), -1);
    next_.assign(static_cast<std::size_t>(m), -1);
    for (int at = 0; at < m; ++at) {
        mark_[at] = at;
        const auto add = [&](int j) {
            if (j <= at || mark_[j] == at) return;
            mark_[j] = at;
            upper_.push_back(j);
        };
        for (int k = begin_[order_[at]]; k < begin_[order_[at] + 1]; ++k) {
            add(place_[graph_[k]]);
        }
        for (int child = child_[at]; child >= 0; child = next_[child]) {
            for (int k = upper_begin_[child]; k < upper_begin_[child + 1]; ++k) {
                add(upper_[k]);
            }
        }
        std::sort(upper_.begin() + upper_begin_.back(), upper_.end());
        if (static_cast<int>(upper_.size()) > upper_begin_.back()) {
            const int parent = upper_[upper_begin_.back()];
            next_[at] = child_[parent];
            child_[parent] = at;
        }
        upper_begin_.push_back(static_cast<int>(upper_.size()));
    }
}

void BlockLu::transpose_pattern()
{
    const std::size_t m = order_.size();
    lower_begin_.assign(m + 1, 0);
    for (const int j : upper_) {
        ++lower_begin_[j + 1];
    }
    for (std::size_t i = 0; i < m; ++i) {
        lower_begin_[i + 1] += lower_begin_[i];
    }
    lower_.resize(upper_.size());
    next_.assign(lower_begin_.begin(), lower_begin_.end() - 1);
    for (std::size_t k = 0; k < m; ++k) {
        for (int at = upper_begin_[k]; at < upper_begin_[k + 1]; ++at) {
            lower_[next_[upper_[at]]++] = static_cast<int>(k);
        }
    }
}

double BlockLu::ops() const noexcept
{
    double sum = 0;
    for (std::size_t k = 0; k < order_.size(); ++k) {
        const double row = upper_begin_[k + 1] - upper_begin_[k];
        sum += row * (row + 1);
    }
    return sum;
}

int BlockLu::factorise(const FlatProblem& problem)
{
    if (d_ == 3) return factorise_blocks<3>(problem);
    if (d_ == 2) return factorise_blocks<2>(problem);
    return factorise_blocks<1>(problem);
}

template <int D>
int BlockLu::factorise_blocks(const FlatProblem& problem)
{
    constexpr int B = D * D;
    int moved = 0;
    double* const work = work_.data();
    const bool wide = D == 3 && detail::has_wide_registers();
    for (int i = 0; i < static_cast<int>(order_.size()); ++i) {
        // row i of A spread over the places that elimination can fill
        const int c = order_[i];
        for (int at = lower_begin_[i]; at < lower_begin_[i + 1]; ++at) {
            std::fill_n(work + lower_[at] * B, B, 0.0);
        }
        for (int at = upper_begin_[i]; at < upper_begin_[i + 1]; ++at) {
            std::fill_n(work + upper_[at] * B, B, 0.0);
        }
        std::copy_n(diagonal_.data() + c * B, B, work + i * B);
        for (int k = problem.row_begin[c]; k < problem.row_begin[c + 1]; ++k) {
            std::copy_n(off_.data() + static_cast<std::size_t>(k) * B, B,
                        work + place_[problem.column[k]] * B);
        }

        // eliminate with the rows above
        for (int at = lower_begin_[i]; at < lower_begin_[i + 1]; ++at) {
            const int k = lower_[at];
            double* L_ik = L_.data() + static_cast<std::size_t>(at) * B;
            set_product<D>(work + k * B, inverse_.data() + k * B, L_ik);
            if (std::all_of(L_ik, L_ik + B, [](double value) { return value == 0; })) continue;
            const double* U_k = U_.data() + static_cast<std::size_t>(upper_begin_[k]) * B;
            const std::span columns(upper_.begin() + upper_begin_[k], upper_.begin() + upper_begin_[k + 1]);
            if (wide) {
                eliminate_wide(L_ik, U_k, columns, work);
            } else {
                eliminate<D>(L_ik, U_k, columns, work);
            }
        }
        if (!invert_safely<D>(work + i * B, inverse_.data() + i * B)) ++moved;
        if (!std::isfinite(inverse_[static_cast<std::size_t>(i * B)])) return -1;
        for (int at = upper_begin_[i]; at < upper_begin_[i + 1]; ++at) {
            std::copy_n(work + upper_[at] * B, B, U_.data() + static_cast<std::size_t>(at) * B);
        }
    }
    return moved;
}

void BlockLu::solve(std::span<double> b)
{
    if (d_ == 3) return solve_blocks<3>(b);
    if (d_ == 2) return solve_blocks<2>(b);
    solve_blocks<1>(b);
}

template <int D>
void BlockLu::solve_blocks(std::span<double> b)
{
    const int m = static_cast<int>(order_.size());
    for (int i = 0; i < m; ++i) {
        double* y = rhs_.data() + i * D;
        std::copy_n(b.data() + order_[i] * D, D, y);
        for (int at = lower_begin_[i]; at < lower_begin_[i + 1]; ++at) {
            subtract_from<D>(L_.data() + static_cast<std::size_t>(at) * D * D, rhs_.data() + lower_[at] * D,
                             y);
        }
    }
    for (int i = m - 1; i >= 0; --i) {
        double* y = rhs_.data() + i * D;
        for (int at = upper_begin_[i]; at < upper_begin_[i + 1]; ++at) {
            subtract_from<D>(U_.data() + static_cast<std::size_t>(at) * D * D, rhs_.data() + upper_[at] * D,
                             y);
        }
        double x[D] = {};
        for (int r = 0; r < D; ++r) {
            for (int k = 0; k < D; ++k) {
                x[r] += inverse_[static_cast<std::size_t>(i * D * D + r * D + k)] * y[k];
            }
        }
        std::copy_n(x, D, y);
        std::copy_n(x, D, b.data() + order_[i] * D);
    }
}

}  // namespace carom
