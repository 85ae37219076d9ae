#pragma once

#include "solver/elimination.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace carom {

/// L L^T of a symmetric positive definite matrix of blocks, each block row with a size of its own: one per
/// joint of a mechanism. Block rows are eliminated in an order of least degree, chosen once for a pattern:
/// along a chain or a tree nothing fills in, and the cost is linear. A new factor of a known pattern
/// allocates nothing.
///
/// Theory     docs/theory/bodies.md, (BO-30)
class BlockCholesky {
public:
    /// Order and pattern. A pair names two different block rows; pairs may repeat. False where the factor
    /// would have more than `max_numbers`: then there is none.
    static constexpr std::size_t max_numbers = 4'000'000;
    [[nodiscard]] bool analyse(std::span<const int> sizes, std::span<const std::array<int, 2>> pairs);

    /// Where block (i, j) of the pattern lies in values(), row by row. One of (i, j) and (j, i) is there,
    /// the other one is its transpose.
    struct Slot {
        std::size_t at = 0;
        bool transposed = false;  ///< what lies there is block (j, i)
    };
    [[nodiscard]] Slot slot(int i, int j) const;

    /// The matrix before, its factor after factorise(). Of diagonal blocks the lower triangle is read.
    [[nodiscard]] std::span<double> values() noexcept { return values_; }
    void set_zero();

    /// False where a pivot is not above `singular` times its entry of the matrix, or not a number.
    [[nodiscard]] bool factorise(double singular);

    /// The least pivot beside its entry of the matrix, of the last factor.
    [[nodiscard]] double smallest_pivot() const noexcept { return smallest_pivot_; }

    /// b <- A^-1 b, flat, in the order of the block rows.
    void solve(std::span<double> b) const;

private:
    [[nodiscard]] std::size_t place_blocks();
    template <int D>
    bool factorise_blocks(double singular);
    template <int D>
    void solve_blocks(std::span<double> b) const;

    std::vector<int> sizes_, first_;  ///< per block row: its size, and where it begins in flat vectors
    int uniform_ = 0;                 ///< size of all block rows; 0: they differ
    Elimination pattern_;
    std::vector<std::size_t> diagonal_, at_;  ///< where blocks begin: of places, of pattern_.rows
    std::vector<double> values_, diagonal_before_;
    double smallest_pivot_ = 1;
};

}  // namespace carom
