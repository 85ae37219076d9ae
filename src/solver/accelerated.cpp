#include "solver/accelerated.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

/// Errors are looked at after 1, 2, 4, ... sweeps and then every so many: they cost about a sweep.
constexpr int longest_wait = 16;

/// Relative shift of Anderson's normal equations.
constexpr double anderson_shift = 1e-10;

// drift: sweeps that show its direction, and that settle after a leap along it
constexpr int forward_sweeps = 4000, settling_sweeps = 2000, look_in_drift = 500;
constexpr double may_rise = 1.05, longer = 1.5, shorter = 1.0 / 3, min_reach = 0.1;

void sweep_once(const FlatProblem& problem, Relaxation& relaxation, Sweep sweep, double omega,
                std::span<double> x)
{
    if (sweep == Sweep::GaussSeidel) {
        relaxation.gauss_seidel(problem, x, omega);
    } else {
        relaxation.psor(problem, x, omega);
    }
}

double dot(std::span<const double> a, std::span<const double> b)
{
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

/// Looks at the error now and then, keeps the best point.
class Lookout {
public:
    Lookout(const FlatProblem& problem, const Budget& budget, std::vector<double>& u, std::span<double> best)
        : problem_(problem), budget_(budget), u_(u), best_(best)
    {
        u_.resize(best.size());
        error_ = problem.error(best, u_).worst();
    }
    /// True when it is over.
    bool done(int sweeps, std::span<const double> x)
    {
        if (sweeps < next_ && sweeps < budget_.max_iterations) return false;
        next_ += std::min(next_, longest_wait);
        const double error = problem_.error(x, u_).worst();
        if (error < error_) {
            error_ = error;
            std::copy(x.begin(), x.end(), best_.begin());
        }
        return !std::isfinite(error) || error_ <= budget_.tolerance || budget_.expired();
    }
    [[nodiscard]] bool solved() const { return error_ <= budget_.tolerance; }

private:
    const FlatProblem& problem_;
    const Budget& budget_;
    std::vector<double>& u_;
    std::span<double> best_;
    double error_ = 0;
    int next_ = 1;
};

}  // namespace

int PlainSweeps::run(const FlatProblem& problem, Relaxation& relaxation, Sweep sweep, double omega,
                     const Budget& budget, std::span<double> x)
{
    best_.assign(x.begin(), x.end());
    Lookout lookout(problem, budget, u_, x);
    int sweeps = 0;
    while (!lookout.solved() && sweeps < budget.max_iterations) {
        sweep_once(problem, relaxation, sweep, omega, best_);
        if (lookout.done(++sweeps, best_)) break;
    }
    return sweeps;
}

int Anderson::run(const FlatProblem& problem, Relaxation& relaxation, Sweep sweep, const Budget& budget,
                  std::span<double> x)
{
    const std::size_t n = x.size();
    for (auto* vector : {&G_, &f_, &G_last_, &f_last_}) {
        vector->resize(n);
    }
    for (int k = 0; k < memory; ++k) {
        dF_[k].resize(n);
        dG_[k].resize(n);
    }
    point_.assign(x.begin(), x.end());
    Lookout lookout(problem, budget, u_, x);
    int sweeps = 0, columns = 0, next_column = 0;
    double last = std::numeric_limits<double>::infinity();
    while (!lookout.solved() && sweeps < budget.max_iterations) {
        std::copy(point_.begin(), point_.end(), G_.begin());
        sweep_once(problem, relaxation, sweep, 1.0, G_);
        ++sweeps;
        for (std::size_t k = 0; k < n; ++k) {
            f_[k] = G_[k] - point_[k];
        }
        const double now = std::sqrt(dot(f_, f_));

        // the mixed point was worse: go on from the plain sweep, with an empty memory
        if (now > 2 * last) {
            columns = next_column = 0;
            last = std::numeric_limits<double>::infinity();
            std::copy(G_.begin(), G_.end(), point_.begin());
        } else {
            if (std::isfinite(last)) {
                for (std::size_t k = 0; k < n; ++k) {
                    dF_[next_column][k] = f_[k] - f_last_[k];
                    dG_[next_column][k] = G_[k] - G_last_[k];
                }
                next_column = (next_column + 1) % memory;
                columns = std::min(columns + 1, memory);
            }
            std::swap(f_, f_last_);
            std::swap(G_, G_last_);
            last = now;
            mix(columns, point_);
            problem.project(point_);
        }
        if (lookout.done(sweeps, std::isfinite(last) ? G_last_ : point_)) break;
    }
    return sweeps;
}

