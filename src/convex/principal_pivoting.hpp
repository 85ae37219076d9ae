#pragma once

#include "convex/nonnegative_qp.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace carom::detail {

/// How a candidate column stands to the passive ones: W_PP c = W_Pj.
struct Relation {
    double schur = 0;          ///< W_jj - c.W_Pj, curvature along d = (e_j, -c)
    bool independent = false;  ///< schur is clear of roundoff
};

/// Principal pivoting on (CS-10). `Factor` knows W by a triangular factor of its passive block:
///     size(), passive(), solution()      the passive indices in order; c of the last relate()
///     relate(j), append(j), drop(k)      append follows relate; k is a position in passive()
///     stationary()                       x_P with w_P = 0
///     gradient(x, w)                     w at a stationary point; leaves for each row, relative to 1:
///     roundoff(), magnitude()            the size of its rounding errors, of the sum |W| |x| + |b|
///     objective(x), objective_size(x)    at a stationary point up to a constant; what its roundoff relates
///     to linear_size(d)                     |b|.|d|, where can_be_unbounded can_be_unbounded false where b
///     is in the range of W by construction
template <class Factor>
class PrincipalPivoting {
public:
    PrincipalPivoting(Factor& factor, std::span<const char> is_free, Eigen::VectorXd& x)
        : factor_(factor),
          is_free_(is_free),
          x_(x),
          w_(x.size()),
          tolerance_(x.size()),
          direction_(x.size()),
          settled_(static_cast<std::size_t>(x.size()), 0),
          is_passive_(static_cast<std::size_t>(x.size()), 0)
    {
    }

    NonnegativeQpReport solve()
    {
        start();
        while (pivots_ <= pivot_limit()) {
            // the most violated component drives; none: complementarity holds
            factor_.gradient(x_, w_);
            set_tolerance();
            const int j = candidate();
            if (j < 0) return {QpStatus::Solved, pivots_};

            if (!drive(j)) return {QpStatus::Unbounded, pivots_};
            walk_to_stationary();
            look_for_progress();
        }
        return {QpStatus::PivotLimit, pivots_};
    }

    /// After `Unbounded`: the direction in which the objective falls without end.
    [[nodiscard]] const Eigen::VectorXd& ray() const { return direction_; }

private:
    [[nodiscard]] int size() const { return static_cast<int>(x_.size()); }
    [[nodiscard]] int pivot_limit() const { return 100 + 50 * size(); }
    [[nodiscard]] bool is_free(int i) const
    {
        return !is_free_.empty() && is_free_[static_cast<std::size_t>(i)] != 0;
    }

    /// How often the pivots have gone through all components without progress.
    [[nodiscard]] int idle_rounds() const { return (pivots_ - pivots_at_lowest_) / (10 + size()); }
    [[nodiscard]] bool min_index() const { return idle_rounds() > 0; }

    /// Violations of w >= 0 that count. Nearly opposite columns make x large and its rounding errors larger
    /// than those of w: where they keep the pivots busy, the tolerance grows by ten each round.
    void set_tolerance()
    {
        constexpr double loosest = 1e-9;
        const double growth = std::pow(10.0, idle_rounds());
        tolerance_ = (growth * factor_.roundoff())
                         .cwiseMin(loosest * factor_.magnitude())
                         .cwiseMax(factor_.roundoff());
    }

    /// Free components and those positive in the warm start become passive, as far as they are independent.
    void start()
    {
        for (const bool take_free : {true, false}) {
            for (int i = 0; i < size(); ++i) {
                if (is_free(i) != take_free) continue;
                if ((take_free || x_[i] > 0) && factor_.relate(i).independent) {
                    append(i);
                } else {
                    x_[i] = 0;
                }
            }
        }
        walk_to_stationary();
        look_for_progress();
    }

    /// Index of the component to drive, or -1. A free component is violated by either sign of w.
    [[nodiscard]] int candidate() const
    {
        int best = -1;
        double worst = 0;
        for (int i = 0; i < size(); ++i) {
            const auto k = static_cast<std::size_t>(i);
            if (is_passive_[k] || settled_[k]) continue;
            const double violation = is_free(i) ? std::abs(w_[i]) : -w_[i];
            if (violation <= tolerance_[i] || violation <= worst) continue;
            if (min_index()) return i;
            worst = violation;
            best = i;
        }
        return best;
    }

    /// Move x_j until w_j = 0; whatever reaches zero on the way becomes active. False: nothing stops it.
    bool drive(int j)
    {
        const double sign = w_[j] > 0 ? -1 : 1;  // only a free component has w_j > 0 here
        double slope = -std::abs(w_[j]);
        for (;;) {
            const Relation relation = factor_.relate(j);
            set_direction(j, sign);

            // a slope that rounding errors explain is none: j waits until something else has moved
            if (-slope <= noise(j)) return settle(j);

            const double full = relation.independent ? -slope / relation.schur : infinity;
            const Block block = first_to_vanish();
            if (block.step == infinity && full == infinity) {
                if (!is_ray(slope)) return settle(j);
                return false;
            }

            const double step = std::min(full, block.step);
            const double curvature = relation.independent ? relation.schur : 0;
            move(step);
            if (full <= block.step) {
                append(j);
                ++pivots_;
                return true;
            }
            slope += step * curvature;
            drop(block.position);
            if (slope >= 0 || pivots_ > pivot_limit()) return leave_at(j);
        }
    }

