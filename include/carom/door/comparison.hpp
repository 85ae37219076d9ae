#pragma once

#include "carom/door/problem.hpp"

namespace carom {

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
