#pragma once

#include "carom/solver/solve.hpp"
#include "solver/accelerated.hpp"
#include "solver/interior_point.hpp"
#include "solver/newton.hpp"
#include "solver/splitting.hpp"

#include <span>
#include <vector>

namespace carom {

/// The choice of methods for one packed problem, by its size and by what the errors do (SO-19):
///
///     sweeps              while they are on their way to the end
///     splitting           where a factor is dense, so that solves are far cheaper than factorisations
///     proximal Newton     from the point that the sweeps left
///     interior point      where Newton stalls; Newton finishes
///     sweeps and Newton   in turn: sweeps repair the statuses that stop Newton
///     drift               PSOR with extrapolation, and Newton from where it settles
///
/// Decisions are by counts and errors, never by the clock: the same problem takes the same way everywhere.
///
/// Theory     docs/theory/solvers.md, (SO-19)
class Automatic {
public:
    /// Solves in place from x; `budget.max_iterations` bounds the sweeps. x becomes the best point seen,
    /// taken on to roundoff by Newton's method where that is asked and works.
    void run(const FlatProblem& problem, const Budget& budget, std::span<double> x, bool to_roundoff = false);

    /// One method alone; returns its iterations. `relaxation` is for Gauss-Seidel and PSOR.
    int run_one(const FlatProblem& problem, SolverKind kind, double relaxation, const Budget& budget,
                std::span<double> x);

    /// What the last run did.
    struct Work {
        int sweeps = 0;
        int factorisations = 0;
        int splittings = 0;
        double error = 0;  ///< both norms
        int rank = 0;      ///< how far it had to go: the place of `solver` in the list above
        SolverKind solver = SolverKind::GaussSeidel;  ///< that met the tolerance, or came last
    };
    [[nodiscard]] const Work& work() const noexcept { return work_; }

private:
    [[nodiscard]] bool done(const FlatProblem& problem, const Budget& budget, std::span<const double> x,
                            SolverKind by);
    bool begin_with_sweeps(const FlatProblem& problem, const Budget& budget, std::span<double> x);
    bool factorising(const FlatProblem& problem, const Budget& budget, std::span<double> x);
    bool alternating(const FlatProblem& problem, const Budget& budget, std::span<double> x);
    [[nodiscard]] bool is_exact(const FlatProblem& problem, std::span<const double> x);
    void finish(const FlatProblem& problem, std::span<double> x);
    void drifting(const FlatProblem& problem, const Budget& budget, std::span<double> x);

    BlockLu lu_;
    bool affordable_ = true;  ///< a factorisation is
    bool analysed_ = false;   ///< this problem is
    Relaxation relaxation_;
    PlainSweeps plain_;
    Anderson anderson_;
    NonlinearCg conjugate_;
    AcceleratedGradients gradients_;
    ProximalNewton newton_;
    InteriorPoint interior_;
    Admm admm_;
    DriftingPsor drift_;
    std::vector<double> u_, trial_, start_;
    Work work_;
};

}  // namespace carom
