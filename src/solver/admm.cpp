#include "solver/splitting.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Proximal term and floor of the spectrum, for W with unit diagonal.
constexpr double eta = 1e-6;

// the penalty sqrt(m L) (L / m)^p
constexpr double first_exponent = 0.05, exponent_step = 0.05, unbalanced = 10;
constexpr int power_iterations = 20, balance_every = 10;

}  // namespace

void Admm::load(const FlatProblem& problem, BlockLu& lu)
{
    lu_ = &lu;
    for (auto* vector : {&r_, &y_, &y_last_, &xi_, &right_, &u_}) {
        vector->assign(static_cast<std::size_t>(problem.size()), 0.0);
    }
    exponent_ = first_exponent;
    largest_ = largest_eigenvalue(problem);
    rho_ = std::sqrt(eta * largest_) * std::pow(largest_ / eta, exponent_);
    factorise(problem);
}

/// Power iteration on W from the vector of ones, which has a part along the largest eigenvector unless W is
/// made against it; an estimate is enough.
double Admm::largest_eigenvalue(const FlatProblem& problem)
{
    std::fill(r_.begin(), r_.end(), 1.0);
    double size = std::sqrt(static_cast<double>(r_.size())), value = 1;
    for (int k = 0; k < power_iterations; ++k) {
        problem.velocity(r_, right_);
        double next = 0;
        for (std::size_t i = 0; i < r_.size(); ++i) {
            right_[i] -= problem.q[i];
            next += right_[i] * right_[i];
        }
        next = std::sqrt(next);
        if (!(next > 0)) break;
        value = next / size;
        size = 1;
        for (std::size_t i = 0; i < r_.size(); ++i) {
            r_[i] = right_[i] / next;
        }
    }
    std::fill(r_.begin(), r_.end(), 0.0);
    return std::max(value, 10 * eta);
}

void Admm::factorise(const FlatProblem& problem)
{
    std::copy(problem.W_cc.begin(), problem.W_cc.end(), lu_->diagonal().begin());
    std::copy(problem.W_off.begin(), problem.W_off.end(), lu_->off().begin());
    const int d = problem.d;
    for (int c = 0; c < problem.contacts(); ++c) {
        for (int k = 0; k < d; ++k) {
            lu_->diagonal()[static_cast<std::size_t>(c * d * d + k * d + k)] += rho_ + eta;
        }
    }
    lu_->factorise(problem);
}

int Admm::run(const FlatProblem& problem, const Budget& budget, std::span<double> x)
{
    const int d = problem.d;
    std::copy(x.begin(), x.end(), y_.begin());
    std::copy(x.begin(), x.end(), r_.begin());
    double best = problem.error(y_, u_).worst();
    // the multiplier is the velocity with its shift
    for (int c = 0; c < problem.contacts(); ++c) {
        for (int k = 0; k < d; ++k) {
            xi_[c * d + k] = problem.kind[c] == FlatKind::Bilateral ? 0.0 : u_[c * d + k];
        }
    }
    double best_before = best;
    int iteration = 0;
    while (iteration < budget.max_iterations && best > budget.tolerance && !budget.expired()) {
        ++iteration;
        for (int c = 0; c < problem.contacts(); ++c) {
            const double* xi = xi_.data() + c * d;
            const double slip = d == 1 ? 0.0 : d == 2 ? std::abs(xi[1]) : std::hypot(xi[1], xi[2]);
            for (int k = 0; k < d; ++k) {
                const int i = c * d + k;
                right_[i] = -problem.q[i] + xi_[i] + rho_ * y_[i] + eta * r_[i];
            }
            if (problem.kind[c] == FlatKind::Friction) right_[c * d] -= problem.mu[c] * slip;
        }
        lu_->solve(right_);
        std::swap(r_, right_);
        std::swap(y_, y_last_);
        for (std::size_t i = 0; i < y_.size(); ++i) {
            y_[i] = r_[i] - xi_[i] / rho_;
        }
        problem.project(y_);
        double primal2 = 0, dual2 = 0;
        for (std::size_t i = 0; i < y_.size(); ++i) {
            xi_[i] -= rho_ * (r_[i] - y_[i]);
            primal2 += (r_[i] - y_[i]) * (r_[i] - y_[i]);
            dual2 += rho_ * rho_ * (y_[i] - y_last_[i]) * (y_[i] - y_last_[i]);
        }
        const double error = problem.error(y_, u_).worst();
        if (!std::isfinite(error)) break;
        if (error < best) {
            best = error;
            std::copy(y_.begin(), y_.end(), x.begin());
        }

        // a penalty that keeps both residuals of one size, where the error does not fall well as it is
        if (iteration % balance_every != 0) continue;
        const bool falls_well = best < 0.1 * best_before;
        best_before = best;
        if (falls_well) continue;
        const double ratio = std::sqrt(primal2 / std::max(dual2, 1e-300));
        if (ratio < unbalanced && ratio > 1 / unbalanced) continue;
        exponent_ = std::clamp(exponent_ + (ratio > 1 ? exponent_step : -exponent_step), -0.5, 0.5);
        rho_ = std::sqrt(eta * largest_) * std::pow(largest_ / eta, exponent_);
        factorise(problem);
    }
    return iteration;
}

}  // namespace carom
