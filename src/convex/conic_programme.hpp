#pragma once

#include <Eigen/Core>

#include <vector>

namespace carom::detail {

/// Minimise  1/2 y.P y + q.y  where  E y = e  and  h - G y  lies in a product of second-order cones (CS-21):
/// each block of rows of G has a first component that is at least the length of the others; a block of one
/// row is an inequality. P symmetric positive semidefinite, zero for a linear objective.
///
/// Method     primal-dual interior point, scaled so that slack and multiplier become one vector,
///            predictor and corrector;
///            dense, meant for some hundred unknowns
/// Theory     docs/theory/convex_sets.md, (CS-21) programme, (CS-22) gap and what it proves
struct ConicProgramme {
    Eigen::MatrixXd P;
    Eigen::VectorXd q;
    Eigen::MatrixXd E;
    Eigen::VectorXd e;
    Eigen::MatrixXd G;
    Eigen::VectorXd h;
    std::vector<Eigen::Index> blocks;  ///< numbers of rows of G, each at least 1
};

/// The best iterate. What it proves is measured from it: slack and multipliers are inside their cones, so the
/// objective is at most `gap` above the minimum up to the residuals.
struct ConicSolution {
    Eigen::VectorXd y;
    Eigen::VectorXd slack;        ///< h - G y up to the residual, inside the cones
    Eigen::VectorXd multipliers;  ///< of the rows of G, inside the cones
    double gap = 0;               ///< slack.multiplier
    double residual = 0;          ///< greatest violation of stationarity, equations and slack
};

/// u_0 - |u_1|: positive inside the cone.
[[nodiscard]] inline double margin(const Eigen::Ref<const Eigen::VectorXd>& u)
{
    return u[0] - u.tail(u.size() - 1).norm();
}

/// Data of size one are expected: the caller scales.
[[nodiscard]] ConicSolution solve_conic_programme(const ConicProgramme& programme);

/// Newton's method on the equations of the blocks that are active in `solution` (CS-23). Returns the result
/// if it satisfies all conditions of the minimum better than `solution` does, which is returned otherwise.
[[nodiscard]] ConicSolution polished(const ConicProgramme& programme, const ConicSolution& solution);

}  // namespace carom::detail