/// x = G - dG gamma with gamma = argmin |f - dF gamma|, by normal equations with a small shift.
void Anderson::mix(int columns, std::span<double> x)
{
    std::copy(G_last_.begin(), G_last_.end(), x.begin());
    if (columns == 0) return;
    for (int i = 0; i < columns; ++i) {
        gamma_[i] = dot(dF_[i], f_last_);
        for (int j = 0; j <= i; ++j) {
            normal_[i * memory + j] = dot(dF_[i], dF_[j]);
        }
    }
    double trace = 0;
    for (int i = 0; i < columns; ++i) {
        trace += normal_[i * memory + i];
    }
    for (int i = 0; i < columns; ++i) {  // Cholesky, row by row
        normal_[i * memory + i] += anderson_shift * trace;
        for (int j = 0; j <= i; ++j) {
            double sum = normal_[i * memory + j];
            for (int k = 0; k < j; ++k) {
                sum -= normal_[i * memory + k] * normal_[j * memory + k];
            }
            if (i == j && !(sum > 0)) return;
            normal_[i * memory + j] = i == j ? std::sqrt(sum) : sum / normal_[j * memory + j];
        }
    }
    for (int i = 0; i < columns; ++i) {
        for (int k = 0; k < i; ++k) {
            gamma_[i] -= normal_[i * memory + k] * gamma_[k];
        }
        gamma_[i] /= normal_[i * memory + i];
    }
    for (int i = columns - 1; i >= 0; --i) {
        for (int k = i + 1; k < columns; ++k) {
            gamma_[i] -= normal_[k * memory + i] * gamma_[k];
        }
        gamma_[i] /= normal_[i * memory + i];
    }
    for (int i = 0; i < columns; ++i) {
        for (std::size_t k = 0; k < x.size(); ++k) {
            x[k] -= gamma_[i] * dG_[i][k];
        }
    }
}

int NonlinearCg::run(const FlatProblem& problem, Relaxation& relaxation, const Budget& budget,
                     std::span<double> x)
{
    const std::size_t n = x.size();
    G_.resize(n);
    f_.resize(n);
    direction_.assign(n, 0.0);
    point_.assign(x.begin(), x.end());
    Lookout lookout(problem, budget, u_, x);
    int sweeps = 0;
    double last2 = 0;
    while (!lookout.solved() && sweeps < budget.max_iterations) {
        std::copy(point_.begin(), point_.end(), G_.begin());
        relaxation.gauss_seidel(problem, G_);
        ++sweeps;
        for (std::size_t k = 0; k < n; ++k) {
            f_[k] = G_[k] - point_[k];
        }
        const double now2 = dot(f_, f_);
        const double beta = last2 > 0 && now2 <= last2 ? now2 / last2 : 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            point_[k] = G_[k] + beta * direction_[k];
            direction_[k] = beta * direction_[k] + f_[k];
        }
        last2 = now2;
        if (lookout.done(sweeps, G_)) break;
    }
    return sweeps;
}

void DriftingPsor::begin(const FlatProblem& problem, std::span<const double> x)
{
    point_.assign(x.begin(), x.end());
    u_.resize(x.size());
    best_error_ = problem.error(x, u_).worst();
    reach_ = 1;
}

double DriftingPsor::relax(const FlatProblem& problem, Relaxation& relaxation, const Budget& budget,
                           int count, std::vector<double>& x, std::span<double> best, int& sweeps)
{
    double now = std::numeric_limits<double>::infinity();
    for (int k = 1; k <= count; ++k) {
        relaxation.psor(problem, x);
        ++sweeps;
        const bool last = k == count || sweeps >= budget.max_iterations;
        if (k % look_in_drift != 0 && !last) continue;
        now = problem.error(x, u_).worst();
        if (now < best_error_) {
            best_error_ = now;
            std::copy(x.begin(), x.end(), best.begin());
        }
        if (last || best_error_ <= budget.tolerance || budget.expired()) break;
    }
    return now;
}

int DriftingPsor::cycle(const FlatProblem& problem, Relaxation& relaxation, const Budget& budget,
                        std::span<double> best)
{
    int sweeps = 0;
    after_ = point_;
    const double error = relax(problem, relaxation, budget, forward_sweeps, after_, best, sweeps);
    if (best_error_ <= budget.tolerance || sweeps >= budget.max_iterations) {
        point_.swap(after_);
        return sweeps;
    }
    further_ = after_;
    for (std::size_t k = 0; k < further_.size(); ++k) {
        further_[k] += reach_ * (after_[k] - point_[k]);
    }
    problem.project(further_);
    const double further = relax(problem, relaxation, budget, settling_sweeps, further_, best, sweeps);
    if (further <= may_rise * error) {
        point_.swap(further_);
        reach_ *= longer;
    } else {
        point_.swap(after_);
        reach_ = std::max(reach_ * shorter, min_reach);
    }
    return sweeps;
}

}  // namespace carom
