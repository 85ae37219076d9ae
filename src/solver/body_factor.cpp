#include "solver/body_factor.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Products of blocks that a panel has at least, so that they take longer than a message; and panels of a
/// rank. A factorisation with fewer of them is not shared.
constexpr double min_products = 1000;
constexpr double min_panels = 4, max_panels = 64;

/// Panels go from one rank to another in their order: one tag for all, behind those of sweeps.
constexpr int panel_tag = 2048;

double products_of(std::size_t below)
{
    const auto count = static_cast<double>(below);
    return count * count + 2 * count;
}

}  // namespace

void BodyFactor::analyse(int bodies, std::span<const std::array<int, 2>> pairs)
{
    deal_panels(nullptr);
    pattern_.analyse(bodies, pairs);
    products_ = 0;
    for (std::size_t k = 0; k < pattern_.size(); ++k) {
        products_ += products_of(pattern_.below(k).size());
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
    if (Ranks::shared() != dealt_to_) deal_panels(Ranks::shared());
    if (!panels_.empty()) return factorise_panels(budget);
    for (int k = 0; k < static_cast<int>(pattern_.order.size()); ++k) {
        if (budget.expired() || !divide(k)) return false;
        subtract(k, [](int) { return true; });
    }
    return true;
}

/// The diagonal block becomes L and U of it, those beside it their parts of L and U.
bool BodyFactor::divide(int place)
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
    for (std::size_t e = pattern_.begin[k]; e < pattern_.begin[k + 1]; ++e) {
        D.triangularView<Eigen::UnitLower>().solveInPlace(U_[e]);
        D.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(L_[e]);
    }
    return true;
}

/// What is after a place, and wanted, loses the products.
template <class Wanted>
void BodyFactor::subtract(int place, Wanted wanted)
{
    const auto k = static_cast<std::size_t>(place);
    const auto list = pattern_.below(k);
    for (std::size_t r = 0; r < list.size(); ++r) {
        const int i = list[r];
        if (!wanted(i)) continue;
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
}

/// Panels of about equal cost, where there are enough of them.
void BodyFactor::deal_panels(Messages* ranks)
{
    dealt_to_ = ranks;
    panels_.clear();
    if (ranks == nullptr) return;
    const double of_rank = products_ / ranks->ranks();
    if (of_rank < min_panels * min_products) return;
    const double wanted = std::max(min_products, of_rank / max_panels);
    panel_of_.resize(pattern_.size());
    double cost = wanted;
    for (std::size_t k = 0; k < pattern_.size(); ++k) {
        if (cost >= wanted) {
            const auto number = static_cast<int>(panels_.size());
            panels_.push_back({.begin = static_cast<int>(k), .rank = number % ranks->ranks()});
            cost = 0;
        }
        cost += products_of(pattern_.below(k).size());
        panels_.back().end = static_cast<int>(k) + 1;
        panel_of_[k] = panels_.size() - 1;
    }
    for (Panel& panel : panels_) {
        open_lines(*ranks, panel);
    }
}

void BodyFactor::open_lines(Messages& ranks, Panel& panel)
{
    const auto begin = static_cast<std::size_t>(panel.begin), end = static_cast<std::size_t>(panel.end);
    const std::size_t first = pattern_.begin[begin], count = pattern_.begin[end] - first;
    for (const std::span<Block> blocks :
         {std::span(diagonal_).subspan(begin, end - begin), std::span(L_).subspan(first, count),
          std::span(U_).subspan(first, count)}) {
        const auto data = std::as_writable_bytes(blocks);
        if (panel.rank != ranks.rank()) {
            panel.lines.push_back(ranks.line_from(panel.rank, panel_tag, data));
            continue;
        }
        for (int other = 0; other < ranks.ranks(); ++other) {
            if (other != panel.rank) panel.lines.push_back(ranks.line_to(other, panel_tag, data));
        }
    }
}

/// A rank that has the next panel eliminates it before it subtracts from others: these are not waited for.
bool BodyFactor::factorise_panels(const Budget& budget)
{
    const auto start = [](Panel& panel) {
        for (const auto& line : panel.lines)
            line->start();
    };
    const auto wait = [](Panel& panel) {
        for (const auto& line : panel.lines)
            line->wait();
    };
    const auto is_mine = [&](const Panel& panel) { return panel.rank == dealt_to_->rank(); };
    bool good = true;
    for (Panel& panel : panels_) {
        if (!is_mine(panel)) start(panel);
    }
    for (std::size_t p = 0; p < panels_.size(); ++p) {
        Panel& panel = panels_[p];
        if (!is_mine(panel)) {
            wait(panel);
            good = good && diagonal_[static_cast<std::size_t>(panel.begin)](0, 0) != 0;
        } else if (p == 0) {
            eliminate(panel, budget, good);
            start(panel);
        }
        if (p + 1 < panels_.size() && is_mine(panels_[p + 1])) {
            if (good) subtract(panel, p + 1, p + 1);
            eliminate(panels_[p + 1], budget, good);
            start(panels_[p + 1]);
        }
        if (good) subtract(panel, p + 2, panels_.size() - 1);
    }
    for (Panel& panel : panels_) {
        if (is_mine(panel)) wait(panel);
    }
    return good;
}

/// Where that fails, or has failed, a pivot of zero tells all.
void BodyFactor::eliminate(Panel& panel, const Budget& budget, bool& good)
{
    const std::size_t here = panel_of_[static_cast<std::size_t>(panel.begin)];
    for (int k = panel.begin; good && k < panel.end; ++k) {
        good = !budget.expired() && divide(k);
        if (good) subtract(k, [&](int i) { return panel_of_[static_cast<std::size_t>(i)] == here; });
    }
    if (!good) diagonal_[static_cast<std::size_t>(panel.begin)](0, 0) = 0;
}

/// From the panels of this rank among those.
void BodyFactor::subtract(const Panel& from, std::size_t first_panel, std::size_t last_panel)
{
    for (int k = from.begin; k < from.end; ++k) {
        subtract(k, [&](int i) {
            const std::size_t p = panel_of_[static_cast<std::size_t>(i)];
            return p >= first_panel && p <= last_panel && panels_[p].rank == dealt_to_->rank();
        });
    }
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
