#pragma once

#include "solver/budget.hpp"
#include "solver/relaxation.hpp"

#include <array>
#include <span>
#include <vector>

namespace carom {

/// Methods around one sweep G of a relaxation, with f = G(x) - x. Each runs from x, leaves the best point
/// seen there and returns its sweeps.
///
/// Theory     docs/theory/solvers.md, (SO-14) Anderson, (SO-15) nonlinear conjugate gradients, (SO-16) drift
/// Papers     [Anderson 1965], [WalkerNi 2011], [SilcowitzNiebeErleben 2010]

enum class Sweep { GaussSeidel, Psor };

/// Plain sweeps, one kind or the other.
class PlainSweeps {
public:
    int run(const FlatProblem& problem, Relaxation& relaxation, Sweep sweep, double omega,
            const Budget& budget, std::span<double> x);

private:
    std::vector<double> u_, best_;
};

/// Anderson's mixing of the last sweeps, guarded: where |f| doubles, the plain sweep is taken and the past
/// forgotten (SO-14).
class Anderson {
public:
    static constexpr int memory = 10;

    int run(const FlatProblem& problem, Relaxation& relaxation, Sweep sweep, const Budget& budget,
            std::span<double> x);

private:
    void mix(int columns, std::span<double> x);

    std::vector<double> G_, f_, G_last_, f_last_, u_, point_;
    std::array<std::vector<double>, memory> dF_, dG_;
    std::array<double, std::size_t{memory} * memory> normal_{};
    std::array<double, memory> gamma_{};
};

/// Nonsmooth nonlinear conjugate gradients (SO-15): cheap, and the choice for many contacts at moderate
/// accuracy.
class NonlinearCg {
public:
    int run(const FlatProblem& problem, Relaxation& relaxation, const Budget& budget, std::span<double> x);

private:
    std::vector<double> G_, f_, direction_, u_, point_;
};

/// PSOR with extrapolation of its drift (SO-16): where the error stays and x moves on steadily, it goes
/// further the same way, settles, and returns where that made the error larger. The error may rise for long
/// before it falls, so the way is followed from where it was left and the best point is kept beside it.
class DriftingPsor {
public:
    /// Begins at x.
    void begin(const FlatProblem& problem, std::span<const double> x);

    /// Forward, on, and settling: some thousand sweeps at most, which it returns. `best` is replaced where a
    /// better point is met.
    int cycle(const FlatProblem& problem, Relaxation& relaxation, const Budget& budget,
              std::span<double> best);

    /// Where it is; a caller may move it.
    [[nodiscard]] std::span<double> point() noexcept { return point_; }

private:
    double relax(const FlatProblem& problem, Relaxation& relaxation, const Budget& budget, int count,
                 std::vector<double>& x, std::span<double> best, int& sweeps);

    double reach_ = 1, best_error_ = 0;
    std::vector<double> point_, after_, further_, u_;
};

}  // namespace carom
