#pragma once

#include "solver/solver_scratch.hpp"

namespace carom {

/// How problems of many bodies are solved beyond what was asked for.

/// A structure that sweeps cannot hold is solved well where it stands, or where accuracy is asked for: solved
/// to a tolerance that lets it creep, it is not at rest, and every later step has to solve it anew. Coarser
/// tolerances are for what moves anyway.
[[nodiscard]] SolverSettings thoroughly(SolverSettings settings, int interactions, bool stands);

/// A few steps of Newton's method beyond the tolerance, where factors are affordable. They square the error,
/// so a structure at rest has percussions that solve the next steps as well; an error of the size of the
/// tolerance would instead be taken on by the velocities, and be solved for again and again.
void go_to_roundoff(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                    SolverScratch& scratch, SolveReport& report);

/// Both around solves of a problem with all blocks; `stands`: its structure is at rest, or nearly (BO-26).
template <class SolveOnce>
[[nodiscard]] SolveReport solve_well(const OneStepProblem& problem, const SolverSettings& settings,
                                     bool stands, std::span<double> P, SolverScratch& scratch,
                                     const SolveOnce& solve_once)
{
    SolveReport report = solve_once(thoroughly(settings, problem.interactions(), stands));
    // what was asked for may have been reached all the same
    if (report.status == SolveStatus::NotSolved) report = solve_once(settings);
    go_to_roundoff(problem, settings, P, scratch, report);
    return report;
}

/// A problem whose operator is factors: by kernels that need no more, and where they do not lead, or methods
/// are asked for by name, with the blocks of W.
[[nodiscard]] SolveReport solve_factored(const OneStepProblem& problem, const SolverSettings& settings,
                                         std::span<double> P, SolverScratch& scratch);

}  // namespace carom
