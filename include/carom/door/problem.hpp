#pragma once

#include "carom/onestep/fclib.hpp"
#include "carom/onestep/solution_check.hpp"
#include "carom/solver/solve.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carom {

/// One-step problems from files, solved and verified: what `carom solve` reports.

/// A problem file, read.
struct ProblemFile {
    std::string path;
    FclibProblem stored;
    LoadedProblem loaded;
};

[[nodiscard]] Expected<ProblemFile> read_problem(const std::string& path);

/// What is known after a solve: computed from the percussions; only the counts come from the solver.
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
    int repetitions = 1;  ///< each from P = 0; the fastest is reported
};

/// The solver of that name. Errors: UnknownName, which lists the known names.
[[nodiscard]] Expected<SolverKind> solver_named(const std::string& name);

/// Solves from P = 0. Where the unit-free error is met and Siconos' error is not, continues from there with a
/// smaller tolerance. Only the errors are checked.
[[nodiscard]] SolvedProblem solve_errors_only(const OneStepProblem& problem, const SolveTask& task);

/// Examines W and what the residual may hide, and writes the warnings.
void examine(const OneStepProblem& problem, double tolerance, SolvedProblem& solved);

/// Both: solve, verify, examine.
[[nodiscard]] SolvedProblem solve_problem(const OneStepProblem& problem, const SolveTask& task = {});

/// All solvers on the same problems, and their performance profile [Dolan More 2002]: for each solver the
/// fraction of the problems that it solves within a factor of the fastest solver of that problem.

struct ComparedRun {
    std::size_t problem = 0, solver = 0;
    std::string status;
    double time_s = 0;
    double unit_free = 0, siconos = 0;
    int iterations = 0;

    [[nodiscard]] bool solved() const { return status == "solved"; }
};

struct Comparison {
    std::vector<std::string> problems, solvers;
    std::vector<int> contacts;      ///< per problem
    std::vector<ComparedRun> runs;  ///< problem by problem, solvers in their order

    [[nodiscard]] const ComparedRun& run(std::size_t problem, std::size_t solver) const
    {
        return runs[problem * solvers.size() + solver];
    }
};

/// One line of the profile: the fraction solved within each factor.
struct ProfileLine {
    std::string solver;
    std::vector<double> part;
};

struct Profile {
    std::vector<double> factors;  ///< 1, 2, 5, 10, ... as far as any solver needs
    std::vector<ProfileLine> lines;
};

[[nodiscard]] Comparison compare_solvers(const std::vector<ProblemFile>& files, const SolveTask& task);

/// Factors at which a fraction changes, and round values between them.
[[nodiscard]] Profile profile_of(const Comparison& comparison);

/// How many times slower than the fastest solver of the problem; infinite where it failed.
[[nodiscard]] double ratio_of(const Comparison& comparison, std::size_t problem, std::size_t solver);

}  // namespace carom
