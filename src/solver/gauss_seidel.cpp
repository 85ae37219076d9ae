#include "carom/solver/solve.hpp"

#include <cmath>

namespace carom {
namespace {

/// P_i with the others held: U_i + s_i = 0, or no percussion where that would pull. Exact for one component.
double solve_local(const Law& law, double W_ii, double velocity, double P_i)
{
    if (!(W_ii > 0)) return 0.0;  // nothing moves at this interaction, whatever acts
    const double trial = P_i - velocity / W_ii;
    return std::holds_alternative<Unilateral>(law) && trial < 0 ? 0.0 : trial;
}

}  // namespace

int sweep_gauss_seidel(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                       SolverScratch& scratch)
{
    // residuals are looked at after 1, 2, 4, ... 32 sweeps and every 32 from there on
    constexpr int longest_interval = 32;
    int next_look = 1;
    for (int sweep = 1; sweep <= settings.max_sweeps; ++sweep) {
        for (int c = 0; c < problem.interactions(); ++c) {
            const int i = problem.offsets[c];
            double velocity = problem.U_free[i];
            problem.W.add_row_product(c, P, {&velocity, 1});
            double s = 0;
            velocity_shift(problem.laws[c], {&problem.U_minus[i], 1}, {&velocity, 1}, {&s, 1});
            const double exact = solve_local(problem.laws[c], problem.W.diagonal(c)[0], velocity + s, P[i]);
            P[i] += settings.relaxation * (exact - P[i]);
            project_on_set(problem.laws[c], P.subspan(i, 1));
        }
        if (sweep == next_look || sweep == settings.max_sweeps) {
            const auto now = residual(problem, P, scratch.residual);
            if (!now.finite || now.unit_free <= settings.tolerance) return sweep;
            next_look += std::min(next_look, longest_interval);
        }
    }
    return settings.max_sweeps;
}

}  // namespace carom
