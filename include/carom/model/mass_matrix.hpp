#pragma once

#include "carom/core/sparse_ldlt.hpp"

#include <Eigen/SparseCore>

#include <span>
#include <utility>
#include <vector>

namespace carom {

/// Where the kinetic matrix A may differ from zero, in an elimination order that keeps its factor sparse, and
/// the islands: groups of coordinates that A couples. Constant during a run.
class MassPattern {
public:
    MassPattern() = default;

    /// `pairs` are the coordinates (i, j) that one term of the kinetic energy couples; the diagonal is added.
    MassPattern(int coordinates, std::span<const std::pair<int, int>> pairs);

    [[nodiscard]] int coordinates() const noexcept { return static_cast<int>(place_.size()); }

    /// Where entry (i, j) = (j, i) is kept among the values of a MassMatrix.
    [[nodiscard]] int slot(int i, int j) const;

    [[nodiscard]] int place(int coordinate) const noexcept { return place_[coordinate]; }
    [[nodiscard]] int coordinate_at(int place) const noexcept { return coordinate_[place]; }
    [[nodiscard]] int island(int coordinate) const noexcept { return island_[coordinate]; }
    [[nodiscard]] int islands() const noexcept { return static_cast<int>(members_.size()); }

    /// Places of an island in elimination order.
    [[nodiscard]] std::span<const int> members(int island) const noexcept { return members_[island]; }
    [[nodiscard]] const Eigen::SparseMatrix<double>& upper() const noexcept { return upper_; }

private:
    std::vector<int> place_, coordinate_, island_;
    std::vector<std::vector<int>> members_;
    Eigen::SparseMatrix<double> upper_;  ///< pattern of the upper triangle, permuted
};

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
    void solve_places(std::span<const int> places, std::span<double> x) noexcept;

    const MassPattern* pattern_;
    Eigen::SparseMatrix<double> upper_;
    SparseLdlt factor_;
    std::vector<double> work_;
};

}  // namespace carom
