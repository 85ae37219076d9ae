#pragma once

#include "solver/block_lu.hpp"
#include "solver/budget.hpp"

#include <span>
#include <vector>

namespace carom {

/// Primal-dual interior point method with Nesterov-Todd scaling for
///
///     x = (mu P_N, P_T) in L,   z = (v_N, mu v_T) in L,   x o z = tau e,   W P + q + mu |v_T| e_N = v
///     (SO-11)
///
/// with Lorentz cones L, v the velocity with de Saxce's shift and tau driven to zero. The shift is linearised
/// with the rest. Needs few iterations whatever the rank of W; the last digits are for Newton's method.
///
/// Theory     docs/theory/solvers.md, (SO-11) equations, (SO-12) scaling, (SO-13) steps
/// Papers     [NesterovTodd 1998], [Mehrotra 1992], [AcaryArmandNguyen 2022]
class InteriorPoint {
public:
    /// `lu` has analysed the problem and serves until the next load.
    void load(const FlatProblem& problem, BlockLu& lu);

    /// From x until the budget is used up or the error falls no more; x becomes the best point seen. Returns
    /// the iterations.
    int run(const FlatProblem& problem, const Budget& budget, std::span<double> x);

private:
    /// One cone: scaling matrix, scaled point and step.
    struct Cone {
        double T[9], T2[9], T_inverse[9];
        double lambda[3], x[3], z[3], dx[3], dz[3];
    };

    void start(const FlatProblem& problem, std::span<const double> x);
    void scale(const FlatProblem& problem, int c);
    void assemble(const FlatProblem& problem);
    void solve_step(const FlatProblem& problem, double target, bool corrector);
    [[nodiscard]] double step_length(const FlatProblem& problem) const;
    [[nodiscard]] double complementarity(const FlatProblem& problem, double step) const;
    [[nodiscard]] int cone_size(const FlatProblem& problem, int c) const noexcept;

    BlockLu* lu_ = nullptr;
    std::vector<Cone> cones_;
    std::vector<double> r_, v_, p_, dr_, dv_, trial_, u_;
    std::vector<double> shift_;  ///< (I - N) S_z^-1, block by block
};

}  // namespace carom
