#pragma once

#include "carom/solver/solve.hpp"
#include "solver/factor_sweeps.hpp"
#include "solver/natural_newton.hpp"
#include "solver/polish.hpp"
#include "solver/principal_pivoting.hpp"

#include <memory>
#include <span>
#include <vector>

namespace carom {

/// Memory of the methods for packed problems; made on its first use.
class MethodScratch {
public:
    struct Memory;

    MethodScratch();
    ~MethodScratch();
    MethodScratch(MethodScratch&&) noexcept;
    MethodScratch& operator=(MethodScratch&&) noexcept;

    [[nodiscard]] Memory& memory();

private:
    std::unique_ptr<Memory> memory_;
};

/// An island with another solution.
struct OtherMotion {
    std::vector<int> interactions;
    double difference_m_s = 0;  ///< largest difference of a component of the local velocities
    bool wedged = false;  ///< in the other solution nothing moves at these contacts, whatever drives them
};

/// Memory of the rule; made on its first use.
class Selector {
public:
    struct Memory;

    Selector();
    ~Selector();
    Selector(Selector&&) noexcept;
    Selector& operator=(Selector&&) noexcept;

    [[nodiscard]] Memory& memory();

    /// Of the last solve.
    [[nodiscard]] std::span<const OtherMotion> others() const noexcept { return others_; }
    std::vector<OtherMotion> others_;

private:
    std::unique_ptr<Memory> memory_;
};

/// Memory that solves reuse from step to step.
struct SolverScratch {
    PrincipalPivoting pivoting;
    Polisher polisher;
    NaturalNewton natural_newton;
    ResidualScratch residual;
    std::vector<double> best_P;
    std::vector<double> P_before;  ///< of a method that may lose them
    FactorSweeps factor_sweeps;
    MethodScratch methods;
    bool had_no_solution = false;  ///< of the last problem: then the proof is tried first
    Selector selector;
};

[[nodiscard]] SolveReport solve(const OneStepProblem& problem, const SolverSettings& settings,
                                std::span<double> P, SolverScratch& scratch);

/// The same, and where several percussions solve the problem, those of the rule (SO-31), whatever the solver;
/// P holds those of the step before.
[[nodiscard]] SolveReport solve_selected(const OneStepProblem& problem, const SolverSettings& settings,
                                         std::span<double> P, SolverScratch& scratch);

/// Block Gauss-Seidel with exact local solves (SO-3), and projected relaxation (SO-4) for any law; both
/// return the number of sweeps.
int sweep_gauss_seidel(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
                       SolverScratch& scratch);
int sweep_psor(const OneStepProblem& problem, const SolverSettings& settings, std::span<double> P,
               SolverScratch& scratch);

}  // namespace carom
