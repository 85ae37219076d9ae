#include "solver/body_factor.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom {

std::span<const int> BodyFactor::below(int place) const
{
    const auto k = static_cast<std::size_t>(place);
    return {rows_.data() + begin_[k], begin_[k + 1] - begin_[k]};
}

void BodyFactor::analyse(int bodies, std::span<const std::array<int, 2>> pairs)
{
    order(bodies, pairs);
    fill_pattern();
    L_.resize(rows_.size());
    U_.resize(rows_.size());
    diagonal_.resize(order_.size());
    work_.resize(order_.size());
}

/// The graph of the bodies, and their order by approximate least degree.
void BodyFactor::order(int bodies, std::span<const std::array<int, 2>> pairs)
{
    std::vector<Eigen::Triplet<int>> entries;
    for (int i = 0; i < bodies; ++i) {
        entries.emplace_back(i, i, 1);
    }
    for (const auto& [i, j] : pairs) {
        entries.emplace_back(i, j, 1);
        entries.emplace_back(j, i, 1);
    }
    Eigen::SparseMatrix<int> pattern(bodies, bodies);
    pattern.setFromTriplets(entries.begin(), entries.end());
    graph_begin_.assign(pattern.outerIndexPtr(), pattern.outerIndexPtr() + bodies + 1);
    graph_.assign(pattern.innerIndexPtr(), pattern.innerIndexPtr() + pattern.nonZeros());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
    Eigen::internal::minimum_degree_ordering(pattern, permutation);
    order_.assign(permutation.indices().data(), permutation.indices().data() + bodies);
    place_.resize(order_.size());
    for (int k = 0; k < bodies; ++k) {
        place_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])] = k;
    }
}

/// A place is coupled to its own neighbours and to those that its children in the tree leave to it.
void BodyFactor::fill_pattern()
{
    const auto n = static_cast<int>(order_.size());
    std::vector<int> mark(order_.size(), -1), child(order_.size(), -1), next(order_.size(), -1);
    begin_.assign(1, 0);
    rows_.clear();
    products_ = 0;
    for (int k = 0; k < n; ++k) {
        const auto add = [&](int i) {
            if (i <= k || std::exchange(mark[static_cast<std::size_t>(i)], k) == k) return;
            rows_.push_back(i);
        };
        const auto body = static_cast<std::size_t>(order_[static_cast<std::size_t>(k)]);
        for (int e = graph_begin_[body]; e < graph_begin_[body + 1]; ++e) {
            add(place_[static_cast<std::size_t>(graph_[static_cast<std::size_t>(e)])]);
        }
        for (int c = child[static_cast<std::size_t>(k)]; c >= 0; c = next[static_cast<std::size_t>(c)]) {
            for (std::size_t e = begin_[static_cast<std::size_t>(c)];
                 e < begin_[static_cast<std::size_t>(c) + 1]; ++e) {
                add(rows_[e]);
            }
        }
        const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(begin_.back());
        std::sort(first, rows_.end());
        const auto count = static_cast<double>(rows_.end() - first);
        products_ += count * count + 2 * count;
        if (count > 0) {
            const auto parent = static_cast<std::size_t>(*first);
            next[static_cast<std::size_t>(k)] = std::exchange(child[parent], k);
        }
        begin_.push_back(rows_.size());
    }
}

void BodyFactor::set_identity()
{
    for (auto* blocks : {&L_, &U_}) {
        for (Block& block : *blocks) {
            block.setZero();
        }
    }
    for (Block& block : diagonal_) {
        block.setIdentity();
    }
}

BodyFactor::Block& BodyFactor::at(int i, int j)
{
    const int row = place_[static_cast<std::size_t>(i)], column = place_[static_cast<std::size_t>(j)];
    if (row == column) return diagonal_[static_cast<std::size_t>(row)];
    const int first = std::min(row, column);
    const auto list = below(first);
    const auto found = std::lower_bound(list.begin(), list.end(), std::max(row, column)) - list.begin();
    const std::size_t at = begin_[static_cast<std::size_t>(first)] + static_cast<std::size_t>(found);
    return row > column ? L_[at] : U_[at];
}

bool BodyFactor::factorise()
{
    for (int k = 0; k < static_cast<int>(order_.size()); ++k) {
        if (!eliminate(k)) return false;
    }
    return true;
}

/// The diagonal block becomes L and U of it, those beside it their parts of L and U; what is after them loses
/// the products.
bool BodyFactor::eliminate(int place)
{
    const auto k = static_cast<std::size_t>(place);
    Block& D = diagonal_[k];
    for (int c = 0; c < 6; ++c) {
        if (!(std::abs(D(c, c)) > 1e-300)) return false;
        for (int r = c + 1; r < 6; ++r) {
            const double l = D(r, c) /= D(c, c);
            for (int j = c + 1; j < 6; ++j) {
                D(r, j) -= l * D(c, j);
            }
        }
    }
    const auto list = below(place);
    for (std::size_t e = begin_[k]; e < begin_[k + 1]; ++e) {
        D.triangularView<Eigen::UnitLower>().solveInPlace(U_[e]);
        D.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(L_[e]);
    }
    for (std::size_t r = 0; r < list.size(); ++r) {
        const int i = list[r];
        const Block& L_ik = L_[begin_[k] + r];
        const Block& U_ki = U_[begin_[k] + r];
        diagonal_[static_cast<std::size_t>(i)].noalias() -= L_ik.lazyProduct(U_ki);
        std::size_t at = begin_[static_cast<std::size_t>(i)];
        for (std::size_t c = r + 1; c < list.size(); ++c) {
            while (rows_[at] != list[c]) {
                ++at;
            }
            U_[at].noalias() -= L_ik.lazyProduct(U_[begin_[k] + c]);
            L_[at].noalias() -= L_[begin_[k] + c].lazyProduct(U_ki);
        }
    }
    return true;
}

void BodyFactor::solve(std::vector<Vector>& b)
{
    const auto n = static_cast<int>(order_.size());
    for (int k = 0; k < n; ++k) {
        work_[static_cast<std::size_t>(k)] = b[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])];
    }
    for (int k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        Vector& x = work_[at];
        diagonal_[at].triangularView<Eigen::UnitLower>().solveInPlace(x);
        for (std::size_t e = begin_[at]; e < begin_[at + 1]; ++e) {
            work_[static_cast<std::size_t>(rows_[e])].noalias() -= L_[e].lazyProduct(x);
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        const auto at = static_cast<std::size_t>(k);
        Vector& x = work_[at];
        for (std::size_t e = begin_[at]; e < begin_[at + 1]; ++e) {
            x.noalias() -= U_[e].lazyProduct(work_[static_cast<std::size_t>(rows_[e])]);
        }
        diagonal_[at].triangularView<Eigen::Upper>().solveInPlace(x);
        b[static_cast<std::size_t>(order_[at])] = x;
    }
}

}  // namespace carom
