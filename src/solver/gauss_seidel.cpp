#include "carom/solver/one_contact.hpp"
#include "carom/solver/solve.hpp"

#include <array>
#include <cmath>

namespace carom {
namespace {

constexpr std::size_t largest_block = 3;
using Block = std::array<double, largest_block>;

/// One component: U + s = 0, or no percussion where that would pull. Exact.
double solve_scalar(const Law& law, double W_ii, double b)
{
    if (!(W_ii > 0)) return 0.0;  // nothing moves at this interaction, whatever acts
    const double trial = -b / W_ii;
    return is_unilateral(law) && trial < 0 ? 0.0 : trial;
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
    for (std::size_t i = 1; i < d; ++i) {
        b[i] += coulomb->tangential_restitution * U_minus[i];
    }
}

/// Exact P_c with the others held (SO-3).
void solve_block(const OneStepProblem& problem, int c, std::span<const double> U, std::span<double> P)
{
    Block b{};
    const std::size_t d = P.size();
    local_drive(problem, c, U, P, std::span(b).first(d));
    const auto W = problem.W.diagonal(c);
    if (const auto* coulomb = std::get_if<Coulomb>(&problem.laws[c])) {
        solve_one_contact(*coulomb, W, std::span(b).first(d), P);
    } else {
        P[0] = solve_scalar(problem.laws[c], W[0], b[0]);
    }
}

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
            if (!now.finite || now.unit_free <= settings.tolerance) return sweeps;
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
        solve_block(problem, c, U, P_c);
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
