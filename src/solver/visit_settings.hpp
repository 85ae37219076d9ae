#pragma once

#include "carom/solver/solve.hpp"
#include "core/setting.hpp"

namespace carom {

[[nodiscard]] constexpr auto words_of(SolverKind) noexcept
{
    using enum SolverKind;
    return std::array{Word{Auto, "auto"},
                      Word{Exact, "exact"},
                      Word{GaussSeidel, "gauss_seidel"},
                      Word{Psor, "psor"},
                      Word{Anderson, "anderson"},
                      Word{NonlinearCg, "nonlinear_cg"},
                      Word{AcceleratedGradients, "accelerated_gradients"},
                      Word{Admm, "admm"},
                      Word{ProximalNewton, "proximal_newton"},
                      Word{InteriorPoint, "interior_point"}};
}

template <SettingsOf<SolverSettings> Settings, class Visit>
void visit_settings(Settings& s, const Visit& visit)
{
    visit(Setting{.path = "solver.kind", .help = "solver of the one-step problem"}, s.kind);
    visit(Setting{.path = "solver.tolerance",
                  .unit = "-",
                  .range = inside_zero_to_one,
                  .help = "largest unit-free error of a certified step"},
          s.tolerance);
    visit(Setting{.path = "solver.max_sweeps",
                  .range = {.low = 1, .high = 2147483647},
                  .help = "largest number of sweeps or iterations; a stack of n bodies needs of the order of "
                          "n^2 sweeps"},
          s.max_sweeps);
    visit(Setting{.path = "solver.relaxation",
                  .unit = "-",
                  .range = {.low = 0, .high = 2, .with_low = false, .with_high = false},
                  .help = "relaxation factor of Gauss-Seidel and PSOR"},
          s.relaxation);
}

}  // namespace carom
