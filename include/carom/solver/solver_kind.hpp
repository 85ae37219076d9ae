#pragma once

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

}  // namespace carom
