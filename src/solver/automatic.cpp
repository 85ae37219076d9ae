#include "solver/automatic.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

// sweeps before anything is factorised, while their rate promises an end within `worth_waiting` more
constexpr int first_sweeps = 10, worth_waiting = 30, max_first_sweeps = 200;

/// Products of blocks that a factorisation may take; above, only sweeps are affordable.
constexpr double largest_factor = 2e8;

/// A factor is dense where it costs this many solves.
constexpr double dense_factor = 8;

// the last digits
constexpr double roundoff = 4e-16, finishing_sigma = 1e-8;
constexpr int finishing_steps = 5;

constexpr int splitting_iterations = 60, first_newton_steps = 30, newton_steps = 60, interior_iterations = 40;

// sweeps and Newton in turn, with the proximal parameter that lets Newton move loads
constexpr double small_sigma = 1e-5;
constexpr int rounds = 5, full_steps = 8, round_sweeps = 20;

/// Of proximal points that follow a drift.
constexpr double follow_sigma = 1e-4;

}  // namespace

bool Automatic::done(const FlatProblem& problem, const Budget& budget, std::span<const double> x,
                     SolverKind by)
{
    work_.error = problem.error(x, u_).worst();
    work_.solver = by;
    return work_.error <= budget.tolerance || budget.expired() || !std::isfinite(work_.error);
}

void Automatic::run(const FlatProblem& problem, const Budget& budget, std::span<double> x, bool to_roundoff)
{
    work_ = {};
    u_.resize(x.size());
    problem.project(x);
    start_.assign(x.begin(), x.end());
    relaxation_.load(problem);
    analysed_ = false;

    // a few contacts are meant to be exact: a warm start that is good enough is swept all the same
    if (to_roundoff) {
        relaxation_.gauss_seidel(problem, x);
        ++work_.sweeps;
    }
    bool solved = begin_with_sweeps(problem, budget, x);
    if (!solved) {
        work_.rank = 1;
        solved = factorising(problem, budget, x);
    }
    if (!solved) {
        work_.rank = 2;
        solved = alternating(problem, budget, x);
    }
    if (!solved) {
        work_.rank = 3;
        drifting(problem, budget, x);
    }
    if (to_roundoff && std::isfinite(work_.error)) finish(problem, x);
}

/// What is left is rounding of the percussions: the velocity error has no more in it than the unit-free one,
/// |F^v| <= |F| (OS-9), and Newton's method cannot make it smaller.
bool Automatic::is_exact(const FlatProblem& problem, std::span<const double> x)
{
    const FlatError error = problem.error(x, u_);
    return std::max(error.unit_free, error.siconos) <= roundoff;
}

/// A last few steps of Newton's method.
void Automatic::finish(const FlatProblem& problem, std::span<double> x)
{
    if (problem.contacts() < 2 || work_.error <= roundoff || is_exact(problem, x)) return;
    if (!analysed_) {
        lu_.analyse(problem);
        newton_.load(problem, lu_);
        analysed_ = true;
    }
    work_.factorisations += newton_.full_steps(problem, finishing_sigma, roundoff, finishing_steps, x);
    work_.error = problem.error(x, u_).worst();
}

int Automatic::run_one(const FlatProblem& problem, SolverKind kind, double relaxation, const Budget& budget,
                       std::span<double> x)
{
    problem.project(x);
    u_.resize(x.size());
    relaxation_.load(problem);
    const bool factorises =
        kind == SolverKind::Admm || kind == SolverKind::ProximalNewton || kind == SolverKind::InteriorPoint;
    if (factorises) lu_.analyse(problem);
    switch (kind) {
    case SolverKind::Auto:
    case SolverKind::Exact: break;
    case SolverKind::GaussSeidel:
        return plain_.run(problem, relaxation_, Sweep::GaussSeidel, relaxation, budget, x);
    case SolverKind::Psor: return plain_.run(problem, relaxation_, Sweep::Psor, relaxation, budget, x);
    case SolverKind::Anderson: return anderson_.run(problem, relaxation_, Sweep::GaussSeidel, budget, x);
    case SolverKind::NonlinearCg: return conjugate_.run(problem, relaxation_, budget, x);
    case SolverKind::AcceleratedGradients: return gradients_.run(problem, budget, x);
    case SolverKind::Admm: admm_.load(problem, lu_); return admm_.run(problem, budget, x);
    case SolverKind::ProximalNewton: newton_.load(problem, lu_); return newton_.run(problem, budget, x);
    case SolverKind::InteriorPoint: interior_.load(problem, lu_); return interior_.run(problem, budget, x);
    }
    run(problem, budget, x);
    return work_.sweeps + work_.factorisations + work_.splittings;
}

