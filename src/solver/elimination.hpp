#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace carom {

/// Order and fill of a sparse factorisation by blocks, whatever their sizes and values: block rows are
/// eliminated in an order of approximate least degree, so that along a chain or a tree nothing fills in.
/// Places are numbers in that order.
struct Elimination {
    std::vector<int> order, place;   ///< place -> block row and back
    std::vector<std::size_t> begin;  ///< of each place in `rows`, and the end
    std::vector<int> rows;           ///< places after it that it is coupled to, sorted

    /// A pair names two different block rows; pairs may repeat.
    void analyse(int count, std::span<const std::array<int, 2>> pairs);

    [[nodiscard]] std::size_t size() const noexcept { return order.size(); }
    [[nodiscard]] std::span<const int> below(std::size_t k) const noexcept
    {
        return {rows.data() + begin[k], begin[k + 1] - begin[k]};
    }
};

}  // namespace carom
