#include "small_island.hpp"

#include "small_dense.hpp"
#include "small_island_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

/// Pivots of W below this part of the largest are rounding.
constexpr double min_pivot = 1e-11;

}  // namespace

void SmallIsland::load(const OneStepProblem& problem, std::span<const int> members)
{
    // D: the mean of trace W_cc / dim over the contacts; constraints have units of their own
    double sum = 0;
    int contacts = 0;
    const auto mean_diagonal = [&](int c) {
        const auto W = problem.W.diagonal(c);
        const auto d = static_cast<std::size_t>(problem.W.dimension(c));
        double trace = 0;
        for (std::size_t k = 0; k < d; ++k) {
            trace += W[k * d + k];
        }
        return trace / static_cast<double>(d);
    };
    for (const int c : members) {
        if (!is_unilateral(problem.laws[c])) continue;
        sum += mean_diagonal(c);
        ++contacts;
    }
    const auto scale_of = [&](int c) {
        const double D = is_unilateral(problem.laws[c]) ? sum / contacts : mean_diagonal(c);
        return D > 0 ? 1 / std::sqrt(D) : 1.0;
    };

    n_ = 0;
    members_.resize(members.size());
    scale_.clear();
    int blocks = 0;
    for (std::size_t k = 0; k < members.size(); ++k) {
        Member& member = members_[k];
        member.size = problem.W.dimension(members[k]);
        member.first = n_;
        member.from = problem.offsets[members[k]];
        member.block = blocks;
        n_ += member.size;
        blocks += member.size * member.size;
        scale_.insert(scale_.end(), static_cast<std::size_t>(member.size), scale_of(members[k]));
    }
    const auto n = static_cast<std::size_t>(n_);
    W_.assign(n * n, 0.0);
    W_columns_.assign(n * n, 0.0);
    for (std::size_t k = 0; k < members.size(); ++k) {
        load_rows(problem, members, k);
    }
    q_.resize(n);
    has_friction_ = false;
    for (std::size_t m = 0; m < members.size(); ++m) {
        load_member(problem, members[m], members_[m]);
    }
    q_size_ = std::sqrt(island::norm2(q_));
    for (auto* vector : {&u_, &F_, &dx_, &trial_, &centre_, &start_, &before_}) {
        vector->resize(n);
    }
    zero_.assign(n, 0.0);
    E_.resize(static_cast<std::size_t>(blocks));
    C_.resize(static_cast<std::size_t>(blocks));
    status_.resize(members.size());
    status_before_.resize(members.size());
    status_factor_.resize(members.size());
    eps_factor_ = -1;
}

/// The rows of W of one member, scaled.
void SmallIsland::load_rows(const OneStepProblem& problem, std::span<const int> members, std::size_t k)
{
    const Member& row = members_[k];
    const int c = members[k];
    const auto n = static_cast<std::size_t>(n_);
    const double of_row = scale_[row.first];  // one number per interaction
    std::size_t j = 0;
    for (const auto& entry : problem.W.row(c)) {
        while (j < members.size() && members[j] < entry.column) {
            ++j;
        }
        if (j == members.size()) return;
        if (members[j] != entry.column) continue;
        const Member& column = members_[j];
        const double of_column = scale_[column.first];
        const double* source = problem.W.block(c, entry).data();
        double* W = W_.data() + static_cast<std::size_t>(row.first) * n + column.first;
        double* W_columns = W_columns_.data() + static_cast<std::size_t>(column.first) * n + row.first;
        for (int r = 0; r < row.size; ++r, source += column.size, W += n, ++W_columns) {
            if (column.size == 3) {  // most of them: contacts in space
                W_columns[0] = W[0] = of_row * source[0] * of_column;
                W_columns[n] = W[1] = of_row * source[1] * of_column;
                W_columns[2 * n] = W[2] = of_row * source[2] * of_column;
                continue;
            }
            for (int i = 0; i < column.size; ++i) {
                W_columns[static_cast<std::size_t>(i) * n] = W[i] = of_row * source[i] * of_column;
            }
        }
    }
}

/// The set of an interaction, the free velocity with what restitution asks for, and the steps of (SO-8).
void SmallIsland::load_member(const OneStepProblem& problem, int c, Member& member)
{
    const Law& law = problem.laws[c];
    const int first = member.first;
    const double d = scale_[first];
    member.law = &law;
    member.U_minus = problem.part(std::span<const double>(problem.U_minus), c);
    member.low = member.high = 0;
    for (int k = 0; k < member.size; ++k) {
        q_[first + k] = d * problem.U_free[member.from + k];
    }
    member.kind = Kind::Other;
    if (std::holds_alternative<Unilateral>(law)) member.kind = Kind::HalfLine;
    if (std::holds_alternative<Bilateral>(law)) member.kind = Kind::Line;
    if (const auto* limited = std::get_if<Limited>(&law)) {
        member.kind = Kind::Bounds;
        member.low = limited->low / d;
        member.high = limited->high / d;
    }
    has_friction_ = has_friction_ || std::holds_alternative<Resisting>(law);
    if (const auto* coulomb = std::get_if<Coulomb>(&law)) {
        has_friction_ = has_friction_ || coulomb->friction > 0;
        const auto* interval = std::get_if<FrictionInterval>(&coulomb->shape);
        if (interval != nullptr) {
            member.kind = Kind::Plane;
            member.low = coulomb->friction * interval->low;
            member.high = coulomb->friction * interval->high;
        } else if (std::holds_alternative<FrictionDisc>(coulomb->shape)) {
            member.kind = Kind::Disc;
            member.high = coulomb->friction;
        } else if (std::holds_alternative<FrictionRough>(coulomb->shape)) {
            member.kind = Kind::Rough;
            has_friction_ = true;
        }
        if (member.kind != Kind::Other) {
            for (int k = 1; k < member.size; ++k) {
                q_[first + k] += d * coulomb->tangential_restitution * member.U_minus[k];
            }
        }
    }
    if (member.kind != Kind::Other) q_[first] += d * restitution(law) * std::min(member.U_minus[0], 0.0);

    const auto W = [&](int i, int j) { return W_[static_cast<std::size_t>((first + i) * n_ + first + j)]; };
    double tangential = 0;
    if (member.size == 2) tangential = W(1, 1);
    if (member.size == 3) {
        const double mean = (W(1, 1) + W(2, 2)) / 2;
        tangential = mean + island::length_of((W(1, 1) - W(2, 2)) / 2, (W(1, 2) + W(2, 1)) / 2);
    }
    member.rho_N = W(0, 0) > 0 ? 1 / W(0, 0) : 1.0;
    member.rho_T = tangential > 0 ? 1 / tangential : member.rho_N;
}

