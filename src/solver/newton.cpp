#include "solver/newton.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Largest eigenvalue of the symmetric part of the tangential block.
double largest_tangential(const double* W, int d)
{
    if (d == 2) return W[3];
    const double a = W[4], b = W[8], c = (W[5] + W[7]) / 2;
    return (a + b) / 2 + std::hypot((a - b) / 2, c);
}

}  // namespace

void NewtonSteps::load(const FlatProblem& problem, BlockLu& lu)
{
    lu_ = &lu;
    const auto m = static_cast<std::size_t>(problem.contacts());
    const auto block = static_cast<std::size_t>(problem.d * problem.d);
    rho_.resize(2 * m);
    for (std::size_t c = 0; c < m; ++c) {
        const double* W = problem.W_cc.data() + c * block;
        rho_[2 * c] = W[0] > 0 ? 1 / W[0] : 1.0;
        const double tangential =
            problem.kind[c] == FlatKind::Friction ? largest_tangential(W, problem.d) : 0.0;
        rho_[2 * c + 1] = tangential > 0 ? 1 / tangential : 1.0;
    }
    u_.resize(static_cast<std::size_t>(problem.size()));
    dx_.resize(static_cast<std::size_t>(problem.size()));
}

void NewtonSteps::linearise(const FlatProblem& problem, int c, const double* x, const double* u, double* Phi,
                            double* E, double* C) const noexcept
{
    const int d = problem.d;
    const double rho_n = rho_[2 * c], rho_t = rho_[2 * c + 1];
    std::fill(E, E + d * d, 0.0);
    std::fill(C, C + d * d, 0.0);

    // rows without a law of their own, and open contacts: x = 0
    const double tau_n = x[0] - rho_n * u[0];
    const bool open = problem.kind[c] != FlatKind::Bilateral && !(tau_n > 0);
    for (int k = 0; k < d; ++k) {
        Phi[k] = x[k];
        E[k * d + k] = 1;
    }
    if (open) return;

    // the normal velocity vanishes
    Phi[0] = rho_n * u[0];
    E[0] = 0;
    C[0] = rho_n;
    if (problem.kind[c] != FlatKind::Friction) return;

    double tau[2] = {0, 0}, size2 = 0;
    for (int k = 1; k < d; ++k) {
        tau[k - 1] = x[k] - rho_t * u[k];
        size2 += tau[k - 1] * tau[k - 1];
    }
    const double size = std::sqrt(size2), radius = problem.mu[c] * tau_n;

    // sticking: the tangential velocity vanishes
    if (size <= radius) {
        for (int k = 1; k < d; ++k) {
            Phi[k] = rho_t * u[k];
            E[k * d + k] = 0;
            C[k * d + k] = rho_t;
        }
        return;
    }

    // sliding: friction at its bound, against tau; size > radius >= 0
    const double part = radius / size;
    for (int k = 1; k < d; ++k) {
        const double dir_k = tau[k - 1] / size;
        Phi[k] = x[k] - radius * dir_k;
        E[k * d] = -problem.mu[c] * dir_k;
        C[k * d] = problem.mu[c] * dir_k * rho_n;
        for (int j = 1; j < d; ++j) {
            const double across = (k == j ? 1.0 : 0.0) - dir_k * tau[j - 1] / size;
            E[k * d + j] -= part * across;
            C[k * d + j] = part * rho_t * across;
        }
    }
}

bool NewtonSteps::direction(const FlatProblem& problem, double sigma, std::span<const double> centre,
                            std::span<const double> x, std::span<double> dx)
{
    const int d = problem.d, block = d * d;
    problem.velocity(x, u_);
    for (std::size_t k = 0; k < u_.size(); ++k) {
        u_[k] += sigma * (x[k] - centre[k]);
    }
    double Phi[3], E[9], C[9];
    double* off = lu_->off().data();
    for (int c = 0; c < problem.contacts(); ++c) {
        linearise(problem, c, x.data() + c * d, u_.data() + c * d, Phi, E, C);
        double* A = lu_->diagonal().data() + c * block;
        const double* W = problem.W_cc.data() + c * block;
        for (int r = 0; r < d; ++r) {
            dx[c * d + r] = -Phi[r];
            for (int k = 0; k < d; ++k) {
                double sum = E[r * d + k] + sigma * C[r * d + k];
                for (int j = 0; j < d; ++j) {
                    sum += C[r * d + j] * W[j * d + k];
                }
                A[r * d + k] = sum;
            }
        }
        for (int at = problem.row_begin[c]; at < problem.row_begin[c + 1]; ++at) {
            const double* W_cj = problem.W_off.data() + static_cast<std::size_t>(at) * block;
            double* A_cj = off + static_cast<std::size_t>(at) * block;
            for (int r = 0; r < d; ++r) {
                for (int k = 0; k < d; ++k) {
                    double sum = 0;
                    for (int j = 0; j < d; ++j) {
                        sum += C[r * d + j] * W_cj[j * d + k];
                    }
                    A_cj[r * d + k] = sum;
                }
            }
        }
    }
    if (lu_->factorise(problem) < 0) return false;
    lu_->solve(dx);
    return std::all_of(dx.begin(), dx.end(), [](double value) { return std::isfinite(value); });
}

bool NewtonSteps::step(const FlatProblem& problem, double sigma, std::span<const double> centre,
                       std::span<double> x)
{
    if (!direction(problem, sigma, centre, x, dx_)) return false;
    for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] += dx_[k];
    }
    return true;
}

double NewtonSteps::merit(const FlatProblem& problem, double sigma, std::span<const double> centre,
                          std::span<const double> x)
{
    const int d = problem.d;
    problem.velocity(x, u_);
    for (std::size_t k = 0; k < u_.size(); ++k) {
        u_[k] += sigma * (x[k] - centre[k]);
    }
    double Phi[3], E[9], C[9], sum = 0;
    for (int c = 0; c < problem.contacts(); ++c) {
        linearise(problem, c, x.data() + c * d, u_.data() + c * d, Phi, E, C);
        for (int k = 0; k < d; ++k) {
            sum += Phi[k] * Phi[k];
        }
    }
    return sum;
}

}  // namespace carom
