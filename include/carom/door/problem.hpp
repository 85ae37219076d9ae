#pragma once

#include "carom/onestep/fclib.hpp"
#include "carom/onestep/solution_check.hpp"
#include "carom/solver/solve.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carom {

/// One-step problems in files, solved and proved: what `carom solve` says of them.

/// A problem file, read.
struct ProblemFile {
    std::string path;
    FclibProblem stored;
    LoadedProblem loaded;
};

[[nodiscard]] Expected<ProblemFile> read_problem(const std::string& path);

/// What is known after a solve: all of it from the percussions, nothing from the solver but its counts.
struct SolvedProblem {
    SolveReport report;
    std::string status;        ///< "solved": is_solved(), and Siconos' error too; else how the solve ended
    double time_s = 0;         ///< processor time of the solve, the best of the repetitions
    std::vector<double> P, U;  ///< percussions, N s, and velocities W P + U_free, m/s
    SolutionCheck check;       ///< errors and estimates, by code that no solver uses
    OperatorCheck W;           ///< of the operator, by `examine`; so are the two below
    std::optional<double> hidden_velocity_error;
    std::vector<std::string> warnings;

    [[nodiscard]] bool solved() const { return status == "solved"; }
};

/// How to solve.
struct SolveTask {
    SolverSettings settings;
    int repetitions = 1;  ///< each from P = 0; the quickest counts
};

/// The solver of that name. Errors: UnknownName, with the names there are.
[[nodiscard]] Expected<SolverKind> solver_named(const std::string& name);

/// Solves from P = 0. Where the unit-free error is met and Siconos' is not, goes on from there with a
/// smaller tolerance. Only the errors are checked.
[[nodiscard]] SolvedProblem solve_errors_only(const OneStepProblem& problem, const SolveTask& task);

/// Looks at W and at what the residual may hide, and puts warnings into words.
void examine(const OneStepProblem& problem, double tolerance, SolvedProblem& solved);

/// Both: solved, proved, examined.
[[nodiscard]] SolvedProblem solve_problem(const OneStepProblem& problem, const SolveTask& task = {});

}  // namespace carom
