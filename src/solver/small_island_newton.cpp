#include "small_island.hpp"

#include "small_dense.hpp"
#include "small_island_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

/// Shortened steps that hardly help, one after the other, before another way is taken.
constexpr int max_poor_steps = 4;
constexpr double poor = 0.8;

/// out = the rows of W, n long, times c, one after the other.
void set_combination(const double* c, int rows, const double* W, std::size_t n, double* __restrict out)
{
    const bool none = std::all_of(c, c + rows, [](double value) { return value == 0; });
    if (none) {
        std::fill_n(out, n, 0.0);
    } else if (rows == 3) {  // most of them: contacts in space
        const double c0 = c[0], c1 = c[1], c2 = c[2];
        for (std::size_t j = 0; j < n; ++j) {
            out[j] = c0 * W[j] + c1 * W[n + j] + c2 * W[2 * n + j];
        }
    } else {
        for (std::size_t j = 0; j < n; ++j) {
            out[j] = c[0] * W[j];
        }
        for (int k = 1; k < rows; ++k) {
            detail::add_multiple(c[k], W + static_cast<std::size_t>(k) * n, n, out);
        }
    }
}

}  // namespace

/// J = E + C (W + eps) by rows, and its factors with the largest pivots of the columns.
bool SmallIsland::factorise(double eps)
{
    const auto n = static_cast<std::size_t>(n_);
    J_.resize(n * n);
    for (const Member& member : members_) {
        const int d = member.size;
        const double* E = E_.data() + member.block;
        const double* C = C_.data() + member.block;
        const double* W = W_.data() + static_cast<std::size_t>(member.first) * n;
        for (int r = 0; r < d; ++r, C += d, E += d) {
            double* row = J_.data() + static_cast<std::size_t>(member.first + r) * n;
            set_combination(C, d, W, n, row);
            for (int j = 0; j < d; ++j) {
                row[member.first + j] += C[j] * eps + E[j];
            }
        }
    }
    pivot_.resize(n);
    return detail::eliminate(J_.data(), n, pivot_.data());
}

void SmallIsland::solve(std::span<double> b) const
{
    const auto n = static_cast<std::size_t>(n_);
    for (std::size_t k = 0; k < n; ++k) {
        std::swap(b[k], b[static_cast<std::size_t>(pivot_[k])]);
    }
    double* const x = b.data();
    for (std::size_t i = 1; i < n; ++i) {
        const double* const row = J_.data() + i * n;
        double sum = x[i];
        for (std::size_t k = 0; k < i; ++k) {
            sum -= row[k] * x[k];
        }
        x[i] = sum;
    }
    for (std::size_t k = n; k-- > 0;) {
        const double* const row = J_.data() + k * n;
        double sum = x[k];
        for (std::size_t j = k + 1; j < n; ++j) {
            sum -= row[j] * x[j];
        }
        x[k] = sum / row[k];
    }
}

/// The equations are not linear while the statuses stay.
bool SmallIsland::bends() const
{
    for (std::size_t m = 0; m < members_.size(); ++m) {
        const Kind kind = members_[m].kind;
        if (kind == Kind::Other || (kind == Kind::Disc && status_[m] == island::slides)) return true;
    }
    return false;
}

/// The factors are those of the equations as they were last evaluated, but for sliding that has turned.
bool SmallIsland::is_factor_of(Equations equations, double eps) const
{
    return eps_factor_ == eps && equations_factor_ == equations && status_ == status_factor_;
}

/// Full steps have come back to statuses that they had left. Where the equations are linear while statuses
/// stay, these say where the next step leads, and it goes on like that for ever; sliding that turns may end
/// it, and is given a second round.
bool SmallIsland::goes_in_circles()
{
    const auto size = static_cast<std::ptrdiff_t>(status_.size());
    const auto last = history_.end() - size;
    if (std::equal(status_.begin(), status_.end(), last)) return false;
    int met = 0;
    for (auto known = history_.begin(); known != last; known += size) {
        met += std::equal(status_.begin(), status_.end(), known) ? 1 : 0;
    }
    history_.insert(history_.end(), status_.begin(), status_.end());
    return met > (bends() ? 1 : 0);
}

bool SmallIsland::newton(Equations equations, double eps, std::span<const double> centre, std::span<double> x)
{
    // full steps first: they change statuses as a pivoting method does, and mostly end in a few
    before_.assign(x.begin(), x.end());
    if (newton(equations, eps, centre, x, island::max_full_steps, 1)) return true;
    std::copy(before_.begin(), before_.end(), x.begin());
    return newton(equations, eps, centre, x, island::max_newton_steps, island::max_newton_halvings);
}

bool SmallIsland::newton(Equations equations, double eps, std::span<const double> centre, std::span<double> x,
                         int max_steps, int max_halvings)
{
    constexpr double settled = 1e-7, rounding = 1e-14, decrease = 1e-4, slow = 0.1;
    evaluate(equations, eps, centre, x);
    history_.assign(status_.begin(), status_.end());
    int poor_steps = 0;
    double merit = island::norm2(F_), last_length = std::numeric_limits<double>::infinity();
    for (int step = 0; step < max_steps; ++step) {
        if (!std::isfinite(merit)) return false;

        // the factors of the last step serve while the equations are linear and the same
        bool reuses = is_factor_of(equations, eps) && (step > 0 || !bends());
        for (;; reuses = false) {
            if (!reuses) {
                eps_factor_ = -1;
                if (!factorise(eps)) return false;
                eps_factor_ = eps;
                equations_factor_ = equations;
                status_factor_ = status_;
            }
            dx_.assign(F_.begin(), F_.end());
            solve(dx_);
            if (!reuses || !bends() || island::largest(dx_) <= slow * last_length) break;
        }
        last_length = island::largest(dx_);
        status_before_ = status_;
        const double size = std::max(island::largest(x), island::largest(q_)), length = island::largest(dx_);
        if (!std::isfinite(length)) return false;
        const double noise = rounding * size * rounding * size * n_;
        double part = 1, there = 0;
        int halvings = 0;
        for (; halvings < max_halvings; ++halvings, part /= 2) {
            for (std::size_t k = 0; k < x.size(); ++k) {
                trial_[k] = x[k] - part * dx_[k];
            }
            evaluate(equations, eps, centre, trial_);
            there = island::norm2(F_);
            if (max_halvings == 1) break;
            if (there <= (1 - 2 * decrease * part) * merit || there <= noise) break;
        }
        if (halvings == max_halvings && !insists_) {
            evaluate(equations, eps, centre, x);
            return merit <= 1e4 * noise;
        }
        std::copy(trial_.begin(), trial_.end(), x.begin());
        if (part == 1 && status_ == status_before_ && length <= settled * size) return true;
        if (part == 1 && status_ == status_before_ && !bends() && there <= noise) return true;
        if (max_halvings == 1 && goes_in_circles()) return false;
        poor_steps = there > poor * merit && there > noise ? poor_steps + 1 : 0;
        if (max_halvings > 1 && poor_steps == max_poor_steps && !insists_) return false;
        merit = there;
    }
    return false;
}

}  // namespace carom
