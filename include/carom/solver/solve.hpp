#pragma once

#include "carom/onestep/residual.hpp"
#include "carom/onestep/solution_check.hpp"

#include <atomic>
#include <optional>
#include <span>
#include <string_view>

namespace carom {

/// The solvers of one-step problems by name; solve.hpp runs them.

enum class SolverKind {
    Auto,         ///< chooses by the problem, monitors the errors and switches methods (SO-19)
    Exact,        ///< block principal pivoting in a proximal point iteration; with friction as `Auto`
    GaussSeidel,  ///< block Gauss-Seidel with exact local solves
    Psor,         ///< projected relaxation: one projection per interaction and sweep
    Anderson,     ///< Gauss-Seidel with guarded Anderson mixing
    NonlinearCg,  ///< Gauss-Seidel with nonsmooth nonlinear conjugate gradients
    AcceleratedGradients,  ///< projected gradients with Nesterov's extrapolation
    Admm,                  ///< splitting with a spectral penalty
    ProximalNewton,        ///< semismooth Newton in a proximal point iteration
    InteriorPoint,         ///< primal-dual, Nesterov-Todd scaling
};

/// The name used in scenes and reports, e.g. "gauss_seidel".
[[nodiscard]] std::string_view name_of(SolverKind kind) noexcept;

/// All of them, `Auto` first, in the order above.
[[nodiscard]] std::span<const SolverKind> all_solver_kinds() noexcept;

/// Which percussions are chosen where several solve the one-step problem: those that an equal, vanishing
/// compliance of all contacts selects,
///
///     P = lim P_eps,   eps -> 0,    U_eps = (W + eps D) P_eps + U_free,   -(U_eps + s) in N_C(P_eps) (SO-31)
///
/// D is the mean of the diagonal blocks of the contacts of an island, one number. Without friction, and with
/// bounds that are given, this is the solution of least norm; with friction it is a local rule, started from
/// the percussions of the previous step. Where another start leads to another motion, the report says so.
///
/// Theory     docs/theory/solvers.md, (SO-31) rule, (SO-32) how it is computed, (SO-33) when the motion is
///            the only one, (SO-34) wedged contacts

/// Islands with more components of percussions than this are not examined: dense factors cost more there than
/// the solve itself.
inline constexpr int max_examined_components = 60;

/// What was found about the uniqueness of a solution, in numbers of islands.
struct SelectionReport {
    int selected = 0;    ///< several percussions solve it, and the rule chose
    int unsettled = 0;   ///< several percussions solve it, and the rule did not settle: those of the solver
    int unexamined = 0;  ///< too large to be examined
    int several = 0;     ///< another motion solves it as well: the findings of a run say which
};

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

/// How a solve ended. Only `Converged` guarantees is_solved(residual, tolerance); `NoSolution` that there is
/// a proof of it, and percussions of the nearest problem that has a solution.
enum class SolveStatus { Converged, NotSolved, NotFinite, TimeLimit, NoSolution };

[[nodiscard]] std::string_view name_of(SolveStatus status) noexcept;

struct SolveReport {
    SolveStatus status = SolveStatus::NotSolved;
    SolverKind solver = SolverKind::Auto;  ///< that found the answer; of several islands, that of the hardest
    int iterations = 0;       ///< factorisations of the exact solver, sweeps and iterations of the others
    int factorisations = 0;   ///< among them, by `Auto`
    int islands = 0;          ///< independent parts that `Auto` solved separately; 0: not examined
    bool by_factors = false;  ///< no block of W beside the diagonal was needed
    Residual residual;        ///< of the returned P, by residual(problem, P): never the solver's own
    std::optional<NoSolutionProof> proof;  ///< with `NoSolution`
    SelectionReport selection;             ///< by solve_selected
};

[[nodiscard]] SolveReport solve(const OneStepProblem& problem, const SolverSettings& settings,
                                std::span<double> P);

}  // namespace carom
