#include "solver/principal_pivoting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

/// Proximal term, relative to the scaled diagonal of one: small enough that the outer iteration needs two or
/// three rounds on well-posed problems, large enough for a factor of a singular W.
constexpr double proximal = 1e-10;
constexpr int max_rounds = 50;

/// Block exchanges that may fail to reduce the number of wrong signs before single exchanges take over.
constexpr int patience = 3;

// where an unknown is: at its lower bound, at its upper one, or between them with U + s = 0 (passive)
constexpr char at_low = 0, passive = 1, at_high = 2;

constexpr double infinity = std::numeric_limits<double>::infinity();

double largest(std::span<const double> x)
{
    double result = 0;
    for (const double value : x) {
        result = std::max(result, std::abs(value));
    }
    return result;
}

/// One interaction alone: P = -(U_free + s) / W, or nothing. False where W is not positive.
bool solve_single(const OneStepProblem& problem, double& P)
{
    const double W = problem.W.diagonal(0)[0];
    if (!(W > 0)) return false;
    double s = 0;
    velocity_shift(problem.laws[0], {problem.U_minus.data(), 1}, {}, {&s, 1});
    P = -(problem.U_free[0] + s) / W;
    project_on_set(problem.laws[0], {&P, 1});
    return true;
}

}  // namespace

int PrincipalPivoting::solve(const OneStepProblem& problem, std::span<double> P,
                             const std::atomic<bool>* stop)
{
    stop_ = stop;
    if (problem.size() == 0) return 0;
    if (problem.size() == 1 && solve_single(problem, P[0])) return 1;
    load(problem, P);

    // nothing approaches and nothing presses: no percussion, whatever the step before had
    if (largest(b_) == 0) {
        std::fill(P.begin(), P.end(), 0.0);
        return 0;
    }

    // proximal point iteration (SO-2): each round is strictly convex; with the right set of acting contacts
    // it is one more step of iterative refinement
    int factorisations = 0;
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < max_rounds; ++round) {
        for (std::size_t i = 0; i < x_.size(); ++i) {
            b_prox_[i] = b_[i] - proximal * x_[i];
        }
        factorisations += pivot(b_prox_);
        const double now = error();
        if (!(now < best)) break;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            P[i] = x_[i] * scale_[i];
            if (has_limits_) project_on_set(problem.laws[i], {&P[i], 1});  // the scaling rounds
        }
        const bool slow = now > 0.5 * best;
        best = now;
        if (now <= 2 * std::numeric_limits<double>::epsilon() || (slow && round > 2)) break;
    }
    return factorisations;
}

bool PrincipalPivoting::growth(const OneStepProblem& problem, std::span<double> direction,
                               std::span<double> velocities)
{
    constexpr int rounds = 8;
    constexpr double settles = 1e-6, steady = 1e-12;
    std::fill(direction.begin(), direction.end(), 0.0);
    load(problem, direction);
    std::vector<double> before(x_.size()), step(x_.size()), last(x_.size(), 0.0);
    double first = 0;
    for (int round = 0; round < rounds; ++round) {
        before = x_;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            b_prox_[i] = b_[i] - proximal * x_[i];
        }
        pivot(b_prox_);
        double change = 0;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            step[i] = x_[i] - before[i];
            if (!std::isfinite(step[i])) return false;
            change = std::max(change, std::abs(step[i] - last[i]));
        }
        if (round == 0) first = largest(step);
        if (!(largest(step) > settles * first)) return false;
        if (change <= steady * first) break;
        last = step;
    }
    for (std::size_t i = 0; i < x_.size(); ++i) {
        direction[i] = step[i] * scale_[i];
        velocities[i] = proximal * step[i] / scale_[i];
    }
    return true;
}

void PrincipalPivoting::load(const OneStepProblem& problem, std::span<const double> P)
{
    const auto n = static_cast<std::size_t>(problem.size());
    for (auto* vector : {&scale_, &b_, &b_prox_, &x_, &y_, &low_, &high_}) {
        vector->assign(n, 0.0);
    }
    place_.assign(n, at_low);
    has_limits_ = false;

    // scale every row to a diagonal of one: masses of any ratio then meet the same tolerances
    for (std::size_t i = 0; i < n; ++i) {
        const double W_ii = problem.W.diagonal(static_cast<int>(i))[0];
        scale_[i] = W_ii > 0 ? 1 / std::sqrt(W_ii) : 1.0;
    }
    W_.row_begin.assign(1, 0);
    W_.column.clear();
    W_.value.clear();
    for (std::size_t i = 0; i < n; ++i) {
        const int row = static_cast<int>(i);
        for (const auto& entry : problem.W.row(row)) {
            W_.column.push_back(entry.column);
            W_.value.push_back(scale_[i] * problem.W.block(row, entry)[0] * scale_[entry.column]);
        }
        W_.row_begin.push_back(W_.column.size());

        // the shift of a frictionless law does not depend on U
        double s = 0;
        velocity_shift(problem.laws[i], {&problem.U_minus[i], 1}, {}, {&s, 1});
        b_[i] = scale_[i] * (problem.U_free[i] + s);
        load_law(problem.laws[i], i);
        x_[i] = std::isfinite(P[i]) ? P[i] / scale_[i] : 0.0;
        place_[i] = !(x_[i] > low_[i]) ? at_low : !(x_[i] < high_[i]) ? at_high : passive;
    }
}

