#pragma once

#include "solver/flat_problem.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace carom {

/// L U of a sparse matrix of blocks that has the pattern of W, nonsymmetric in its values. Blocks are
/// eliminated in an order of least degree, chosen once for a pattern; there is no pivoting between blocks, so
/// the matrices must be W plus something positive on the diagonal, which Newton's, interior point and
/// splitting methods have. A block that is singular on the way is made invertible and counted.
///
/// Theory     docs/theory/solvers.md, (SO-7)
class BlockLu {
public:
    /// Order and pattern of the factors. Up to 64 contacts it allocates nothing once it has seen that many.
    void analyse(const FlatProblem& problem);

    /// Blocks on the diagonal and, in the order of problem.W_off, beside it.
    [[nodiscard]] std::span<double> diagonal() noexcept { return diagonal_; }
    [[nodiscard]] std::span<double> off() noexcept { return off_; }

    /// Returns how many diagonal blocks were singular; -1 when a number is not finite.
    int factorise(const FlatProblem& problem);

    /// b <- A^-1 b
    void solve(std::span<double> b);

    /// Blocks of L and U together: what a factorisation costs memory.
    [[nodiscard]] std::size_t blocks() const noexcept
    {
        return lower_.size() + upper_.size() + order_.size();
    }

    /// Products of blocks that a factorisation takes: its cost, known before.
    [[nodiscard]] double ops() const noexcept;

private:
    void order_small(const FlatProblem& problem);
    void order_large(const FlatProblem& problem);
    void transpose_pattern();
    template <int D>
    int factorise_blocks(const FlatProblem& problem);
    template <int D>
    void solve_blocks(std::span<double> b);

    int d_ = 1;
    std::vector<int> order_, place_;        ///< place -> contact and back
    std::vector<int> upper_begin_, upper_;  ///< columns j > k of row k of U, sorted
    std::vector<int> lower_begin_, lower_;  ///< columns k < i of row i of L, sorted
    std::vector<double> L_, U_, inverse_;   ///< blocks of them, and the inverted diagonal of U
    std::vector<double> diagonal_, off_, work_, rhs_;
    std::vector<std::uint64_t> neighbours_;
    std::vector<int> mark_, child_, next_, begin_, graph_;
};

}  // namespace carom
