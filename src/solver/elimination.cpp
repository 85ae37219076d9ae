#include "solver/elimination.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>
#include <utility>

namespace carom {
namespace {

/// Who is coupled to whom, both ways and to itself.
Eigen::SparseMatrix<int> graph_of(int count, std::span<const std::array<int, 2>> pairs)
{
    std::vector<Eigen::Triplet<int>> entries;
    for (int i = 0; i < count; ++i) {
        entries.emplace_back(i, i, 1);
    }
    for (const auto& [i, j] : pairs) {
        entries.emplace_back(i, j, 1);
        entries.emplace_back(j, i, 1);
    }
    Eigen::SparseMatrix<int> graph(count, count);
    graph.setFromTriplets(entries.begin(), entries.end());
    return graph;
}

/// Approximate least degree first.
void find_order(Eigen::SparseMatrix<int> graph, Elimination& result)
{
    const auto count = static_cast<int>(graph.cols());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
    Eigen::internal::minimum_degree_ordering(graph, permutation);
    result.order.assign(permutation.indices().data(), permutation.indices().data() + count);
    result.place.resize(result.order.size());
    for (int k = 0; k < count; ++k) {
        result.place[static_cast<std::size_t>(result.order[static_cast<std::size_t>(k)])] = k;
    }
}

/// A place is coupled to its own neighbours and to those that its children in the tree leave to it.
void find_fill(std::span<const int> graph_begin, std::span<const int> graph, Elimination& result)
{
    auto& [order, place, begin, rows] = result;
    const auto n = static_cast<int>(order.size());
    struct InTree {
        int mark = -1;              ///< the last place that it was added to
        int child = -1, next = -1;  ///< the first child; the next one of its parent
    };
    std::vector<InTree> tree(order.size());
    const auto at = [&](int k) -> InTree& { return tree[static_cast<std::size_t>(k)]; };
    begin.assign(1, 0);
    rows.clear();
    for (int k = 0; k < n; ++k) {
        const auto add = [&](int i) {
            if (i <= k || std::exchange(at(i).mark, k) == k) return;
            rows.push_back(i);
        };
        const auto row = static_cast<std::size_t>(order[static_cast<std::size_t>(k)]);
        for (int e = graph_begin[row]; e < graph_begin[row + 1]; ++e) {
            add(place[static_cast<std::size_t>(graph[static_cast<std::size_t>(e)])]);
        }
        for (int c = at(k).child; c >= 0; c = at(c).next) {
            const auto from = static_cast<std::size_t>(c);
            for (std::size_t e = begin[from]; e < begin[from + 1]; ++e) {
                add(rows[e]);
            }
        }
        const auto first = rows.begin() + static_cast<std::ptrdiff_t>(begin.back());
        std::sort(first, rows.end());
        if (first != rows.end()) at(k).next = std::exchange(at(*first).child, k);
        begin.push_back(rows.size());
    }
}

}  // namespace

void Elimination::analyse(int count, std::span<const std::array<int, 2>> pairs)
{
    const Eigen::SparseMatrix<int> graph = graph_of(count, pairs);
    find_order(graph, *this);
    find_fill({graph.outerIndexPtr(), static_cast<std::size_t>(count) + 1},
              {graph.innerIndexPtr(), static_cast<std::size_t>(graph.nonZeros())}, *this);
}

}  // namespace carom