    /// j stays out: it is a combination of passive columns and has nothing to gain beyond roundoff.
    bool settle(int j)
    {
        settled_[static_cast<std::size_t>(j)] = 1;
        ++pivots_;
        return leave_at(j);
    }

    /// End a drive early: a j that has moved joins the passive set if it can, else its value is given up.
    bool leave_at(int j)
    {
        if (x_[j] != 0 && factor_.relate(j).independent) {
            append(j);
        } else {
            x_[j] = 0;
        }
        return true;
    }

    /// From an admissible x towards w_P = 0; components that would turn negative on the way leave.
    void walk_to_stationary()
    {
        for (;;) {
            const Eigen::VectorXd target = factor_.stationary();
            direction_.setZero();
            for (std::size_t k = 0; k < factor_.passive().size(); ++k) {
                const int i = factor_.passive()[k];
                direction_[i] = target[static_cast<Eigen::Index>(k)] - x_[i];
            }
            Block block;
            for (std::size_t k = 0; k < factor_.passive().size(); ++k) {
                const int i = factor_.passive()[k];
                if (is_free(i) || target[static_cast<Eigen::Index>(k)] >= 0) continue;
                const double step = x_[i] / -direction_[i];
                if (step < block.step) block = {step, static_cast<int>(k)};
            }
            if (block.position < 0) {
                for (std::size_t k = 0; k < factor_.passive().size(); ++k) {
                    x_[factor_.passive()[k]] = target[static_cast<Eigen::Index>(k)];
                }
                return;
            }
            move(block.step);
            drop(block.position);
        }
    }

    struct Block {
        double step = infinity;
        int position = -1;  ///< in passive()
    };

    /// The passive component that reaches zero first along `direction_`.
    [[nodiscard]] Block first_to_vanish() const
    {
        // components of the direction below this are rounding errors of zero
        const double negligible = 1e-14 * direction_.cwiseAbs().maxCoeff();
        Block block;
        for (std::size_t k = 0; k < factor_.passive().size(); ++k) {
            const int i = factor_.passive()[k];
            if (is_free(i) || !(direction_[i] < -negligible)) continue;
            const double step = x_[i] / -direction_[i];
            if (step < block.step || (step == block.step && wins_tie(i, block.position))) {
                block = {step, static_cast<int>(k)};
            }
        }
        return block;
    }

    /// Ties go to the larger pivot, or to the least index once cycling is feared.
    [[nodiscard]] bool wins_tie(int i, int position) const
    {
        if (position < 0) return true;
        const int other = factor_.passive()[static_cast<std::size_t>(position)];
        return min_index() ? i < other : direction_[i] < direction_[other];
    }

    void set_direction(int j, double sign)
    {
        direction_.setZero();
        direction_[j] = sign;
        for (std::size_t k = 0; k < factor_.passive().size(); ++k) {
            direction_[factor_.passive()[k]] = -sign * factor_.solution()[static_cast<Eigen::Index>(k)];
        }
    }

    /// What rounding errors in w contribute to the slope along `direction_`.
    [[nodiscard]] double noise(int j) const
    {
        double sum = tolerance_[j];
        for (const int i : factor_.passive()) {
            sum += std::abs(direction_[i]) * tolerance_[i];
        }
        return sum;
    }

    /// Whether the objective really falls along a direction without curvature (CS-11).
    bool is_ray(double slope)
    {
        if constexpr (Factor::can_be_unbounded) {
            constexpr double tolerance = 1e-9;
            if (-slope <= tolerance * factor_.linear_size(direction_)) return false;
            for (int i = 0; i < size(); ++i) {
                if (!is_free(i) && direction_[i] < 0) direction_[i] = 0;  // negligible, see first_to_vanish
            }
            return true;
        }
        return false;
    }

    void move(double step)
    {
        for (int i = 0; i < size(); ++i) {
            x_[i] += step * direction_[i];
            if (!is_free(i) && x_[i] < 0) x_[i] = 0;
        }
    }

    /// A decrease of the objective beyond roundoff ends the least-index mode and gives settled components a
    /// new try; whatever else the pivots do, they cannot come back to the same passive set after one.
    void look_for_progress()
    {
        const double objective = factor_.objective(x_);
        const double roundoff =
            std::numeric_limits<double>::epsilon() * (1 + size()) * factor_.objective_size(x_);
        if (objective < lowest_ - roundoff) {
            lowest_ = objective;
            pivots_at_lowest_ = pivots_;
            std::fill(settled_.begin(), settled_.end(), char{0});
        }
    }

    void append(int j)
    {
        factor_.append(j);
        is_passive_[static_cast<std::size_t>(j)] = 1;
    }

    void drop(int position)
    {
        const int i = factor_.passive()[static_cast<std::size_t>(position)];
        x_[i] = 0;
        is_passive_[static_cast<std::size_t>(i)] = 0;
        factor_.drop(position);
        ++pivots_;
    }

    static constexpr double infinity = std::numeric_limits<double>::infinity();

    Factor& factor_;
    std::span<const char> is_free_;
    Eigen::VectorXd& x_;
    Eigen::VectorXd w_;
    Eigen::VectorXd tolerance_;
    Eigen::VectorXd direction_;
    std::vector<char> settled_;
    std::vector<char> is_passive_;
    int pivots_ = 0;
    int pivots_at_lowest_ = 0;
    double lowest_ = infinity;
};

}  // namespace carom::detail
