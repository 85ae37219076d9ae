#include "series_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

/// Bounds of the rounding errors of one order (PS-13): a coefficient decides a status only where it is larger
/// than what rounding can have made of it.
namespace carom::detail {
namespace {

constexpr double ulp = std::numeric_limits<double>::epsilon();
constexpr double state_part = 8 * ulp;  ///< error of a state, which other expansions have led to
constexpr double bound_safety = 32;     ///< bounds are of first order, and sums of many terms round more
constexpr int largest_inverse = 30;  ///< unknowns; above, errors of reactions are estimated by the diagonal

/// Error of sum of x_i y_{k-i} for i = first .. last, errors of x given by `ex`, of y by `ey`.
double error_of_convolution(const double* x, const double* ex, const double* y, const double* ey, int k,
                            int first, int last)
{
    double sum = 0;
    for (int i = first; i <= last; ++i) {
        const double a = std::abs(x[i]), b = std::abs(y[k - i]);
        sum += a * ey[k - i] + ex[i] * b + ulp * a * b;
    }
    return sum;
}

/// What is no number bounds nothing.
double as_bound(double x)
{
    return std::isnan(x) ? std::numeric_limits<double>::infinity() : x;
}

}  // namespace

/// Errors of coefficient p of all formulas.
void Expansion::bound_tapes(int p)
{
    if (p == 0) {
        x_error_.assign(x_.size(), 0.0);
        a_error_.assign(a_.size(), 0.0);
        for (int i = 0; i < 2 * n_; ++i) {
            const auto at = static_cast<std::size_t>(i) * stride_;
            x_error_[at] = state_part * std::abs(x_[at]);
            if (i < n_) x_error_[at + 1] = state_part * std::abs(x_[at + 1]);
        }
        x_error_[static_cast<std::size_t>(2 * n_) * stride_] = ulp * std::abs(x(2 * n_)[0]);
    }
    system_.dynamics.tape.bound(p, x_error_.data(), stride_);
    for (Player& one : playing()) {
        if (one.may_act()) one.rows->tape.bound(p, x_error_.data(), stride_);
    }
}

/// Errors of y and e of (PS-4); those of A^-1 by |A^-1| |A| |y|.
void Expansion::bound_right_hand_side(int p)
{
    if (!A_inverse_known_) {
        A_inverse_.setIdentity(n_, n_);
        A_.solveInPlace(A_inverse_);
        A_inverse_ = A_inverse_.cwiseAbs();
        A_inverse_known_ = true;
    }
    momentum_error_.resize(n_);
    for (int i = 0; i < n_; ++i) {
        momentum_error_[i] = system_.dynamics.error(static_cast<std::size_t>(i))[p];
    }
    for (std::size_t k = 0; k < system_.entries.size(); ++k) {
        const auto& entry = system_.entries[k];
        const double* A = system_.A(k);
        const double* A_error = system_.dynamics.error(static_cast<std::size_t>(2 * n_) + 1 + k);
        const auto add = [&](int to, int from) {
            momentum_error_[to] += (2 * ulp * std::abs(A[0]) + A_error[0]) * std::abs(y_[from]);
            if (entry.constant) return;
            const std::size_t at = static_cast<std::size_t>(from) * stride_;
            momentum_error_[to] +=
                error_of_convolution(A, A_error, a_.data() + at, a_error_.data() + at, p, 1, p);
        };
        add(entry.i, entry.j);
        if (entry.i != entry.j) add(entry.j, entry.i);
    }
    for (const Player& one : players()) {
        if (!one.may_act()) continue;
        const auto& support = one.programs->support;
        for (int row = 0; row < one.dimension; ++row) {
            for (std::size_t s = 0; s < support.size(); ++s) {
                const std::size_t place = one.programs->H_at(row, s);
                if (one.rows->is_constant(place)) continue;
                momentum_error_[support[s]] +=
                    error_of_convolution(one.rows->output(place), one.rows->error(place), series(one.r, row),
                                         series(one.r_error, row), p, 1, p);
            }
        }
    }
    y_error_.noalias() = A_inverse_ * momentum_error_;

    for (const Player& one : players()) {
        if (!one.may_act()) continue;
        const auto& support = one.programs->support;
        for (int row = 0; row < one.dimension; ++row) {
            double sum = one.rows->error(one.programs->gamma_at(row))[p] + ulp * scale_[one.offset + row];
            for (std::size_t s = 0; s < support.size(); ++s) {
                const std::size_t place = one.programs->H_at(row, s);
                const double *H = one.rows->output(place), *H_error = one.rows->error(place);
                const auto at = static_cast<std::size_t>(support[s]) * stride_;
                sum += std::abs(H[0]) * y_error_[support[s]] + H_error[0] * std::abs(y_[support[s]]);
                if (one.rows->is_constant(place)) continue;
                sum += error_of_convolution(H, H_error, a_.data() + at, a_error_.data() + at, p, 1, p);
            }
            e_error_[one.offset + row] = as_bound(sum);
        }
    }
}

/// Errors of the accelerations of order p, and so of the velocities of order p + 1.
void Expansion::bound_motion(int p)
{
    const auto at = static_cast<std::size_t>(p);
    for (Player& one : playing()) {
        for (int i = 0; i < one.dimension; ++i) {
            one.r_error[static_cast<std::size_t>(i) * stride_ + at] = r_error_[one.offset + i];
        }
    }
    for (int i = 0; i < n_; ++i) {
        double sum = y_error_[i] + ulp * std::abs(y_[i]);
        for (int j = 0; j < local_size_; ++j) {
            sum += std::abs(AiHt_(i, j)) * (r_error_[j] + ulp * std::abs(r_[j]));
        }
        const std::size_t row = static_cast<std::size_t>(i) * stride_;
        const std::size_t u_row = static_cast<std::size_t>(n_ + i) * stride_;
        a_error_[row + at] = sum;
        x_error_[u_row + at + 1] = sum / (p + 1);
        if (p + 2 <= K_) x_error_[row + at + 2] = sum / ((p + 1) * (p + 2));
    }
}

/// Error of mu r_N of this order.
double OrderProblem::threshold_error(const Player& one, bool at_rest) const
{
    if (!one.programs->friction) return 0;
    const ContactPrograms& c = *one.programs;
    const std::size_t place = at_rest ? c.mu_static_at() : c.mu_at();
    const double *mu = one.rows->output(place), *mu_error = one.rows->error(place);
    const double r_n = x_.r_[one.offset];
    double sum =
        std::abs(mu[0]) * (x_.r_error_[one.offset] + ulp * std::abs(r_n)) + mu_error[0] * std::abs(r_n);
    if (!one.rows->is_constant(place)) {
        sum += error_of_convolution(mu, mu_error, x_.series(one.r, 0), x_.series(one.r_error, 0), p_, 1, p_);
    }
    return sum;
}

/// Error of the part of r_T that lower orders give.
double OrderProblem::friction_rest_error(const Player& one, const Choice& choice, int component) const
{
    const double *r = x_.series(one.r, 0), *r_error = x_.series(one.r_error, 0);
    double sum = 0;
    if (choice.mode == Mode::Onset) {
        const double mu = one.rows->output(one.programs->mu_at())[0];
        for (int m = one.lead; m < p_; ++m) {
            const Plane d = direction(one, p_ - m);
            const double bound = std::abs(one.bound[static_cast<std::size_t>(m)]);
            sum += (mu * r_error[m] + 8 * ulp * bound) * std::hypot(d[0], d[1]);
        }
        return sum;
    }
    if (choice.mode != Mode::Slide) return 0;
    if (one.dimension == 3) {
        // the direction itself is known to some roundings
        const double* mu_d = x_.series(one.mu_d, component - 1);
        for (int i = 1; i <= p_; ++i) {
            sum += std::abs(mu_d[i]) * (r_error[p_ - i] + 8 * ulp * std::abs(r[p_ - i]));
        }
        return sum;
    }
    if (one.rows->is_constant(one.programs->mu_at())) return 0;
    const double factor = std::max(-one.programs->low, one.programs->high);
    return factor * error_of_convolution(one.rows->output(one.programs->mu_at()),
                                         one.rows->error(one.programs->mu_at()), r, r_error, p_, 1, p_);
}

/// Errors of r and U' of the island as last solved: |M^-1| times those of the right-hand side.
void OrderProblem::bound_solution(SmallSystem& system) const
{
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        const Choice& choice = work_.choices[static_cast<std::size_t>(k)];
        x_.r_error_[one.offset] = 0;
        for (int i = 1; i < one.dimension; ++i) {
            x_.r_error_[one.offset + i] = friction_rest_error(one, choice, i);
        }
    }
    const std::size_t used = work_.in.size();
    work_.r_size.assign(static_cast<std::size_t>(x_.local_size_), 0.0);
    for (std::size_t a = 0; a < used; ++a) {
        const auto at = static_cast<std::size_t>(work_.in[a]);
        const Unknown& unknown = work_.unknowns[at];
        const Player& one = player(unknown.player);
        for (int i = 0; i < one.dimension; ++i) {
            work_.r_size[static_cast<std::size_t>(one.offset + i)] +=
                std::abs(work_.z[at] * unknown.column[static_cast<std::size_t>(i)]);
        }
    }
    const auto with_reactions = [&](int row) {
        double sum = x_.e_error_[row];
        for (int l = 0; l < count(); ++l) {
            const Player& other = player(l);
            for (int j = other.offset; j < other.offset + other.dimension; ++j) {
                const double size = std::abs(x_.r_[j]) + work_.r_size[static_cast<std::size_t>(j)];
                sum += std::abs(x_.W_(row, j)) * (x_.r_error_[j] + 4 * ulp * size);
            }
        }
        return sum;
    };
    work_.right_error.assign(used, 0.0);
    double largest = 0;
    for (std::size_t a = 0; a < used; ++a) {
        const Unknown& row = work_.unknowns[static_cast<std::size_t>(work_.in[a])];
        const Player& of = player(row.player);
        double sum = ulp * std::abs(row.own * work_.z[static_cast<std::size_t>(work_.in[a])]);
        for (int i = 0; i < of.dimension; ++i) {
            const double weight = std::abs(row.row[static_cast<std::size_t>(i)]);
            if (weight != 0) sum += weight * with_reactions(of.offset + i);
        }
        work_.right_error[a] = as_bound(sum);
        largest = std::max(largest, work_.right_error[a]);
    }
    work_.z_error.assign(used, 0.0);
    if (system.dependent() || static_cast<int>(used) > largest_inverse) {
        for (std::size_t a = 0; a < used; ++a) {
            const Player& of = player(work_.unknowns[static_cast<std::size_t>(work_.in[a])].player);
            work_.z_error[a] = 8 * largest / x_.W_(of.offset, of.offset);
        }
    } else {
        work_.unit.assign(used, 0.0);
        work_.inverse_column.resize(used);
        for (std::size_t b = 0; b < used; ++b) {
            work_.unit[b] = 1;
            system.solve(work_.unit, work_.inverse_column);
            work_.unit[b] = 0;
            for (std::size_t a = 0; a < used; ++a) {
                work_.z_error[a] += std::abs(work_.inverse_column[a]) * work_.right_error[b];
            }
        }
    }
    for (std::size_t a = 0; a < used; ++a) {
        const Unknown& unknown = work_.unknowns[static_cast<std::size_t>(work_.in[a])];
        const Player& one = player(unknown.player);
        for (int i = 0; i < one.dimension; ++i) {
            x_.r_error_[one.offset + i] +=
                std::abs(unknown.column[static_cast<std::size_t>(i)]) * as_bound(work_.z_error[a]);
        }
    }
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        for (int i = one.offset; i < one.offset + one.dimension; ++i) {
            x_.r_error_[i] = as_bound(x_.r_error_[i] + ulp * std::abs(x_.r_[i]));
        }
    }
    for (int k = 0; k < count(); ++k) {
        const Player& one = player(k);
        for (int i = one.offset; i < one.offset + one.dimension; ++i) {
            x_.dU_error_[i] = as_bound(with_reactions(i));
        }
    }
}

/// An acceleration of this contact that is not above is zero; the last orders decide nothing.
double OrderProblem::zero_acceleration(const Player& one) const
{
    if (p_ > x_.deciding_order()) return std::numeric_limits<double>::infinity();
    need_bounds();
    return bound_safety * x_.dU_error_.segment(one.offset, one.dimension).maxCoeff();
}

/// A reaction, or a margin against the threshold, that is not above is zero.
double OrderProblem::zero_reaction(const Player& one) const
{
    if (p_ > x_.deciding_order()) return std::numeric_limits<double>::infinity();
    need_bounds();
    const double rest = threshold_error(one, one.known.at_rest);
    return bound_safety * (x_.r_error_.segment(one.offset, one.dimension).maxCoeff() + rest);
}

void OrderProblem::need_bounds() const
{
    if (work_.bounded) return;
    work_.bounded = true;
    bound_solution(work_.system);
}

}  // namespace carom::detail
