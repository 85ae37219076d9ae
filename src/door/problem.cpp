#include "carom/door/problem.hpp"

#include "core/text.hpp"
#include "solver/solver_scratch.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

namespace carom {
namespace {

double processor_time_s()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// One solve from nothing, both errors.
struct Attempt {
    SolveReport report;
    std::vector<double> P;
    double time_s = 0;
};

Attempt attempt(const OneStepProblem& problem, const SolverSettings& asked)
{
    SolverSettings settings = asked;
    SolverScratch scratch;
    Attempt result{.report = {}, .P = std::vector<double>(static_cast<std::size_t>(problem.size()), 0.0)};
    const double begin_s = processor_time_s();
    result.report = solve(problem, settings, result.P, scratch);

    // Siconos' error may be larger than ours: then a smaller tolerance, from where we are
    constexpr int max_rounds = 4;
    for (int round = 0; round < max_rounds; ++round) {
        const Residual& error = result.report.residual;
        if (result.report.status != SolveStatus::Converged || error.siconos <= asked.tolerance) break;
        settings.tolerance = 0.5 * error.unit_free * std::max(1e-3, asked.tolerance / error.siconos);
        if (!(settings.tolerance > 1e-15)) break;
        if (asked.time_limit_s > 0) {
            settings.time_limit_s = asked.time_limit_s - (processor_time_s() - begin_s);
            if (!(settings.time_limit_s > 0)) break;
        }
        const int before = result.report.iterations;
        std::vector<double> P = result.P;
        SolveReport next = solve(problem, settings, P, scratch);
        next.iterations += before;
        if (next.residual.siconos < error.siconos && is_solved(next.residual, asked.tolerance)) {
            next.status = SolveStatus::Converged;
            result.report = next;
            result.P = std::move(P);
        } else {
            result.report.iterations = next.iterations;
            break;
        }
    }
    result.time_s = processor_time_s() - begin_s;
    return result;
}

Residual errors_of(const SolutionCheck& check)
{
    return {.unit_free = check.unit_free, .velocity = check.velocity, .finite = check.finite};
}

/// Which errors missed what was asked of them.
std::string errors_in_words(const SolutionCheck& check, double tolerance)
{
    std::string text = shortfall(errors_of(check), tolerance);
    if (check.finite && check.siconos > tolerance) {
        text += fmt::format("{}the Siconos error is {:.2e}, the limit is {:.2g}", text.empty() ? "" : "; ",
                            check.siconos, tolerance);
    }
    return text;
}

std::string carriers_in_words(const SolutionCheck& check)
{
    constexpr std::size_t max_named = 12;
    std::string text;
    for (std::size_t k = 0; k < std::min(max_named, check.carriers.size()); ++k) {
        text += fmt::format("{}{} ({:.0f} %)", k > 0 ? ", " : "", check.carriers[k].interaction,
                            100 * check.carriers[k].share);
    }
    if (check.carriers.size() > max_named) text += ", ...";
    return text;
}

}  // namespace

Expected<SolverKind> solver_named(const std::string& name)
{
    std::vector<std::string> known;
    for (const SolverKind kind : all_solver_kinds()) {
        if (name_of(kind) == name) return kind;
        known.emplace_back(name_of(kind));
    }
    const std::string nearest = nearest_name(name, known);
    return Error{.code = ErrorCode::UnknownName,
                 .where = "solver",
                 .message = fmt::format("there is no solver {}", carom::quoted(name)),
                 .hint = nearest.empty()
                             ? fmt::format("known are: {}", fmt::join(known, ", "))
                             : fmt::format("did you mean {}? known are: {}", nearest, fmt::join(known, ", ")),
                 .excerpt = {}};
}

Expected<ProblemFile> read_problem(const std::string& path)
{
    ProblemFile file{.path = path, .stored = {}, .loaded = {}};
    auto stored = read_fclib(path);
    if (!stored) return stored.error();
    file.stored = std::move(*stored);
    auto loaded = one_step_problem(file.stored);
    if (!loaded) {
        Error error = loaded.error();
        error.where = path;
        return error;
    }
    file.loaded = std::move(*loaded);
    return file;
}

SolvedProblem solve_errors_only(const OneStepProblem& problem, const SolveTask& task)
{
    SolvedProblem solved;
    for (int k = 0; k < task.repetitions; ++k) {
        Attempt now = attempt(problem, task.settings);
        if (k > 0 && now.time_s >= solved.time_s) continue;
        solved.report = now.report;
        solved.P = std::move(now.P);
        solved.time_s = now.time_s;
    }
    solved.U.resize(solved.P.size());
    local_velocity(problem, solved.P, solved.U);
    solved.check = check_solution(problem, solved.P);

    // "solved" is what the check says, whatever the solver claims
    const double tolerance = task.settings.tolerance;
    if (is_solved(errors_of(solved.check), tolerance) && solved.check.siconos <= tolerance)
        solved.status = "solved";
    else if (solved.report.status == SolveStatus::Converged)
        solved.status = name_of(SolveStatus::NotSolved);
    else
        solved.status = name_of(solved.report.status);
    return solved;
}

void examine(const OneStepProblem& problem, double tolerance, SolvedProblem& solved)
{
    solved.W = check_operator(problem);
    if (solved.W.asymmetry > 1e-12) {
        solved.warnings.push_back(
            fmt::format("W is not symmetric: |W - W^T| / |W| = {:.1e}", solved.W.asymmetry));
    }
    if (solved.W.negative > 0) {
        solved.warnings.push_back(fmt::format(
            "W is not positive semidefinite: {} eigenvalue{} below zero, the least {:.1e} of the largest",
            solved.W.negative, solved.W.negative == 1 ? "" : "s", solved.W.smallest / solved.W.largest));
    }
    if (!solved.check.finite) {
        solved.warnings.emplace_back("P or U is not finite");
        return;
    }
    if (solved.report.proof) {
        std::vector<std::string> names;
        for (const int c : solved.report.proof->interactions) {
            names.push_back(fmt::format("interaction {}", c));
        }
        solved.warnings.push_back(in_words(*solved.report.proof, names));
    } else if (!solved.solved()) {
        solved.warnings.push_back(errors_in_words(solved.check, tolerance));
    }
    if (!solved.solved() && !solved.report.proof && !solved.check.carriers.empty()) {
        solved.warnings.push_back(fmt::format("{} of {} interactions hold 90 % of the residual: {}",
                                              solved.check.carriers.size(), problem.interactions(),
                                              carriers_in_words(solved.check)));
    }

    // a residual that hides an error a thousand times larger proves little (OS-8)
    solved.hidden_velocity_error = hidden_velocity_error(problem, solved.P);
    if (solved.hidden_velocity_error.value_or(0) > 1000 * std::max(tolerance, solved.check.unit_free)) {
        solved.warnings.push_back(fmt::format("the residual is small, but the error may not be: velocities "
                                              "may still change by {:.1e} of their size",
                                              *solved.hidden_velocity_error));
    }
}

SolvedProblem solve_problem(const OneStepProblem& problem, const SolveTask& task)
{
    SolvedProblem solved = solve_errors_only(problem, task);
    examine(problem, task.settings.tolerance, solved);
    return solved;
}

}  // namespace carom