int SmallIsland::rank()
{
    J_.assign(W_.begin(), W_.end());
    column_.resize(static_cast<std::size_t>(n_));
    return static_cast<int>(
        detail::rank_of(J_.data(), static_cast<std::size_t>(n_), min_pivot, column_.data()));
}

bool SmallIsland::is_unique()
{
    if (!has_friction_) return true;

    // mu^2 trace (W^-1)_NN times a norm of W_TT, over the contacts with friction
    double mu = 0, tangential = 0;
    for (const Member& member : members_) {
        if (member.size == 1) continue;
        if (member.kind != Kind::Plane && member.kind != Kind::Disc) return false;
        mu = std::max({mu, std::abs(member.low), std::abs(member.high)});
        for (int r = member.first + 1; r < member.first + member.size; ++r) {
            double sum = 0;
            for (const Member& other : members_) {
                for (int i = other.first + 1; other.size > 1 && i < other.first + other.size; ++i) {
                    sum += std::abs(W_[static_cast<std::size_t>(r * n_ + i)]);
                }
            }
            tangential = std::max(tangential, sum);
        }
    }
    std::fill(E_.begin(), E_.end(), 0.0);
    for (const Member& member : members_) {
        double* C = C_.data() + member.block;
        for (int i = 0; i < member.size * member.size; ++i) {
            C[i] = i % (member.size + 1) == 0 ? 1.0 : 0.0;
        }
    }
    if (!factorise(0)) return false;
    double inverse = 0;
    for (const Member& member : members_) {
        if (member.size == 1) continue;
        std::fill(dx_.begin(), dx_.end(), 0.0);
        dx_[member.first] = 1;
        solve(dx_);
        inverse += std::max(dx_[member.first], 0.0);
    }
    eps_factor_ = -1;
    return mu * mu * inverse * tangential < 1;
}

bool SmallIsland::may_have_several()
{
    for (const Member& member : members_) {
        if (!is_unilateral(*member.law) || member.size == 1) continue;
        if (member.kind != Kind::Plane && member.kind != Kind::Disc) return true;
        const double* W = W_.data() + static_cast<std::size_t>(member.first * n_ + member.first);
        const double mu = std::max(std::abs(member.low), std::abs(member.high));
        const double coupling = member.size == 2 ? std::abs(W[1]) : island::length_of(W[1], W[2]);
        if (!(mu * coupling < W[0] / 2)) return true;
    }

    // a velocity of W that is inside all dual cones, u_N > mu |u_T|, by corrections in turn: percussions in
    // the cones do work on it, so that none of them balance each other
    constexpr int max_rounds = 10;
    std::fill(dx_.begin(), dx_.end(), 0.0);
    for (int round = 0; round < max_rounds; ++round) {
        bool inside = true;
        for (const Member& member : members_) {
            if (!is_unilateral(*member.law)) continue;
            const double* u = dx_.data() + member.first;
            std::array<double, 3> g{1, 0, 0};
            const double slip = member.size == 3   ? island::length_of(u[1], u[2])
                                : member.size == 2 ? std::abs(u[1])
                                                   : 0.0;
            const double mu = std::max(std::abs(member.low), std::abs(member.high));
            if (u[0] > 1.01 * mu * slip && u[0] > 0) continue;
            inside = false;
            for (int k = 1; k < member.size && slip > 0; ++k) {
                g[k] = -mu * u[k] / slip;
            }
            for (int k = 0; k < member.size; ++k) {
                const double* row = W_.data() + static_cast<std::size_t>((member.first + k) * n_);
                for (int j = 0; j < n_; ++j) {
                    dx_[j] += g[k] * row[j];
                }
            }
        }
        if (inside) return false;
    }
    return true;
}

void SmallIsland::gather(std::span<const double> P, std::span<double> x) const
{
    for (const Member& member : members_) {
        for (int k = 0; k < member.size; ++k) {
            const double value = P[member.from + k];
            x[member.first + k] = std::isfinite(value) ? value / scale_[member.first + k] : 0.0;
        }
    }
}

void SmallIsland::scatter(std::span<const double> x, std::span<double> P) const
{
    for (const Member& member : members_) {
        for (int k = 0; k < member.size; ++k) {
            P[member.from + k] = x[member.first + k] * scale_[member.first + k];
        }
    }
}

void SmallIsland::velocity(std::span<const double> x, std::span<double> u) const
{
    std::copy(q_.begin(), q_.end(), u.begin());
    detail::add_product(W_columns_.data(), static_cast<std::size_t>(n_), x.data(), u.data());
}

}  // namespace carom
