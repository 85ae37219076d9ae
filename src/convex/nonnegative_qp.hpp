#pragma once

#include <Eigen/Core>

#include <span>

namespace carom {

/// The dense quadratic programme behind every polyhedral set: minimise  1/2 x.W x + b.x  over x >= 0,
///     0 <= x  perp  w = W x + b >= 0          and w_i = 0 where x_i is free,
/// W symmetric positive semidefinite, singular where constraints are redundant.
///
/// Symbols    x  multipliers (percussions);  w  gradient (relative velocities);  W  Delassus matrix
/// Method     principal pivoting: the most violated w_j drives x_j up while the passive components keep
///            w = 0; one that reaches zero leaves. A candidate that depends on the passive ones moves along
///            the null direction. Finite: least index after a number of steps without progress.
///            Meant for some hundred unknowns: a pivot costs O(n^2).
/// Units      rows are equilibrated by exact powers of two, so units of single rows do not matter
/// Theory     docs/theory/convex_sets.md, (CS-9) programme, (CS-10) complementarity, (CS-11) rays
/// Papers     the remark that ends M83 Sec. 5 poses it; pivoting is textbook

/// How a solve ended. Only `Solved` promises complementarity to roundoff.
enum class QpStatus {
    Solved,
    Unbounded,   ///< d >= 0 with W d = 0 and b.d < 0 exists: no x makes w >= 0; x is the last admissible
                 ///< iterate
    PivotLimit,  ///< x is the last admissible iterate
    NotFinite,   ///< W, b or the start holds NaN or infinity; x is unchanged
};

struct NonnegativeQpReport {
    QpStatus status = QpStatus::PivotLimit;
    int pivots = 0;  ///< components that entered or left the passive set after the start
};

/// Solve for `x`. `is_free` marks components without sign (equality rows); empty: none is free. On entry x is
/// the warm start: its positive components are the first passive set; zero is the cold start.
NonnegativeQpReport solve_nonnegative_qp(const Eigen::Ref<const Eigen::MatrixXd>& W,
                                         const Eigen::Ref<const Eigen::VectorXd>& b,
                                         std::span<const char> is_free, Eigen::Ref<Eigen::VectorXd> x);

/// The same, and the proof that there is no solution: with status `Unbounded`, `ray` is the direction d of
/// (CS-11), largest component 1; otherwise zero.
NonnegativeQpReport solve_nonnegative_qp(const Eigen::Ref<const Eigen::MatrixXd>& W,
                                         const Eigen::Ref<const Eigen::VectorXd>& b,
                                         std::span<const char> is_free, Eigen::Ref<Eigen::VectorXd> x,
                                         Eigen::Ref<Eigen::VectorXd> ray);

/// The same programme with W = F^T F, b = -F^T z, given by F (one generator per column): the nearest point of
/// the cone { F x : x >= 0 } to z. Works on an orthogonal basis instead of W and so resolves angles between
/// columns down to 1e-12 where W alone would resolve 1e-7. `remainder` gets z - F x, orthogonal to the
/// passive columns to roundoff even where x is large. Never `Unbounded`.
NonnegativeQpReport solve_nonnegative_least_squares(const Eigen::Ref<const Eigen::MatrixXd>& F,
                                                    const Eigen::Ref<const Eigen::VectorXd>& z,
                                                    std::span<const char> is_free,
                                                    Eigen::Ref<Eigen::VectorXd> x,
                                                    Eigen::Ref<Eigen::VectorXd> remainder);

}  // namespace carom
