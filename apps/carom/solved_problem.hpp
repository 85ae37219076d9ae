#pragma once

#include "carom/onestep/fclib.hpp"
#include "carom/onestep/solution_check.hpp"
#include "carom/solver/solve.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carom::app {

/// A problem file, read.
struct ProblemFile {
    std::string path;
    FclibProblem stored;
    LoadedProblem loaded;
};

/// What is known after a solve: all of it from the percussions, nothing from the solver but its counts.
struct SolvedProblem {
    const ProblemFile* file = nullptr;
    SolveReport report;
    std::string status;  ///< "solved": is_solved(), and Siconos' error too; else how the solve ended
    double time_s = 0;   ///< processor time of the solve, the best of the repetitions
    std::vector<double> P;
    SolutionCheck check;
    OperatorCheck W;
    std::optional<double> hidden_velocity_error;
    std::vector<std::string> warnings;

    [[nodiscard]] bool solved() const { return status == "solved"; }
};

/// How to solve.
struct SolveTask {
    SolverSettings settings;
    int repetitions = 1;  ///< each from P = 0; the quickest counts
};

/// Errors: UnknownName, with the names there are.
[[nodiscard]] Expected<SolverKind> solver_named(const std::string& name);

[[nodiscard]] Expected<ProblemFile> read_problem(const std::string& path);

/// Solves from P = 0. Where the unit-free error is met and Siconos' is not, goes on from there with a
/// smaller tolerance. Only the errors are checked.
[[nodiscard]] SolvedProblem solve_problem(const ProblemFile& file, const SolveTask& task);

/// Looks at W and at what the residual may hide, and puts warnings into words.
void examine(SolvedProblem& solved, double tolerance);

/// A table for people, with what was found below it.
[[nodiscard]] std::string summary(const std::vector<SolvedProblem>& problems);

/// One JSON object: that of the problem when there is one, else {status, problems}.
[[nodiscard]] std::string to_json(const std::vector<SolvedProblem>& problems);

}  // namespace carom::app
