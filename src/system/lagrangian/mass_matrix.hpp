#pragma once

#include "core/sparse_ldlt.hpp"
#include "system/lagrangian/mass_pattern.hpp"

#include <Eigen/Dense>
#include <Eigen/SparseCore>

#include <span>
#include <vector>

namespace carom {

/// The kinetic matrix A(q) at one configuration with its factor A = L D L^T. Nothing is allocated after
/// construction.
class MassMatrix {
public:
    explicit MassMatrix(const MassPattern& pattern);

    [[nodiscard]] const MassPattern& pattern() const noexcept { return *pattern_; }
    [[nodiscard]] std::span<double> values() noexcept;

    /// False when A is not positive definite: some velocity would have no kinetic energy.
    [[nodiscard]] bool factorise();

    /// out = A u.
    void multiply(std::span<const double> u, std::span<double> out) const noexcept;

    /// u.A u
    [[nodiscard]] double squared_norm(std::span<const double> u) const noexcept;

    /// x <- A^-1 x, all coordinates.
    void solve(std::span<double> x) noexcept;

    /// x <- A^-1 x for an x that is zero outside the given islands; only their entries are read and written.
    void solve_on(std::span<const int> islands, std::span<double> x) noexcept;

    [[nodiscard]] Eigen::MatrixXd dense() const;

private:
    using Island = MassPattern::Island;

    bool factorise_dense(const Island& island) noexcept;
    void solve_dense(const Island& island, std::span<double> x) noexcept;
    void solve_sparse(const Island& island, std::span<double> x) noexcept;
    void solve_island(const Island& island, std::span<double> x) noexcept;

    const MassPattern* pattern_;
    Eigen::SparseMatrix<double> upper_;
    std::vector<double> dense_;  ///< L of small islands below D, triangles by rows
    SparseLdlt factor_;          ///< of all, where an island is large
    std::vector<double> work_;
};

}  // namespace carom
