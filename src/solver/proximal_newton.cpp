#include "solver/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

// sigma: the proximal parameter, for W with unit diagonal
constexpr double falls_by = 0.2, rises_by = 10, min_sigma = 1e-10, largest_sigma = 1e2;

/// An inner problem is solved to this part of the error that is left.
constexpr double inner_part = 0.01;
constexpr int max_inner_steps = 25, max_halvings = 10, max_failures = 6;
constexpr double sufficient_decrease = 1e-4;

/// Progress below this is drift. Longer steps may raise the error by `may_rise`.
constexpr double drifts_above = 0.7, may_rise = 1.05, longer = 1.5, shorter = 1.0 / 3;

constexpr double follow_part = 0.02, may_rise_following = 1.2;

}  // namespace

void ProximalNewton::load(const FlatProblem& problem, BlockLu& lu)
{
    steps_.load(problem, lu);
    const auto n = static_cast<std::size_t>(problem.size());
    for (auto* vector : {&x_, &y_, &z_, &centre_, &dx_, &trial_, &best_, &u_}) {
        vector->assign(n, 0.0);
    }
}

bool ProximalNewton::solve_proximal(const FlatProblem& problem, double sigma, double goal, int& steps_left,
                                    std::span<double> y)
{
    const int largest = steps_left--;  // looking is a step: an iteration that moves nothing ends too
    std::copy(y.begin(), y.end(), centre_.begin());
    double merit = steps_.merit(problem, sigma, centre_, y);
    for (int step = 0; step < max_inner_steps && step < largest; ++step) {
        if (merit <= goal * goal) break;
        steps_left = largest - step - 1;
        if (!steps_.direction(problem, sigma, centre_, y, dx_)) return false;
        double length = 1, merit_there = merit;
        int halvings = 0;
        for (; halvings < max_halvings; ++halvings, length /= 2) {
            for (std::size_t k = 0; k < y.size(); ++k) {
                trial_[k] = y[k] + length * dx_[k];
            }
            merit_there = steps_.merit(problem, sigma, centre_, trial_);
            if (merit_there <= (1 - 2 * sufficient_decrease * length) * merit) break;
        }
        if (halvings == max_halvings) return false;
        std::copy(trial_.begin(), trial_.end(), y.begin());
        merit = merit_there;
    }
    problem.project(y);
    return merit <= goal * goal;
}

int ProximalNewton::run(const FlatProblem& problem, const Budget& budget, std::span<double> x, double sigma)
{
    std::copy(x.begin(), x.end(), x_.begin());
    double error = problem.error(x_, u_).worst(), best = error;
    double reach = 1;
    int left = budget.max_iterations, failures = 0;
    const auto keep = [&](std::span<const double> point, double error_there) {
        if (!(error_there < best)) return;
        best = error_there;
        std::copy(point.begin(), point.end(), x.begin());
    };
    double size2 = 0;
    for (const double value : problem.q) {
        size2 += value * value;
    }
    const double size = std::max(std::sqrt(size2), problem.floor.unit_free);
    while (left > 0 && best > budget.tolerance && !budget.expired()) {
        // one proximal problem
        std::copy(x_.begin(), x_.end(), y_.begin());
        const bool solved = solve_proximal(problem, sigma, inner_part * error * size, left, y_);
        const double error_y = problem.error(y_, u_).worst();
        keep(y_, error_y);
        if (!solved && !(error_y < 0.5 * error)) {
            sigma *= rises_by;
            if (sigma > largest_sigma || ++failures > max_failures) break;
            std::copy(x.begin(), x.end(), x_.begin());
            error = best;
            continue;
        }
        failures = std::max(0, failures - 1);
        sigma = std::max(sigma * falls_by, min_sigma);

        // drift: the same way on, and settle there
        if (best > budget.tolerance && error_y > drifts_above * error && left > 0) {
            for (std::size_t k = 0; k < y_.size(); ++k) {
                z_[k] = y_[k] + reach * (y_[k] - x_[k]);
            }
            problem.project(z_);
            const bool settled =
                solve_proximal(problem, sigma / falls_by, inner_part * error * size, left, z_);
            const double error_z =
                settled ? problem.error(z_, u_).worst() : std::numeric_limits<double>::infinity();
            keep(z_, error_z);
            if (error_z <= may_rise * error_y) {
                std::copy(z_.begin(), z_.end(), x_.begin());
                error = error_z;
                reach *= longer;
                continue;
            }
            reach = std::max(reach * shorter, 0.5);
        }
        std::copy(y_.begin(), y_.end(), x_.begin());
        error = error_y;
    }
    return budget.max_iterations - left;
}

int ProximalNewton::follow(const FlatProblem& problem, const Budget& budget, double sigma,
                           std::span<double> point, std::span<double> best)
{
    double best_error = problem.error(best, u_).worst(), error = problem.error(point, u_).worst();
    double reach = 1;
    int left = budget.max_iterations;
    const auto keep = [&](std::span<const double> x, double error_there) {
        if (!(error_there < best_error)) return;
        best_error = error_there;
        std::copy(x.begin(), x.end(), best.begin());
    };
    double size2 = 0;
    for (const double value : problem.q) {
        size2 += value * value;
    }
    const double size = std::max(std::sqrt(size2), problem.floor.unit_free);
    while (left > 0 && best_error > budget.tolerance && sigma < 0.1 && !budget.expired()) {
        std::copy(point.begin(), point.end(), y_.begin());
        const bool solved = solve_proximal(problem, sigma, follow_part * error * size, left, y_);
        const double error_y = problem.error(y_, u_).worst();
        keep(y_, error_y);
        if (!solved || !(error_y <= may_rise_following * error)) {
            sigma *= 4;
            continue;
        }
        for (std::size_t k = 0; k < y_.size(); ++k) {
            z_[k] = y_[k] + reach * (y_[k] - point[k]);
        }
        problem.project(z_);
        const bool settled = left > 0 && solve_proximal(problem, sigma, follow_part * error * size, left, z_);
        const double error_z =
            settled ? problem.error(z_, u_).worst() : std::numeric_limits<double>::infinity();
        keep(z_, error_z);
        const bool further = error_z <= may_rise * error_y;
        reach = further ? reach * longer : std::max(reach * shorter, 0.5);
        error = further ? error_z : error_y;
        const auto& next = further ? z_ : y_;
        std::copy(next.begin(), next.end(), point.begin());
        sigma = std::max(sigma / 2, min_sigma);
    }
    return budget.max_iterations - left;
}

int ProximalNewton::full_steps(const FlatProblem& problem, double sigma, double tolerance, int max_steps,
                               std::span<double> x)
{
    std::copy(x.begin(), x.end(), centre_.begin());
    std::copy(x.begin(), x.end(), y_.begin());
    double best = problem.error(x, u_).worst();
    int steps = 0;
    for (int without_gain = 0; steps < max_steps && without_gain < 3 && best > tolerance; ++steps) {
        if (!steps_.step(problem, sigma, centre_, y_)) break;
        std::copy(y_.begin(), y_.end(), trial_.begin());
        problem.project(trial_);
        const double error = problem.error(trial_, u_).worst();
        ++without_gain;
        if (error < best) {
            best = error;
            std::copy(trial_.begin(), trial_.end(), x.begin());
            without_gain = 0;
        }
    }
    return steps;
}

}  // namespace carom
