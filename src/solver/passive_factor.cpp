#include "solver/passive_factor.hpp"

#include <Eigen/Cholesky>
#include <Eigen/OrderingMethods>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Up to here a dense factor is quicker than a sparse one, whatever the pattern.
constexpr std::size_t largest_dense = 24;

/// Thousands of contacts on a few coordinates: W has hardly a zero, and a sparse factor gains nothing but
/// indirections. Up to so many rows, which are 128 MB.
constexpr std::size_t largest_full = 4000;
bool is_full(const SymmetricCsr& W, std::span<const int> F)
{
    const std::size_t n = F.size();
    if (n > largest_full) return false;
    std::size_t entries = 0;
    for (const int i : F)
        entries += W.row_begin[i + 1] - W.row_begin[i];
    // entries outside F are counted too: exact enough where nearly all contacts act
    return 2 * entries > n * n && entries <= 2 * n * n;
}

}  // namespace

bool PassiveFactor::factorise(const SymmetricCsr& W, std::span<const int> F, double shift)
{
    size_ = F.size();
    is_dense_ = size_ <= largest_dense || is_full(W, F);
    return is_dense_ ? factorise_dense(W, F, shift) : factorise_sparse(W, F, shift);
}

void PassiveFactor::solve(std::span<double> x)
{
    if (!is_dense_) {
        for (std::size_t k = 0; k < size_; ++k) {
            work_[order_[k]] = x[k];
        }
        sparse_.solve(work_);
        for (std::size_t k = 0; k < size_; ++k) {
            x[k] = work_[order_[k]];
        }
        return;
    }
    const auto row = [&](std::size_t i) { return dense_.data() + i * size_; };
    for (std::size_t i = 0; i < size_; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            x[i] -= row(i)[j] * x[j];
        }
        x[i] /= row(i)[i];
    }
    for (std::size_t i = size_; i-- > 0;) {
        x[i] /= row(i)[i];
        for (std::size_t j = 0; j < i; ++j) {
            x[j] -= row(i)[j] * x[i];
        }
    }
}

bool PassiveFactor::factorise_dense(const SymmetricCsr& W, std::span<const int> F, double shift)
{
    // gather the lower triangle; both F and the columns of a row are sorted
    dense_.assign(size_ * size_, 0.0);
    for (std::size_t i = 0; i < size_; ++i) {
        std::size_t j = 0;
        for (std::size_t k = W.row_begin[F[i]]; k < W.row_begin[F[i] + 1]; ++k) {
            while (j <= i && F[j] < W.column[k]) {
                ++j;
            }
            if (j > i) break;
            if (F[j] == W.column[k]) dense_[i * size_ + j] = W.value[k];
        }
        dense_[i * size_ + i] += shift;
    }

    // Cholesky, by blocks where that pays
    if (size_ > largest_dense) {
        using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const auto n = static_cast<Eigen::Index>(size_);
        Eigen::Map<Rows> matrix(dense_.data(), n, n);
        const Eigen::LLT<Eigen::Ref<Rows>> factor(matrix);
        return factor.info() == Eigen::Success;
    }

    // and row by row
    for (std::size_t i = 0; i < size_; ++i) {
        double* a = dense_.data() + i * size_;
        for (std::size_t j = 0; j <= i; ++j) {
            const double* b = dense_.data() + j * size_;
            double sum = a[j];
            for (std::size_t k = 0; k < j; ++k) {
                sum -= a[k] * b[k];
            }
            if (j < i) {
                a[j] = sum / b[j];
            } else if (!(sum > 0)) {
                return false;
            } else {
                a[i] = std::sqrt(sum);
            }
        }
    }
    return true;
}

bool PassiveFactor::factorise_sparse(const SymmetricCsr& W, std::span<const int> F, double shift)
{
    if (!same_pattern(W, F)) analyse(W, F);
    fill_upper(W, F, shift);
    return sparse_.factorise(upper_);
}

bool PassiveFactor::same_pattern(const SymmetricCsr& W, std::span<const int> F) const
{
    return std::equal(F.begin(), F.end(), F_.begin(), F_.end()) && W.column == columns_;
}

void PassiveFactor::analyse(const SymmetricCsr& W, std::span<const int> F)
{
    F_.assign(F.begin(), F.end());
    columns_ = W.column;

    // W_FF with its rows numbered as in F
    place_.assign(static_cast<std::size_t>(W.rows()), -1);
    for (std::size_t i = 0; i < size_; ++i) {
        place_[F[i]] = static_cast<int>(i);
    }
    std::vector<Eigen::Triplet<double>> pattern;
    for (std::size_t i = 0; i < size_; ++i) {
        pattern.emplace_back(static_cast<int>(i), static_cast<int>(i), 1.0);
        for (std::size_t k = W.row_begin[F[i]]; k < W.row_begin[F[i] + 1]; ++k) {
            const int j = place_[W.column[k]];
            if (j >= 0) pattern.emplace_back(static_cast<int>(i), j, 1.0);
        }
    }
    const auto n = static_cast<Eigen::Index>(size_);
    Sparse full(n, n);
    full.setFromTriplets(pattern.begin(), pattern.end());

    // elimination order that keeps the factor sparse
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
    Eigen::AMDOrdering<int>()(full.selfadjointView<Eigen::Upper>(), order);
    order_.resize(size_);
    for (std::size_t k = 0; k < size_; ++k) {
        order_[order.indices()[static_cast<Eigen::Index>(k)]] = static_cast<int>(k);
    }
    for (std::size_t i = 0; i < size_; ++i) {
        place_[F[i]] = order_[i];
    }

    // upper triangle in that order, pattern only
    pattern.clear();
    for (std::size_t i = 0; i < size_; ++i) {
        const int row = order_[i];
        pattern.emplace_back(row, row, 0.0);
        for (std::size_t k = W.row_begin[F[i]]; k < W.row_begin[F[i] + 1]; ++k) {
            const int column = place_[W.column[k]];
            if (column > row) pattern.emplace_back(row, column, 0.0);
        }
    }
    upper_.resize(n, n);
    upper_.setFromTriplets(pattern.begin(), pattern.end());
    sparse_.analyse(upper_);
    work_.resize(n);
}

void PassiveFactor::fill_upper(const SymmetricCsr& W, std::span<const int> F, double shift)
{
    std::fill(upper_.valuePtr(), upper_.valuePtr() + upper_.nonZeros(), 0.0);
    for (std::size_t i = 0; i < size_; ++i) {
        const int row = order_[i];
        upper_.coeffRef(row, row) += shift;
        for (std::size_t k = W.row_begin[F[i]]; k < W.row_begin[F[i] + 1]; ++k) {
            const int column = place_[W.column[k]];
            if (column >= row) upper_.coeffRef(row, column) += W.value[k];
        }
    }
}

}  // namespace carom
