#include "series_linear.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace carom::detail {
namespace {

constexpr double dependent_part = 1e-12;  ///< of the largest pivot: a smaller one is rounding
constexpr int max_on_stack = 24;          ///< unknowns
constexpr int max_minors_of = 20;         ///< unknowns: a million minors

/// The least-squares solution that a vanishing compliance eps S selects (PS-17): y.(M + eps S) z = y.right
/// with y M = 0 leaves y.S z = 0. Bounded sizes live on the stack.
template <int most>
void selected(const std::vector<double>& M, int size, std::span<const double> right,
              std::span<const char> soft, std::span<double> z)
{
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most, most>;
    using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, most, 1>;
    Matrix matrix(size, size);
    Vector values(size);
    for (int i = 0; i < size; ++i) {
        values[i] = right[static_cast<std::size_t>(i)];
        for (int j = 0; j < size; ++j) {
            matrix(i, j) = M[static_cast<std::size_t>(i * size + j)];
        }
    }
    Eigen::JacobiSVD<Matrix> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
    svd.setThreshold(10 * dependent_part);
    Vector answer = svd.solve(values);
    if (const Eigen::Index free = size - svd.rank(); free > 0 && !soft.empty()) {
        Matrix y = svd.matrixU().rightCols(free);
        for (int i = 0; i < size; ++i) {
            if (soft[static_cast<std::size_t>(i)] == 0) y.row(i).setZero();
        }
        const Matrix stress = svd.matrixV().rightCols(free);
        const Matrix met = y.transpose() * stress;
        Eigen::FullPivLU<Matrix> lu(met);
        lu.setThreshold(1e-9);
        const Vector held = y.transpose() * answer;
        if (lu.isInvertible()) answer -= stress * lu.solve(held);
    }
    std::copy_n(answer.data(), size, z.begin());
}

/// P-matrix by Schur complements: M is one exactly where M_11 > 0 and both M without its first row and
/// column, and the Schur complement of M_11, are.
bool all_minors_positive(const std::vector<double>& M, int size)
{
    if (!(M[0] > 0)) return false;
    if (size == 1) return true;
    const auto n = static_cast<std::size_t>(size), rest = n - 1;
    std::vector<double> without(rest * rest), schur(rest * rest);
    for (std::size_t i = 0; i < rest; ++i) {
        for (std::size_t j = 0; j < rest; ++j) {
            without[i * rest + j] = M[(i + 1) * n + j + 1];
            schur[i * rest + j] = without[i * rest + j] - M[(i + 1) * n] * M[j + 1] / M[0];
        }
    }
    return all_minors_positive(without, size - 1) && all_minors_positive(schur, size - 1);
}

template <int most>
bool symmetric_part_is_positive(std::span<const double> M, int size)
{
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most, most>;
    Matrix symmetric(size, size);
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            const auto at = static_cast<std::size_t>(i * size + j);
            symmetric(i, j) = (M[at] + M[static_cast<std::size_t>(j * size + i)]) / 2;
        }
    }
    return Eigen::LLT<Matrix>(symmetric).info() == Eigen::Success;
}

}  // namespace

void SmallSystem::factor(std::span<const double> M, int size)
{
    size_ = size;
    const auto n = static_cast<std::size_t>(size);
    M_.assign(M.begin(), M.begin() + static_cast<std::ptrdiff_t>(n * n));
    LU_ = M_;
    work_.resize(n);
    rows_.resize(n);
    columns_.resize(n);
    std::iota(rows_.begin(), rows_.end(), 0);
    std::iota(columns_.begin(), columns_.end(), 0);
    dependent_ = false;
    double largest = 0;
    for (std::size_t k = 0; k < n; ++k) {
        // the largest entry of what is left becomes the pivot
        std::size_t row = k, column = k;
        for (std::size_t i = k; i < n; ++i) {
            for (std::size_t j = k; j < n; ++j) {
                if (std::abs(LU_[i * n + j]) > std::abs(LU_[row * n + column])) {
                    row = i;
                    column = j;
                }
            }
        }
        if (row != k) {
            std::swap_ranges(LU_.begin() + static_cast<std::ptrdiff_t>(row * n),
                             LU_.begin() + static_cast<std::ptrdiff_t>(row * n + n),
                             LU_.begin() + static_cast<std::ptrdiff_t>(k * n));
            std::swap(rows_[row], rows_[k]);
        }
        for (std::size_t i = 0; i < n && column != k; ++i) {
            std::swap(LU_[i * n + column], LU_[i * n + k]);
        }
        std::swap(columns_[column], columns_[k]);
        const double pivot = LU_[k * n + k];
        largest = std::max(largest, std::abs(pivot));
        if (!(std::abs(pivot) > dependent_part * largest)) {
            dependent_ = true;
            return;
        }
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = LU_[i * n + k] /= pivot;
            for (std::size_t j = k + 1; j < n; ++j) {
                LU_[i * n + j] -= factor * LU_[k * n + j];
            }
        }
    }
}

double SmallSystem::defect(std::span<const double> right, std::span<const double> z) const
{
    const auto n = static_cast<std::size_t>(size_);
    double worst = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double sum = -right[i];
        size = std::max(size, std::abs(right[i]));
        for (std::size_t j = 0; j < n; ++j) {
            const double part = M_[i * n + j] * z[j];
            sum += part;
            size = std::max(size, std::abs(part));
        }
        worst = std::max(worst, std::abs(sum));
    }
    return size > 0 ? worst / size : 0;
}

void SmallSystem::solve(std::span<const double> right, std::span<double> z, std::span<const char> soft)
{
    if (dependent_) {
        if (size_ <= max_on_stack) {
            selected<max_on_stack>(M_, size_, right, soft, z);
        } else {
            selected<Eigen::Dynamic>(M_, size_, right, soft, z);
        }
        return;
    }
    const auto n = static_cast<std::size_t>(size_);
    for (std::size_t i = 0; i < n; ++i) {
        double value = right[static_cast<std::size_t>(rows_[i])];
        for (std::size_t j = 0; j < i; ++j) {
            value -= LU_[i * n + j] * work_[j];
        }
        work_[i] = value;
    }
    for (std::size_t i = n; i-- > 0;) {
        double value = work_[i];
        for (std::size_t j = i + 1; j < n; ++j) {
            value -= LU_[i * n + j] * work_[j];
        }
        work_[i] = value / LU_[i * n + i];
    }
    for (std::size_t i = 0; i < n; ++i) {
        z[static_cast<std::size_t>(columns_[i])] = work_[i];
    }
}

PMatrix p_matrix(std::span<const double> M, int size)
{
    const auto n = static_cast<std::size_t>(size);
    for (std::size_t i = 0; i < n; ++i) {
        if (!(M[i * n + i] > 0)) return PMatrix::No;
    }
    if (size <= 1) return PMatrix::Yes;
    if (size == 2) return M[0] * M[3] - M[1] * M[2] > 0 ? PMatrix::Yes : PMatrix::No;
    const bool positive = size <= max_on_stack ? symmetric_part_is_positive<max_on_stack>(M, size)
                                               : symmetric_part_is_positive<Eigen::Dynamic>(M, size);
    if (positive) return PMatrix::Yes;
    if (size > max_minors_of) return PMatrix::NotTested;
    return all_minors_positive({M.begin(), M.end()}, size) ? PMatrix::Yes : PMatrix::No;
}

}  // namespace carom::detail
