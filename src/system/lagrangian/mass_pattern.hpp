#pragma once

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

    [[nodiscard]] int island(int coordinate) const noexcept { return island_[coordinate]; }
    [[nodiscard]] int islands() const noexcept { return static_cast<int>(islands_of_.size()); }

    /// Coordinates of an island in elimination order.
    [[nodiscard]] std::span<const int> members(int island) const noexcept
    {
        return islands_of_[island].members;
    }
    /// Row and column of every entry that is kept, as coordinates, by slot.
    [[nodiscard]] std::span<const std::pair<int, int>> entries() const noexcept { return entries_; }
    [[nodiscard]] const Eigen::SparseMatrix<double>& upper() const noexcept { return upper_; }

private:
    friend class MassMatrix;

    /// Coordinates that A couples. Small islands are factored as dense triangles.
    struct Island {
        std::vector<int> members;
        std::vector<int> slots;  ///< lower triangle by rows, -1 for zeros; empty when the island is large
        std::size_t factor = 0;  ///< where its triangle begins among the dense factors
    };

    void number_islands();
    [[nodiscard]] int find_slot(int i, int j) const;

    std::vector<int> place_, coordinate_, island_;
    std::vector<Island> islands_of_;
    std::vector<std::pair<int, int>> entries_;
    std::size_t dense_size_ = 0;
    bool all_small_ = true;              ///< every island is dense
    Eigen::SparseMatrix<double> upper_;  ///< pattern of the upper triangle, permuted
};

}  // namespace carom
