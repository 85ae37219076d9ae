#include "carom/solver/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace carom {
namespace {

/// Where no solution exists, percussions grow until any error is small beside them. Velocities must fit as
/// well, to this part of theirs: generous, since a tall stack has percussions that are rightly large.
constexpr double hidden_by_percussions = 1e-3;

Error out_of_range(const char* field, double seen, const char* hint)
{
    return {.code = ErrorCode::SettingOutOfRange,
            .where = std::string("SolverSettings::") + field,
            .message = fmt::format("{} is {}", field, seen),
            .hint = hint,
            .excerpt = {}};
}

bool has_friction(const OneStepProblem& problem)
{
    return std::any_of(problem.laws.begin(), problem.laws.end(),
                       [](const Law& law) { return std::holds_alternative<Coulomb>(law); });
}

/// Residual and status of the percussions found.
void judge(const OneStepProblem& problem, const SolverSettings& settings, std::span<const double> P,
           SolverScratch& scratch, SolveReport& report)
{
    report.residual = residual(problem, P, scratch.residual);
    const bool small =
        report.residual.unit_free <= settings.tolerance && report.residual.velocity <= hidden_by_percussions;
    report.status = !report.residual.finite ? SolveStatus::NotFinite
                    : small                 ? SolveStatus::Converged
                                            : SolveStatus::NotSolved;
}

/// With friction: sweeps in growing numbers, each followed by an attempt to finish by Newton's method, which
/// is exact once every contact has its right status. Where Gauss-Seidel has not come closer, PSOR begins at
/// the best percussions seen: it moves differently.
SolveReport solve_frictional(const OneStepProblem& problem, const SolverSettings& settings,
                             std::span<double> P, SolverScratch& scratch)
{
    SolveReport report;
    report.solver = SolverKind::GaussSeidel;
    SolverSettings part = settings;
    part.relaxation = 1;

    // the local solution of a single contact is the solution
    const bool single = problem.interactions() == 1;
    const bool small = problem.interactions() <= Polisher::most_interactions;
    const double roundoff = (single ? 32 : 1) * std::numeric_limits<double>::epsilon();
    double best = std::numeric_limits<double>::infinity();
    for (int sweeps = single ? 1 : 4; report.iterations < 2 * settings.max_sweeps; sweeps *= 2) {
        part.max_sweeps = std::min(sweeps, 2 * settings.max_sweeps - report.iterations);
        report.iterations += report.solver == SolverKind::GaussSeidel
                                 ? sweep_gauss_seidel(problem, part, P, scratch)
                                 : sweep_psor(problem, part, P, scratch);
        judge(problem, settings, P, scratch, report);
        if (small && report.residual.unit_free > roundoff) {
            scratch.polisher.polish(problem, P, scratch.residual);
            judge(problem, settings, P, scratch, report);
        }
        if (report.status != SolveStatus::NotSolved) return report;
        const double now = report.residual.unit_free;
        if (now < best) scratch.best_P.assign(P.begin(), P.end());
        const bool stalls = !(now < 0.5 * best);
        best = std::min(best, now);
        if (report.iterations >= settings.max_sweeps || (stalls && sweeps > 256)) {
            std::copy(scratch.best_P.begin(), scratch.best_P.end(), P.begin());
            report.solver = SolverKind::Psor;
        }
    }
    std::copy(scratch.best_P.begin(), scratch.best_P.end(), P.begin());
    return report;
}

SolveReport solve_auto(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                       SolverScratch& scratch)
{
    if (has_friction(problem)) return solve_frictional(problem, settings, P, scratch);
    SolveReport report;
    report.solver = SolverKind::Exact;
    report.iterations = scratch.pivoting.solve(problem, P);
    judge(problem, settings, P, scratch, report);
    return report;
}

}  // namespace

std::string_view name_of(SolverKind kind) noexcept
{
    switch (kind) {
    case SolverKind::Auto: return "auto";
    case SolverKind::Exact: return "exact";
    case SolverKind::GaussSeidel: return "gauss_seidel";
    case SolverKind::Psor: return "psor";
    }
    return "unknown";
}

std::string_view name_of(SolveStatus status) noexcept
{
    switch (status) {
    case SolveStatus::Converged: return "converged";
    case SolveStatus::NotSolved: return "not_solved";
    case SolveStatus::NotFinite: return "not_finite";
    }
    return "unknown";
}

Expected<void> check(const SolverSettings& settings)
{
    if (!(settings.tolerance > 0 && settings.tolerance < 1)) {
        return out_of_range("tolerance", settings.tolerance,
                            "give a number between 0 and 1, for example 1e-8");
    }
    if (settings.max_sweeps < 1) {
        return out_of_range("max_sweeps", settings.max_sweeps,
                            "give a whole number from 1 on, for example 10000");
    }
    if (!(settings.relaxation > 0 && settings.relaxation < 2)) {
        return out_of_range("relaxation", settings.relaxation,
                            "give a number between 0 and 2, for example 1");
    }
    return {};
}

SolveReport solve(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                  SolverScratch& scratch)
{
    SolveReport report;
    report.solver = settings.kind;
    switch (settings.kind) {
    case SolverKind::Auto:
    case SolverKind::Exact:
        if (problem.interactions() > 0) return solve_auto(problem, settings, P, scratch);
        report.solver = SolverKind::Exact;
        report.status = SolveStatus::Converged;
        return report;
    case SolverKind::GaussSeidel:
        report.iterations = sweep_gauss_seidel(problem, settings, P, scratch);
        break;
    case SolverKind::Psor: report.iterations = sweep_psor(problem, settings, P, scratch); break;
    }
    judge(problem, settings, P, scratch, report);
    return report;
}

SolveReport solve(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P)
{
    SolverScratch scratch;
    return solve(problem, settings, P, scratch);
}

}  // namespace carom
