#include "solver/splitting.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

constexpr int look_every = 8, max_backtracks = 30;

/// u + s(u), in place.
void add_shift(const FlatProblem& problem, std::span<double> u)
{
    const int d = problem.d;
    for (int c = 0; c < problem.contacts(); ++c) {
        if (problem.kind[c] != FlatKind::Friction) continue;
        double* u_c = u.data() + static_cast<std::size_t>(c) * d;
        u_c[0] += problem.mu[c] * (d == 2 ? std::abs(u_c[1]) : std::hypot(u_c[1], u_c[2]));
    }
}

}  // namespace

int AcceleratedGradients::run(const FlatProblem& problem, const Budget& budget, std::span<double> x)
{
    const std::size_t n = x.size();
    for (auto* vector : {&next_, &gradient_, &Wnext_, &u_}) {
        vector->resize(n);
    }
    y_.assign(x.begin(), x.end());
    last_.assign(x.begin(), x.end());
    double best = problem.error(x, u_).worst(), L = 1, theta = 1;
    int iteration = 0;
    while (iteration < budget.max_iterations && best > budget.tolerance && !budget.expired()) {
        ++iteration;
        problem.velocity(y_, u_);
        std::copy(u_.begin(), u_.end(), gradient_.begin());
        add_shift(problem, gradient_);

        // backtracking: the quadratic model with L lies above along the step
        for (int attempt = 0; attempt < max_backtracks; ++attempt, L *= 2) {
            for (std::size_t k = 0; k < n; ++k) {
                next_[k] = y_[k] - gradient_[k] / L;
            }
            problem.project(next_);
            problem.velocity(next_, Wnext_);
            double curvature = 0, length2 = 0;
            for (std::size_t k = 0; k < n; ++k) {
                const double step = next_[k] - y_[k];
                curvature += step * (Wnext_[k] - u_[k]);
                length2 += step * step;
            }
            if (curvature <= L * length2) break;
        }

        // against the gradient: forget the momentum
        double uphill = 0;
        for (std::size_t k = 0; k < n; ++k) {
            uphill += gradient_[k] * (next_[k] - last_[k]);
        }
        if (uphill > 0) {
            theta = 1;
            y_ = next_;
        } else {
            const double theta2 = theta * theta;
            const double theta_next = (std::sqrt(theta2 * theta2 + 4 * theta2) - theta2) / 2;
            const double beta = theta * (1 - theta) / (theta2 + theta_next);
            for (std::size_t k = 0; k < n; ++k) {
                y_[k] = next_[k] + beta * (next_[k] - last_[k]);
            }
            theta = theta_next;
        }
        std::swap(last_, next_);
        L *= 0.9;
        if (iteration % look_every != 0 && iteration < budget.max_iterations) continue;
        const double error = problem.error(last_, u_).worst();
        if (!std::isfinite(error)) break;
        if (error < best) {
            best = error;
            std::copy(last_.begin(), last_.end(), x.begin());
        }
    }
    return iteration;
}

}  // namespace carom
