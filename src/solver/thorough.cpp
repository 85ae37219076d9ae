#include "solver/thorough.hpp"

#include <algorithm>

namespace carom {
namespace {

// Newton's last digits: those that a step at rest leaves in the velocities of the next one
constexpr double nearly_exact = 1e-13;
constexpr int max_newton_steps = 8;

bool factorises(SolverKind kind)
{
    return kind == SolverKind::Admm || kind == SolverKind::ProximalNewton ||
           kind == SolverKind::InteriorPoint;
}

}  // namespace

SolverSettings thoroughly(SolverSettings settings, int interactions, bool stands)
{
    constexpr int affordable = 2000;
    constexpr double well = 1e-8, coarse = 1e-5;
    const bool accurate = (stands || settings.tolerance <= coarse) && interactions <= affordable;
    if (settings.kind == SolverKind::Auto && accurate)
        settings.tolerance = std::min(settings.tolerance, well);
    return settings;
}

void go_to_roundoff(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                    SolverScratch& scratch, SolveReport& report)
{
    if (settings.kind != SolverKind::Auto || report.status != SolveStatus::Converged) return;
    if (!factorises(report.solver) || report.residual.unit_free <= nearly_exact) return;
    SolverSettings newton = settings;
    newton.kind = SolverKind::ProximalNewton;
    newton.tolerance = nearly_exact;
    newton.max_sweeps = max_newton_steps;
    scratch.P_before.assign(P.begin(), P.end());
    const SolveReport finished = solve(problem, newton, P, scratch);
    report.iterations += finished.iterations;
    report.factorisations += finished.iterations;
    if (finished.residual.finite && solved_to(finished.residual) < solved_to(report.residual)) {
        report.residual = finished.residual;
    } else {
        std::copy(scratch.P_before.begin(), scratch.P_before.end(), P.begin());
    }
}

SolveReport solve_factored(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                           SolverScratch& scratch)
{
    SolveReport report;
    const Factors& factors = problem.factors;
    const bool redundant = factors.is_redundant(P.size());
    scratch.P_before.assign(P.begin(), P.end());
    const bool swept =
        settings.kind == SolverKind::Auto && problem.laws.size() >= FactorSweeps::min_interactions;
    if (swept && scratch.factor_sweeps.solve(problem, settings, P, report)) {
        report.residual = residual(problem, P, scratch.residual);
        if (is_solved(report.residual, settings.tolerance)) {
            report.status = SolveStatus::Converged;
            report.by_factors = true;
            report.selection.unexamined = 1;  // no matrix that could be looked at
            return report;
        }
        if (settings.is_stopped()) return report;
        // what sweeps have spread over redundant contacts is no start
        if (redundant || !report.residual.finite)
            std::copy(scratch.P_before.begin(), scratch.P_before.end(), P.begin());
    }
    const OneStepProblem whole = assembled(problem);
    const int sweeps = report.iterations;
    report =
        solve_well(whole, settings, factors.calm && redundant, P, scratch,
                   [&](const SolverSettings& asked) { return solve_selected(whole, asked, P, scratch); });
    report.iterations += sweeps;
    return report;
}

}  // namespace carom
