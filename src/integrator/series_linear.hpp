#pragma once

#include <span>
#include <vector>

namespace carom::detail {

/// A small dense system M z = right, M by rows. Memory is kept from call to call.
class SmallSystem {
public:
    /// Triangular factors by complete pivoting.
    void factor(std::span<const double> M, int size);

    /// The solution; where rows depend on each other, the shortest of those with the least defect.
    void solve(std::span<const double> right, std::span<double> z);

    [[nodiscard]] bool dependent() const noexcept { return dependent_; }

private:
    int size_ = 0;
    bool dependent_ = false;
    std::vector<double> M_, LU_, work_;
    std::vector<int> rows_, columns_;
};

/// Whether every principal minor of a matrix is positive: then M z + e >= 0, z >= 0, z.(M z + e) = 0 has one
/// solution for every e.
enum class PMatrix { Yes, No, NotTested };

/// By a positive symmetric part, which is enough, or by all minors, a Schur complement for each one. Above 20
/// unknowns without a positive symmetric part: by the diagonal alone, No or NotTested.
[[nodiscard]] PMatrix p_matrix(std::span<const double> M, int size);

}  // namespace carom::detail
