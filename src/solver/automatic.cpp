#include "carom/solver/automatic.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

// sweeps before anything is factorised, while their rate promises an end within `worth_waiting` more
constexpr int first_sweeps = 10, worth_waiting = 30, most_first_sweeps = 200;

/// Products of blocks that a factorisation may take; above, only sweeps are affordable.
constexpr double largest_factor = 2e8;

/// A factor is dense where it costs this many solves.
constexpr double dense_factor = 8;

constexpr int splitting_iterations = 60, newton_steps = 60, interior_iterations = 40;

// sweeps and Newton in turn, with the proximal parameter that lets Newton move loads
constexpr double small_sigma = 1e-5;
constexpr int rounds = 10, full_steps = 8, round_sweeps = 20;

/// Sweeps of drifting PSOR between attempts of Newton.
constexpr int drift_sweeps = 30000;

}  // namespace

bool Automatic::done(const FlatProblem& problem, const Budget& budget, std::span<const double> x, char by)
{
    work_.error = problem.error(x, u_).worst();
    work_.last = by;
    return work_.error <= budget.tolerance || budget.expired() || !std::isfinite(work_.error);
}

void Automatic::run(const FlatProblem& problem, const Budget& budget, std::span<double> x)
{
    work_ = {};
    u_.resize(x.size());
    problem.project(x);
    relaxation_.load(problem);
    if (begin_with_sweeps(problem, budget, x)) return;
    if (factorising(problem, budget, x)) return;
    if (alternating(problem, budget, x)) return;
    drifting(problem, budget, x);
}

/// Gauss-Seidel, in batches, as long as the error promises to be small soon.
bool Automatic::begin_with_sweeps(const FlatProblem& problem, const Budget& budget, std::span<double> x)
{
    if (done(problem, budget, x, 's')) return true;
    const int most = std::min(most_first_sweeps, budget.max_iterations);
    while (work_.sweeps < most) {
        const double before = work_.error;
        const int batch = problem.contacts() == 1 ? 1 : std::min(first_sweeps, most - work_.sweeps);
        for (int k = 0; k < batch; ++k) {
            relaxation_.gauss_seidel(problem, x);
        }
        work_.sweeps += batch;
        if (done(problem, budget, x, 's')) return true;
        const double rate = std::log(work_.error / before) / batch;
        const double needed = rate < 0 ? std::log(budget.tolerance / work_.error) / rate : 1e9;
        if (needed > worth_waiting) break;
    }
    return false;
}

/// Methods that factorise: Newton, splitting where it is far cheaper, interior point where Newton stalls.
bool Automatic::factorising(const FlatProblem& problem, const Budget& budget, std::span<double> x)
{
    newton_.load(problem);
    if (newton_.ops() > largest_factor) return false;
    const double solve_ops = static_cast<double>(problem.column.size()) + newton_.blocks();
    if (newton_.ops() > dense_factor * solve_ops) {
        admm_.load(problem);
        work_.splittings += admm_.run(problem, budget.with(splitting_iterations), x);
        if (done(problem, budget, x, 'a')) return true;
    }
    work_.factorisations += newton_.run(problem, budget.with(newton_steps), x);
    if (done(problem, budget, x, 'n')) return true;

    // the interior point method begins far inside, whatever was found before
    const double error = work_.error;
    interior_.load(problem);
    trial_.assign(x.size(), 0.0);
    work_.factorisations += interior_.run(problem, budget.with(interior_iterations), trial_);
    if (!done(problem, budget, trial_, 'i')) {
        work_.factorisations += newton_.run(problem, budget.with(newton_steps), trial_, small_sigma);
        (void)done(problem, budget, trial_, 'n');
    }
    if (work_.error < error) std::copy(trial_.begin(), trial_.end(), x.begin());
    return done(problem, budget, x, work_.last);
}

/// Sweeps in growing numbers, Newton after each.
bool Automatic::alternating(const FlatProblem& problem, const Budget& budget, std::span<double> x)
{
    const bool affordable = newton_.ops() <= largest_factor;
    int sweeps = affordable ? round_sweeps : most_first_sweeps;
    for (int round = 0; round < rounds && work_.sweeps < budget.max_iterations; ++round, sweeps *= 2) {
        const int count = std::min(sweeps, budget.max_iterations - work_.sweeps);
        if (affordable) {
            trial_.assign(x.begin(), x.end());
            for (int k = 0; k < count; ++k) {
                relaxation_.gauss_seidel(problem, trial_);
            }
            work_.sweeps += count;
            const double error = work_.error;
            if (done(problem, budget, trial_, 's') || work_.error < error) {
                std::copy(trial_.begin(), trial_.end(), x.begin());
            }
            if (work_.error <= budget.tolerance) return true;
            work_.factorisations += newton_.full_steps(problem, small_sigma, budget.tolerance, full_steps, trial_);
            if (done(problem, budget, trial_, 'n') || work_.error < error) {
                std::copy(trial_.begin(), trial_.end(), x.begin());
            }
        } else {
            work_.sweeps += conjugate_.run(problem, relaxation_, budget.with(count), x);
        }
        if (done(problem, budget, x, affordable ? 'n' : 's')) return true;
    }
    return false;
}

/// What is left when loads move slowly between contacts that they hardly affect.
void Automatic::drifting(const FlatProblem& problem, const Budget& budget, std::span<double> x)
{
    const bool affordable = newton_.ops() <= largest_factor;
    while (work_.sweeps < budget.max_iterations) {
        const int count = std::min(drift_sweeps, budget.max_iterations - work_.sweeps);
        work_.sweeps += drift_.run(problem, relaxation_, budget.with(count), x);
        if (done(problem, budget, x, 'd')) return;
        if (!affordable) continue;
        work_.factorisations += newton_.run(problem, budget.with(newton_steps), x, small_sigma);
        if (done(problem, budget, x, 'n')) return;
    }
}

}  // namespace carom
