#pragma once

#include "solver/flat_problem.hpp"

#include <span>
#include <vector>

namespace carom {

/// Sweeps over a packed problem, contact after contact with the others held: Gauss-Seidel solves each contact
/// exactly (SO-3), PSOR takes one projection instead (SO-4). What a local solve needs of W_cc is computed
/// once.
///
/// Theory     docs/theory/solvers.md, (SO-3), (SO-4);  docs/theory/friction.md, (OC-2), (OC-3)
class Relaxation {
public:
    void load(const FlatProblem& problem);

    /// One Gauss-Seidel sweep in place; `relaxation` in (0, 2), 1 is the exact local solution.
    void gauss_seidel(const FlatProblem& problem, std::span<double> x, double relaxation = 1.0);

    /// One sweep of projections with the step relaxation * d / trace W_cc.
    void psor(const FlatProblem& problem, std::span<double> x, double relaxation = 1.0);

    /// The exact solution of one contact whose others give the velocity b; x is the last one.
    void solve_contact(const FlatProblem& problem, int c, const double* b, double* x);

    /// One projection of a contact whose velocity is u, percussion x in it.
    void project_step(const FlatProblem& problem, int c, const double* u, double* x) const;

private:
    /// W_cc of a contact in space with U_N = 0 eliminated (OC-3).
    struct Reduced {
        double inverse_nn;          ///< 1 / W_NN
        double a1, a2;              ///< W_NT / W_NN
        double c1, c2;              ///< W_TN / W_NN
        double S11, S12, S21, S22;  ///< W_TT - W_TN W_NT / W_NN
        double alpha;               ///< last sliding solution U_T = -alpha P_T; 0: none yet
        bool regular;               ///< S is safely positive: the quick formulas hold
    };

    template <int D>
    void psor_sweep(const FlatProblem& problem, double* x, double relaxation);
    void solve_in_space(const FlatProblem& problem, int c, const double* b, double* x);
    void solve_in_plane(const FlatProblem& problem, int c, const double* b, double* x);
    void solve_generally(const FlatProblem& problem, int c, const double* b, double* x) const;

    std::vector<Reduced> reduced_;
    std::vector<double> step_;  ///< d / trace W_cc
};

}  // namespace carom
