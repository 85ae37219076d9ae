#pragma once

#include "solver/budget.hpp"
#include "solver/elimination.hpp"

#include <Eigen/Dense>

#include <array>
#include <span>
#include <vector>

namespace carom {

/// L U of a sparse matrix with a block of six rows per body and one for each pair of bodies that touch:
/// symmetric in its pattern, not in its values. Bodies are eliminated in an order of least degree, chosen
/// once for a pattern; within blocks rows follow each other without pivoting, by triangular solves and never
/// by inverses of blocks, whose condition is beyond what these leave of the digits.
///
/// Theory     docs/theory/solvers.md, (SO-37)
class BodyFactor {
public:
    using Block = Eigen::Matrix<double, 6, 6>;
    using Vector = Eigen::Matrix<double, 6, 1>;

    /// Order and pattern. A pair names two bodies; pairs may repeat.
    void analyse(int bodies, std::span<const std::array<int, 2>> pairs);

    /// Products of blocks that a factorisation takes: its cost, known before.
    [[nodiscard]] double products() const noexcept { return products_; }

    void set_identity();
    /// The block of a body, or of a pair of the pattern.
    [[nodiscard]] Block& at(int i, int j);

    /// False where a pivot is zero or not a number, or once the budget has expired.
    [[nodiscard]] bool factorise(const Budget& budget);

    /// b <- A^-1 b, one vector per body.
    void solve(std::vector<Vector>& b);

private:
    [[nodiscard]] bool eliminate(int place);

    double products_ = 0;
    Elimination pattern_;
    std::vector<Block> L_, U_, diagonal_;  ///< L_ and U_ as pattern_.rows
    std::vector<Vector> work_;
};

}  // namespace carom
