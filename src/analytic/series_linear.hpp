#pragma once

#include <span>
#include <vector>

namespace carom::detail {

/// A small dense system M z = right, M by rows. Memory is kept from call to call.
class SmallSystem {
public:
    /// Triangular factors by complete pivoting.
    void factor(std::span<const double> M, int size);

    /// The solution; where rows depend on each other, of those with the least defect the one that a vanishing
    /// compliance of the `soft` unknowns selects (PS-17), the shortest one if none is.
    void solve(std::span<const double> right, std::span<double> z, std::span<const char> soft = {});

    [[nodiscard]] bool dependent() const noexcept { return dependent_; }
    /// Largest component of M z - right, as part of the largest term in it.
    [[nodiscard]] double defect(std::span<const double> right, std::span<const double> z) const;

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
