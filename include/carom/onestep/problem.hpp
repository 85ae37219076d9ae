#pragma once

#include "carom/core/expected.hpp"
#include "carom/law/law.hpp"
#include "carom/onestep/factors.hpp"

#include <Eigen/Dense>

#include <span>
#include <vector>

namespace carom {

/// Square matrix of dense blocks, stored by block rows with sorted columns. Block (i, j) has the dimensions
/// of interactions i and j and lies row by row in one piece of `values`. Refilling reuses the memory.
class BlockSparse {
public:
    struct Entry {
        int column = 0;         ///< interaction j
        std::size_t value = 0;  ///< where block (i, j) begins in the values
    };

    /// Empties the matrix; `offsets` has one entry more than there are interactions.
    void begin(std::span<const int> offsets);

    /// Appends block (row, column), zero at first; rows and, within a row, columns must come in increasing
    /// order. The view is valid until the next call.
    std::span<double> append(int row, int column);

    /// The blocks of the row that is being appended to, and one of them for writing.
    [[nodiscard]] std::span<const Entry> appended(int row) const noexcept
    {
        return {entries_.data() + row_begin_[row], entries_.size() - row_begin_[row]};
    }
    [[nodiscard]] std::span<double> values_of(int row, const Entry& entry) noexcept
    {
        return {values_.data() + entry.value,
                static_cast<std::size_t>(dimension(row)) * dimension(entry.column)};
    }

    /// Closes the last rows; call it once after the last append.
    void finish();

    [[nodiscard]] int blocks() const noexcept { return static_cast<int>(offsets_.size()) - 1; }
    [[nodiscard]] int rows() const noexcept { return offsets_.empty() ? 0 : offsets_.back(); }
    [[nodiscard]] int dimension(int block) const noexcept { return offsets_[block + 1] - offsets_[block]; }
    [[nodiscard]] std::span<const Entry> row(int block) const noexcept
    {
        return {entries_.data() + row_begin_[block], row_begin_[block + 1] - row_begin_[block]};
    }
    [[nodiscard]] std::span<const double> block(int row, const Entry& entry) const noexcept
    {
        return {values_.data() + entry.value,
                static_cast<std::size_t>(dimension(row)) * dimension(entry.column)};
    }

    /// The block (i, i); InternalError when it was never appended.
    [[nodiscard]] std::span<const double> diagonal(int block) const;

    /// out = W x, for all rows.
    void multiply(std::span<const double> x, std::span<double> out) const noexcept;

    /// out += the rows of one block times x.
    void add_row_product(int block, std::span<const double> x, std::span<double> out) const noexcept;

private:
    std::vector<int> offsets_;
    std::vector<std::size_t> row_begin_;
    std::vector<Entry> entries_;
    std::vector<double> values_;
};

/// The one-step problem: find the percussions P of one step with
///
///     U = W P + U_free                                                         (OS-1)
///     -(U_c + s_c) in N_{C_c}(P_c)      for every interaction c                (OS-2)
///
/// Symbols    W = H A^-1 H^T   Delassus operator, 1/kg, symmetric, positive semidefinite
///            U_free           local velocities if nothing acted, m/s;  U_minus  those before the step
///            P                percussions, N s; flat, interaction c at offsets[c] .. offsets[c + 1]
/// Theory     docs/theory/one_step_problem.md
struct OneStepProblem {
    std::vector<Law> laws;
    std::vector<int> offsets{0};  ///< one more than laws
    BlockSparse W;  ///< all its blocks; those of the diagonal alone where `factors` stand for the rest
    std::vector<double> U_free;
    std::vector<double> U_minus;
    Factors factors;  ///< W = H A^-1 H^T; empty: W has all blocks

    [[nodiscard]] int interactions() const noexcept { return static_cast<int>(laws.size()); }
    [[nodiscard]] int size() const noexcept { return offsets.back(); }

    /// W is there in blocks, not as factors.
    [[nodiscard]] bool is_assembled() const noexcept { return factors.empty(); }

    /// The part of a flat vector that belongs to interaction c.
    template <class T>
    [[nodiscard]] std::span<T> part(std::span<T> flat, int c) const noexcept
    {
        return flat.subspan(static_cast<std::size_t>(offsets[c]),
                            static_cast<std::size_t>(offsets[c + 1] - offsets[c]));
    }
};

/// A problem from dense data, as tests, small studies and bindings write it; sizes and laws are checked.
[[nodiscard]] Expected<OneStepProblem> make_problem(const Eigen::MatrixXd& W, const Eigen::VectorXd& U_free,
                                                    const Eigen::VectorXd& U_minus, std::vector<Law> laws);

/// The same problem with all blocks of W, as most methods need it; one that has them is copied.
[[nodiscard]] OneStepProblem assembled(const OneStepProblem& problem);

/// U = W P + U_free, by blocks or by factors.
void local_velocity(const OneStepProblem& problem, std::span<const double> P, std::span<double> U);

}  // namespace carom
