#include "solver/body_factor.hpp"

#include <algorithm>
#include <cmath>

namespace carom {

void BodyFactor::analyse(int bodies, std::span<const std::array<int, 2>> pairs)
{
    pattern_.analyse(bodies, pairs);
    products_ = 0;
    for (std::size_t k = 0; k < pattern_.size(); ++k) {
        const auto count = static_cast<double>(pattern_.below(k).size());
        products_ += count * count + 2 * count;
    }
    L_.resize(pattern_.rows.size());
    U_.resize(pattern_.rows.size());
    diagonal_.resize(pattern_.order.size());
    work_.resize(pattern_.order.size());
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
    const int row = pattern_.place[static_cast<std::size_t>(i)],
              column = pattern_.place[static_cast<std::size_t>(j)];
    if (row == column) return diagonal_[static_cast<std::size_t>(row)];
    const int first = std::min(row, column);
    const auto list = pattern_.below(static_cast<std::size_t>(first));
    const auto found = std::lower_bound(list.begin(), list.end(), std::max(row, column)) - list.begin();
    const std::size_t at = pattern_.begin[static_cast<std::size_t>(first)] + static_cast<std::size_t>(found);
    return row > column ? L_[at] : U_[at];
}

bool BodyFactor::factorise(const Budget& budget)
{
    for (int k = 0; k < static_cast<int>(pattern_.order.size()); ++k) {
        if (budget.expired() || !eliminate(k)) return false;
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
    const auto list = pattern_.below(k);
    for (std::size_t e = pattern_.begin[k]; e < pattern_.begin[k + 1]; ++e) {
        D.triangularView<Eigen::UnitLower>().solveInPlace(U_[e]);
        D.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(L_[e]);
    }
    for (std::size_t r = 0; r < list.size(); ++r) {
        const int i = list[r];
        const Block& L_ik = L_[pattern_.begin[k] + r];
        const Block& U_ki = U_[pattern_.begin[k] + r];
        diagonal_[static_cast<std::size_t>(i)].noalias() -= L_ik.lazyProduct(U_ki);
        std::size_t at = pattern_.begin[static_cast<std::size_t>(i)];
        for (std::size_t c = r + 1; c < list.size(); ++c) {
            while (pattern_.rows[at] != list[c]) {
                ++at;
            }
            U_[at].noalias() -= L_ik.lazyProduct(U_[pattern_.begin[k] + c]);
            L_[at].noalias() -= L_[pattern_.begin[k] + c].lazyProduct(U_ki);
        }
    }
    return true;
}

void BodyFactor::solve(std::vector<Vector>& b)
{
    const auto n = static_cast<int>(pattern_.order.size());
    for (int k = 0; k < n; ++k) {
        work_[static_cast<std::size_t>(k)] =
            b[static_cast<std::size_t>(pattern_.order[static_cast<std::size_t>(k)])];
    }
    for (int k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        Vector& x = work_[at];
        diagonal_[at].triangularView<Eigen::UnitLower>().solveInPlace(x);
        for (std::size_t e = pattern_.begin[at]; e < pattern_.begin[at + 1]; ++e) {
            work_[static_cast<std::size_t>(pattern_.rows[e])].noalias() -= L_[e].lazyProduct(x);
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        const auto at = static_cast<std::size_t>(k);
        Vector& x = work_[at];
        for (std::size_t e = pattern_.begin[at]; e < pattern_.begin[at + 1]; ++e) {
            x.noalias() -= U_[e].lazyProduct(work_[static_cast<std::size_t>(pattern_.rows[e])]);
        }
        diagonal_[at].triangularView<Eigen::Upper>().solveInPlace(x);
        b[static_cast<std::size_t>(pattern_.order[at])] = x;
    }
}

}  // namespace carom
