#pragma once

#include "core/sparse_ldlt.hpp"

#include <Eigen/SparseCore>

#include <span>
#include <vector>

namespace carom {

/// Symmetric matrix by compressed rows, both triangles, columns sorted.
struct SymmetricCsr {
    std::vector<std::size_t> row_begin{0};
    std::vector<int> column;
    std::vector<double> value;

    [[nodiscard]] int rows() const noexcept { return static_cast<int>(row_begin.size()) - 1; }
};

/// Cholesky factor of  W_FF + shift I  for a subset F of the rows: dense when F is small or most entries are
/// there, sparse (Eigen's LDL^T behind an AMD ordering) else. A new factor for the same F and the same
/// pattern allocates nothing.
class PassiveFactor {
public:
    /// False when a pivot is not positive: W_FF + shift I is not positive definite.
    [[nodiscard]] bool factorise(const SymmetricCsr& W, std::span<const int> F, double shift);

    /// x <- (W_FF + shift I)^-1 x, x indexed like F.
    void solve(std::span<double> x);

private:
    using Sparse = Eigen::SparseMatrix<double>;

    bool factorise_dense(const SymmetricCsr& W, std::span<const int> F, double shift);
    bool factorise_sparse(const SymmetricCsr& W, std::span<const int> F, double shift);
    bool same_pattern(const SymmetricCsr& W, std::span<const int> F) const;
    void analyse(const SymmetricCsr& W, std::span<const int> F);
    void fill_upper(const SymmetricCsr& W, std::span<const int> F, double shift);

    bool is_dense_ = true;
    std::vector<double> dense_;  ///< lower triangle by rows
    std::size_t size_ = 0;

    std::vector<int> F_, columns_;  ///< what the sparse analysis was made for
    std::vector<int> place_;        ///< row of W -> place in the elimination order, -1 outside F
    std::vector<int> order_;        ///< index in F -> place in the elimination order
    Sparse upper_;
    SparseLdlt sparse_;
    Eigen::VectorXd work_;
};

}  // namespace carom
