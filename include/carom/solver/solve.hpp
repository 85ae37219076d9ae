#pragma once

#include "carom/onestep/residual.hpp"
#include "carom/solver/polish.hpp"
#include "carom/solver/principal_pivoting.hpp"

#include <string_view>

namespace carom {

/// Solving the one-step problem. `solve` chooses, the named solvers do the work; all of them take the warm
/// start in P and leave the answer there.
///
/// Theory     docs/theory/solvers.md, (SO-1) principal pivoting, (SO-2) proximal point, (SO-3) Gauss-Seidel,
///            (SO-4) PSOR, (SO-5) polishing

enum class SolverKind {
    Auto,   ///< the exact solver without friction; with it Gauss-Seidel, polished, and PSOR where it stalls
    Exact,  ///< block principal pivoting inside a proximal point iteration; with friction as `Auto`
    GaussSeidel,  ///< block Gauss-Seidel with exact local solves
    Psor,         ///< projected relaxation: one projection per interaction and sweep
};

/// The name used in scenes and reports, e.g. "gauss_seidel".
[[nodiscard]] std::string_view name_of(SolverKind kind) noexcept;

struct SolverSettings {
    SolverKind kind = SolverKind::Auto;
    double tolerance = 1e-8;  ///< unit-free error e_d, docs/theory/one_step_problem.md; > 0
    int max_sweeps =
        10000;  ///< of Gauss-Seidel and PSOR; >= 1; a stack of n bodies needs of the order of n^2
    double relaxation = 1.0;  ///< of Gauss-Seidel and PSOR; in (0, 2)
};

[[nodiscard]] Expected<void> check(const SolverSettings& settings);

/// How a solve ended. Only `Converged` promises `residual.unit_free <= tolerance`.
enum class SolveStatus { Converged, NotSolved, NotFinite };

[[nodiscard]] std::string_view name_of(SolveStatus status) noexcept;

struct SolveReport {
    SolveStatus status = SolveStatus::NotSolved;
    SolverKind solver = SolverKind::Auto;
    int iterations = 0;  ///< factorisations of the exact solver, sweeps of the others
    Residual residual;   ///< of the returned P, by residual(problem, P): never the solver's own
};

/// Memory that solves reuse from step to step.
struct SolverScratch {
    PrincipalPivoting pivoting;
    Polisher polisher;
    ResidualScratch residual;
    std::vector<double> best_P;
};

[[nodiscard]] SolveReport solve(const OneStepProblem& problem, const SolverSettings& settings,
                                std::span<double> P, SolverScratch& scratch);
[[nodiscard]] SolveReport solve(const OneStepProblem& problem, const SolverSettings& settings,
                                std::span<double> P);

/// Block Gauss-Seidel with exact local solves (SO-3), and projected relaxation (SO-4); both return the number
/// of sweeps.
int sweep_gauss_seidel(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                       SolverScratch& scratch);
int sweep_psor(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
               SolverScratch& scratch);

}  // namespace carom
