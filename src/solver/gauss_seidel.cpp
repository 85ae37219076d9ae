#include "solver/one_contact.hpp"
#include "solver/one_interaction.hpp"
#include "solver/solver_scratch.hpp"

#include <array>
#include <cmath>

namespace carom {
namespace {

using Block = std::array<double, max_components>;

/// One component: U + s = 0, or the nearest percussion that the law allows. Exact.
double solve_scalar(const Law& law, double W_ii, double b)
{
    if (!(W_ii > 0)) return 0.0;  // nothing moves at this interaction, whatever acts
    double P = -b / W_ii;
    project_on_set(law, {&P, 1});
    return P;
}

/// Several components of a set: projections of P - (U + s) / L, L no less than the largest eigenvalue of W,
/// so that steps cannot overshoot; s is the shift of the velocity that each leaves, none for a constraint.
void solve_on_set(const Law& law, int max_steps, std::span<const double> W, std::span<const double> b,
                  std::span<double> P)
{
    const std::size_t d = P.size();
    double largest_row = 0;
    for (std::size_t i = 0; i < d; ++i) {
        double row = 0;
        for (std::size_t j = 0; j < d; ++j) {
            row += std::abs(W[i * d + j]);
        }
        largest_row = std::max(largest_row, row);
    }
    if (!(largest_row > 0)) return;
    const Block at_rest{};  // restitution is in b
    for (int step = 0; step < max_steps; ++step) {
        Block U{}, s{}, next{};
        for (std::size_t i = 0; i < d; ++i) {
            U[i] = b[i];
            for (std::size_t j = 0; j < d; ++j) {
                U[i] += W[i * d + j] * P[j];
            }
        }
        velocity_shift(law, std::span(at_rest).first(d), std::span(U).first(d), std::span(s).first(d));
        for (std::size_t i = 0; i < d; ++i) {
            next[i] = P[i] - (U[i] + s[i]) / largest_row;
        }
        project_on_set(law, std::span(next).first(d));
        double change = 0, size = 0;
        for (std::size_t i = 0; i < d; ++i) {
            change += std::abs(next[i] - P[i]);
            size += std::abs(next[i]);
            P[i] = next[i];
        }
        if (change <= 1e-15 * size) return;
    }
}

/// b = U_free + s + what the other interactions do; the shift of restitution only.
void local_drive(const OneStepProblem& problem, int c, std::span<const double> U, std::span<const double> P,
                 std::span<double> b)
{
    const std::size_t d = P.size();
    const auto W = problem.W.diagonal(c);
    const auto U_minus = problem.part(std::span<const double>(problem.U_minus), c);
    for (std::size_t i = 0; i < d; ++i) {
        b[i] = U[i];
        for (std::size_t j = 0; j < d; ++j) {
            b[i] -= W[i * d + j] * P[j];
        }
    }
    b[0] += restitution(problem.laws[c]) * std::min(U_minus[0], 0.0);
    const auto* coulomb = std::get_if<Coulomb>(&problem.laws[c]);
    if (coulomb == nullptr) return;
    for (std::size_t i = 1; i < d; ++i) {
        b[i] += coulomb->tangential_restitution * U_minus[i];
    }
}

}  // namespace

void solve_interaction(const OneStepProblem& problem, int c, std::span<const double> U, std::span<double> P)
{
    Block b{};
    const std::size_t d = P.size();
    local_drive(problem, c, U, P, std::span(b).first(d));
    const auto W = problem.W.diagonal(c);
    if (const auto* coulomb = std::get_if<Coulomb>(&problem.laws[c])) {
        solve_one_contact(*coulomb, W, std::span(b).first(d), P);
    } else if (std::holds_alternative<Resisting>(problem.laws[c])) {
        constexpr int steps = 6;  // the next sweep goes on with it
        if (b[0] >= 0) {          // separates by itself
            std::fill(P.begin(), P.end(), 0.0);
        } else {
            solve_on_set(problem.laws[c], steps, W, std::span(b).first(d), P);
        }
    } else if (d == 1) {
        P[0] = solve_scalar(problem.laws[c], W[0], b[0]);
    } else {
        constexpr int steps = 50;
        solve_on_set(problem.laws[c], steps, W, std::span(b).first(d), P);
    }
}

namespace {

/// One projection instead (SO-4): P <- proj_C(P - rho (U + s)), rho = omega d / trace W_cc.
void project_block(const OneStepProblem& problem, int c, double relaxation, std::span<const double> U,
                   std::span<double> P)
{
    const std::size_t d = P.size();
    const auto W = problem.W.diagonal(c);
    double trace = 0;
    for (std::size_t i = 0; i < d; ++i) {
        trace += W[i * d + i];
    }
    if (!(trace > 0)) return;
    if (gives_way(problem.laws[c]) || d > 3)
        trace *= static_cast<double>(d);  // a step that no W_cc makes too long
    Block s{};
    velocity_shift(problem.laws[c], problem.part(std::span<const double>(problem.U_minus), c), U,
                   std::span(s).first(d));
    const double rho = relaxation * static_cast<double>(d) / trace;
    for (std::size_t i = 0; i < d; ++i) {
        P[i] -= rho * (U[i] + s[i]);
    }
    project_on_set(problem.laws[c], P);
}

/// Sweeps with `update` until the residual is small. Residuals are looked at after 1, 2, 4, ... 32 sweeps and
/// every 32 from there on, and not after the last: that is for the caller.
template <class Update>
int sweep(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
          SolverScratch& scratch, Update&& update)
{
    constexpr int longest_interval = 32;
    int next_look = 1;
    for (int sweeps = 1; sweeps <= settings.max_sweeps; ++sweeps) {
        for (int c = 0; c < problem.interactions(); ++c) {
            const auto P_c = problem.part(P, c);
            const auto U_free = problem.part(std::span<const double>(problem.U_free), c);
            Block U{};
            std::copy(U_free.begin(), U_free.end(), U.begin());
            problem.W.add_row_product(c, P, std::span(U).first(P_c.size()));
            update(c, std::span<const double>(U).first(P_c.size()), P_c);
        }
        if (sweeps == next_look && sweeps < settings.max_sweeps) {
            const auto now = residual(problem, P, scratch.residual);
            if (!now.finite || is_solved(now, settings.tolerance)) return sweeps;
            next_look += std::min(next_look, longest_interval);
        }
    }
    return settings.max_sweeps;
}

}  // namespace

int sweep_gauss_seidel(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                       SolverScratch& scratch)
{
    return sweep(problem, settings, P, scratch, [&](int c, std::span<const double> U, std::span<double> P_c) {
        Block before{};
        std::copy(P_c.begin(), P_c.end(), before.begin());
        solve_interaction(problem, c, U, P_c);
        if (settings.relaxation == 1) return;
        for (std::size_t i = 0; i < P_c.size(); ++i) {
            P_c[i] = before[i] + settings.relaxation * (P_c[i] - before[i]);
        }
        project_on_set(problem.laws[c], P_c);
    });
}

int sweep_psor(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
               SolverScratch& scratch)
{
    return sweep(problem, settings, P, scratch, [&](int c, std::span<const double> U, std::span<double> P_c) {
        project_block(problem, c, settings.relaxation, U, P_c);
    });
}

}  // namespace carom
