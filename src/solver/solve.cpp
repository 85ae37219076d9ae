#include "carom/solver/solve.hpp"

#include <fmt/format.h>

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

}  // namespace

std::string_view name_of(SolverKind kind) noexcept
{
    switch (kind) {
    case SolverKind::Auto: return "auto";
    case SolverKind::Exact: return "exact";
    case SolverKind::GaussSeidel: return "gauss_seidel";
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
    report.solver = settings.kind == SolverKind::Auto ? SolverKind::Exact : settings.kind;
    report.iterations = report.solver == SolverKind::Exact
                            ? scratch.pivoting.solve(problem, P)
                            : sweep_gauss_seidel(problem, settings, P, scratch);

    report.residual = residual(problem, P, scratch.residual);
    const bool small =
        report.residual.unit_free <= settings.tolerance && report.residual.velocity <= hidden_by_percussions;
    report.status = !report.residual.finite ? SolveStatus::NotFinite
                    : small                 ? SolveStatus::Converged
                                            : SolveStatus::NotSolved;
    return report;
}

SolveReport solve(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P)
{
    SolverScratch scratch;
    return solve(problem, settings, P, scratch);
}

}  // namespace carom