void PrincipalPivoting::load_law(const Law& law, std::size_t i)
{
    high_[i] = infinity;
    if (std::holds_alternative<Bilateral>(law)) low_[i] = -infinity;
    if (const auto* limited = std::get_if<Limited>(&law)) {
        low_[i] = limited->low / scale_[i];
        high_[i] = limited->high / scale_[i];
        has_limits_ = true;
    }
}

/// Block principal pivoting (SO-1) on the strictly convex problem with right-hand side b.
int PrincipalPivoting::pivot(std::span<const double> b)
{
    const double tolerance = 64 * std::numeric_limits<double>::epsilon() * (largest(b) + largest(x_));
    const int limit = 1000 + 20 * static_cast<int>(b.size());
    std::size_t fewest = b.size() + 1;
    int blocks_left = patience;
    int factorisations = 0;
    for (; factorisations < limit;) {
        if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) break;
        solve_on_passive(b);
        ++factorisations;
        collect_infeasible(tolerance);
        if (infeasible_.empty()) break;

        // all wrong signs at once while their number falls; one at a time, the last first, when it does not:
        // that rule alone is finite (Murty)
        if (infeasible_.size() < fewest) {
            fewest = infeasible_.size();
            blocks_left = patience;
            exchange(0);
        } else if (blocks_left > 0) {
            --blocks_left;
            exchange(0);
        } else {
            exchange(infeasible_.size() - 1);
        }
    }

    // what is beyond its bound within the tolerance is at it
    for (std::size_t i = 0; i < x_.size(); ++i) {
        x_[i] = std::clamp(x_[i], low_[i], high_[i]);
    }
    return factorisations;
}

/// x on the passive set with U + s = 0 there, at its bounds elsewhere; y = W x + b, the velocity U + s.
void PrincipalPivoting::solve_on_passive(std::span<const double> b)
{
    passive_.clear();
    for (std::size_t i = 0; i < x_.size(); ++i) {
        x_[i] = place_[i] == passive ? 0.0 : place_[i] == at_low ? low_[i] : high_[i];
        if (place_[i] == passive) passive_.push_back(static_cast<int>(i));
    }
    if (!passive_.empty()) {
        // a data error (W not positive semidefinite) shows in the residual; a larger shift keeps the numbers
        // finite
        double shift = proximal;
        while (!factor_.factorise(W_, passive_, shift) && shift < 1) {
            shift *= 100;
        }
        for (std::size_t k = 0; k < passive_.size(); ++k) {
            y_[k] = -b[passive_[k]];
            if (has_limits_) y_[k] = -row_sum(b[passive_[k]], static_cast<std::size_t>(passive_[k]));
        }
        factor_.solve({y_.data(), passive_.size()});
        for (std::size_t k = 0; k < passive_.size(); ++k) {
            x_[passive_[k]] = y_[k];
        }
    }
    for (std::size_t i = 0; i < x_.size(); ++i) {
        y_[i] = row_sum(b[i] + proximal * x_[i], i);
    }
}

/// first + row i of W times x
double PrincipalPivoting::row_sum(double first, std::size_t i) const
{
    double sum = first;
    for (std::size_t k = W_.row_begin[i]; k < W_.row_begin[i + 1]; ++k) {
        sum += W_.value[k] * x_[W_.column[k]];
    }
    return sum;
}

void PrincipalPivoting::collect_infeasible(double tolerance)
{
    infeasible_.clear();
    for (std::size_t i = 0; i < x_.size(); ++i) {
        const double must_not_be_negative = place_[i] == passive ? std::min(x_[i] - low_[i], high_[i] - x_[i])
                                            : place_[i] == at_low ? y_[i]
                                                                  : -y_[i];
        if (must_not_be_negative < -tolerance) infeasible_.push_back(static_cast<int>(i));
    }
}

void PrincipalPivoting::exchange(std::size_t first)
{
    for (std::size_t k = first; k < infeasible_.size(); ++k) {
        const int i = infeasible_[k];
        place_[i] = place_[i] != passive ? passive : x_[i] < low_[i] ? at_low : at_high;
    }
}

/// Largest entry of the natural map of the problem without the proximal term, relative to its data.
double PrincipalPivoting::error() const
{
    double worst = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
        const double y = row_sum(b_[i], i);
        const bool bounded = low_[i] != 0 || high_[i] != infinity;
        const double map = bounded ? x_[i] - std::clamp(x_[i] - y, low_[i], high_[i]) : std::min(x_[i], y);
        if (!std::isfinite(map)) return std::numeric_limits<double>::infinity();
        worst = std::max(worst, std::abs(map));
    }
    const double scale = std::max(largest(b_), largest(x_));
    return scale > 0 ? worst / scale : 0.0;
}

}  // namespace carom