/// Gauss-Seidel, in batches, as long as the error promises to be small soon.
bool Automatic::begin_with_sweeps(const FlatProblem& problem, const Budget& budget, std::span<double> x)
{
    if (done(problem, budget, x, SolverKind::GaussSeidel)) return true;
    const int largest = std::min(max_first_sweeps, budget.max_iterations);
    while (work_.sweeps < largest) {
        const double before = work_.error;
        const int batch = problem.contacts() == 1 ? 1 : std::min(first_sweeps, largest - work_.sweeps);
        for (int k = 0; k < batch; ++k) {
            relaxation_.gauss_seidel(problem, x);
        }
        work_.sweeps += batch;
        if (done(problem, budget, x, SolverKind::GaussSeidel)) return true;
        const double rate = std::log(work_.error / before) / batch;
        const double needed = rate < 0 ? std::log(budget.tolerance / work_.error) / rate : 1e9;
        if (needed > worth_waiting) break;
    }
    return false;
}

/// Methods that factorise: Newton, splitting where it is far cheaper, interior point where Newton stalls.
bool Automatic::factorising(const FlatProblem& problem, const Budget& budget, std::span<double> x)
{
    lu_.analyse(problem);
    affordable_ = lu_.ops() <= largest_factor;
    if (!affordable_) return false;
    newton_.load(problem, lu_);
    analysed_ = true;
    if (lu_.ops() > dense_factor * static_cast<double>(problem.column.size() + lu_.blocks())) {
        // from the given start: what sweeps have spread over redundant contacts is no help here
        const double error = work_.error;
        admm_.load(problem, lu_);
        work_.splittings += admm_.run(problem, budget.with(splitting_iterations), start_);
        if (done(problem, budget, start_, SolverKind::Admm) || work_.error < error) {
            std::copy(start_.begin(), start_.end(), x.begin());
        }
        if (work_.error <= budget.tolerance) return true;
    }
    work_.factorisations += newton_.run(problem, budget.with(first_newton_steps), x);
    if (done(problem, budget, x, SolverKind::ProximalNewton)) return true;

    // the interior point method begins far inside, whatever was found before
    const double error = work_.error;
    interior_.load(problem, lu_);
    trial_.assign(x.size(), 0.0);
    work_.factorisations += interior_.run(problem, budget.with(interior_iterations), trial_);
    if (!done(problem, budget, trial_, SolverKind::InteriorPoint)) {
        work_.factorisations +=
            newton_.full_steps(problem, small_sigma, budget.tolerance, full_steps, trial_);
        work_.factorisations += newton_.run(problem, budget.with(newton_steps), trial_, small_sigma);
        (void)done(problem, budget, trial_, SolverKind::ProximalNewton);
    }
    if (work_.error < error) std::copy(trial_.begin(), trial_.end(), x.begin());
    return done(problem, budget, x, work_.solver);
}

/// Sweeps in growing numbers, Newton after each.
bool Automatic::alternating(const FlatProblem& problem, const Budget& budget, std::span<double> x)
{
    int sweeps = affordable_ ? round_sweeps : max_first_sweeps;
    for (int round = 0; round < rounds && work_.sweeps < budget.max_iterations; ++round, sweeps *= 2) {
        const int count = std::min(sweeps, budget.max_iterations - work_.sweeps);
        if (affordable_) {
            trial_.assign(x.begin(), x.end());
            for (int k = 0; k < count; ++k) {
                relaxation_.gauss_seidel(problem, trial_);
            }
            work_.sweeps += count;
            const double error = work_.error;
            if (done(problem, budget, trial_, SolverKind::GaussSeidel) || work_.error < error) {
                std::copy(trial_.begin(), trial_.end(), x.begin());
            }
            if (work_.error <= budget.tolerance) return true;
            work_.factorisations +=
                newton_.full_steps(problem, small_sigma, budget.tolerance, full_steps, trial_);
            if (done(problem, budget, trial_, SolverKind::ProximalNewton) || work_.error < error) {
                std::copy(trial_.begin(), trial_.end(), x.begin());
            }
        } else {
            work_.sweeps += conjugate_.run(problem, relaxation_, budget.with(count), x);
        }
        if (done(problem, budget, x, affordable_ ? SolverKind::ProximalNewton : SolverKind::GaussSeidel))
            return true;
    }
    return false;
}

/// What is left when loads move slowly between contacts that they hardly affect.
void Automatic::drifting(const FlatProblem& problem, const Budget& budget, std::span<double> x)
{
    drift_.begin(problem, x);
    while (work_.sweeps < budget.max_iterations) {
        work_.sweeps +=
            drift_.cycle(problem, relaxation_, budget.with(budget.max_iterations - work_.sweeps), x);
        if (done(problem, budget, x, SolverKind::Psor)) return;
        if (!affordable_) continue;

        // Newton from where the drift is: full steps may end it, proximal ones go along with it
        trial_.assign(drift_.point().begin(), drift_.point().end());
        const double error = work_.error;
        work_.factorisations +=
            newton_.full_steps(problem, small_sigma, budget.tolerance, full_steps, trial_);
        if (done(problem, budget, trial_, SolverKind::ProximalNewton) || work_.error < error) {
            std::copy(trial_.begin(), trial_.end(), x.begin());
        }
        work_.factorisations +=
            newton_.follow(problem, budget.with(newton_steps), follow_sigma, drift_.point(), x);
        if (done(problem, budget, x, SolverKind::ProximalNewton)) return;
    }
}

}  // namespace carom
