#include "carom/door/problem.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace carom {
namespace {

/// The quickest solve of a problem; infinite when none succeeded.
double best_time_s(const Comparison& comparison, std::size_t problem)
{
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t solver = 0; solver < comparison.solvers.size(); ++solver) {
        const ComparedRun& run = comparison.run(problem, solver);
        // the clock counts microseconds: what is quicker counts as one
        if (run.solved()) best = std::min(best, std::max(run.time_s, 1e-6));
    }
    return best;
}

}  // namespace

double ratio_of(const Comparison& comparison, std::size_t problem, std::size_t solver)
{
    const ComparedRun& run = comparison.run(problem, solver);
    if (!run.solved()) return std::numeric_limits<double>::infinity();
    return std::max(run.time_s, 1e-6) / best_time_s(comparison, problem);
}

Comparison compare_solvers(const std::vector<ProblemFile>& files, const SolveTask& task)
{
    Comparison comparison;
    for (const SolverKind kind : all_solver_kinds()) {
        comparison.solvers.emplace_back(name_of(kind));
    }
    for (std::size_t problem = 0; problem < files.size(); ++problem) {
        comparison.problems.push_back(std::filesystem::path(files[problem].path).filename().string());
        comparison.contacts.push_back(files[problem].stored.contacts());
        for (std::size_t solver = 0; solver < comparison.solvers.size(); ++solver) {
            SolveTask one = task;
            one.settings.kind = all_solver_kinds()[solver];
            const SolvedProblem solved = solve_errors_only(files[problem].loaded.problem, one);
            comparison.runs.push_back({.problem = problem,
                                       .solver = solver,
                                       .status = solved.status,
                                       .time_s = solved.time_s,
                                       .unit_free = solved.check.unit_free,
                                       .siconos = solved.check.siconos,
                                       .iterations = solved.report.iterations});
        }
    }
    return comparison;
}

Profile profile_of(const Comparison& comparison)
{
    // round factors, until every solver has shown all it solves
    double worst = 1;
    for (const ComparedRun& run : comparison.runs) {
        const double ratio = ratio_of(comparison, run.problem, run.solver);
        if (std::isfinite(ratio)) worst = std::max(worst, ratio);
    }
    Profile profile;
    for (double decade = 1;; decade *= 10) {
        for (const double step : {1.0, 2.0, 5.0}) {
            profile.factors.push_back(decade * step);
            if (decade * step >= worst) break;
        }
        if (profile.factors.back() >= worst) break;
    }

    for (std::size_t solver = 0; solver < comparison.solvers.size(); ++solver) {
        ProfileLine line{.solver = comparison.solvers[solver], .part = {}};
        for (const double factor : profile.factors) {
            int within = 0;
            for (std::size_t problem = 0; problem < comparison.problems.size(); ++problem) {
                within += ratio_of(comparison, problem, solver) <= factor ? 1 : 0;
            }
            line.part.push_back(within / static_cast<double>(comparison.problems.size()));
        }
        profile.lines.push_back(std::move(line));
    }
    return profile;
}

}  // namespace carom
