#pragma once

#include "carom/onestep/no_solution.hpp"
#include "carom/onestep/residual.hpp"
#include "carom/solver/selection.hpp"
#include "carom/solver/solver_kind.hpp"

#include <atomic>
#include <optional>
#include <span>
#include <string_view>

namespace carom {

/// Solving the one-step problem. `solve` chooses, the named solvers do the work; all of them take the warm
/// start in P and leave the answer there.
///
/// Theory     docs/theory/solvers.md: (SO-1) to (SO-22), each solver with its section

/// Sweeps for a single hard problem, outside of a run.
inline constexpr int patient_sweeps = 20'000'000;

struct SolverSettings {
    SolverKind kind = SolverKind::Auto;
    double tolerance = 1e-8;  ///< of is_solved(), docs/theory/one_step_problem.md (OS-10); > 0
    int max_sweeps = 10000;   ///< of relaxations, or iterations of other methods; >= 1; a stack of n bodies
                              ///< needs of the order of n^2 sweeps
    double relaxation = 1.0;  ///< of Gauss-Seidel and PSOR; in (0, 2)
    double time_limit_s = 0;  ///< ends a solve, affects nothing else; 0: none
    const std::atomic<bool>* stop = nullptr;  ///< when it becomes true, by a signal for example, a solve ends
                                              ///< unsolved; a run then ends before the step, not after it

    [[nodiscard]] bool is_stopped() const noexcept
    {
        return stop != nullptr && stop->load(std::memory_order_relaxed);
    }
};

[[nodiscard]] Expected<void> check(const SolverSettings& settings);

/// How a solve ended. Only `Converged` promises is_solved(residual, tolerance); `NoSolution` that there is a
/// proof of it, and percussions of the nearest problem that has a solution.
enum class SolveStatus { Converged, NotSolved, NotFinite, TimeLimit, NoSolution };

[[nodiscard]] std::string_view name_of(SolveStatus status) noexcept;

struct SolveReport {
    SolveStatus status = SolveStatus::NotSolved;
    SolverKind solver = SolverKind::Auto;  ///< that found the answer; of several islands, that of the hardest
    int iterations = 0;      ///< factorisations of the exact solver, sweeps and iterations of the others
    int factorisations = 0;  ///< among them, by `Auto`
    int islands = 0;         ///< independent parts that `Auto` solved separately; 0: not examined
    Residual residual;       ///< of the returned P, by residual(problem, P): never the solver's own
    std::optional<NoSolutionProof> proof;  ///< with `NoSolution`
    SelectionReport selection;             ///< by solve_selected
};

[[nodiscard]] SolveReport solve(const OneStepProblem& problem, const SolverSettings& settings,
                                std::span<double> P);

}  // namespace carom
