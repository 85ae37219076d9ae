#pragma once

#include <Eigen/QR>

#include <algorithm>
#include <utility>

namespace carom::detail {

/// How a fixed point iteration ended: `residual` is |T(v) - v| at the returned v.
struct FixedPointReport {
    bool converged = false;
    int evaluations = 0;
    double residual = 0;
};

/// v = T(v) for a non-expansive T, in place. Steps combine the last differences so that the linear part of
/// the residual vanishes (Anderson); one that makes the residual grow is thrown away for the plain step v <-
/// T(v). Ends when |T(v) - v| <= tolerance.
template <class Map>
FixedPointReport accelerated_fixed_point(Map&& T, double tolerance, Eigen::VectorXd& v, int max_evaluations)
{
    const Eigen::Index n = v.size();
    const Eigen::Index depth = std::min<Eigen::Index>(n, 8);
    Eigen::MatrixXd residual_steps(n, depth), image_steps(n, depth);
    Eigen::Index kept = 0, next_column = 0;
    FixedPointReport report;
    Eigen::VectorXd image = T(v), residual = image - v;
    for (report.evaluations = 1;; ++report.evaluations) {
        report.residual = residual.norm();
        report.converged = report.residual <= tolerance;
        if (report.converged || report.evaluations >= max_evaluations) return report;

        // the combined step, or the plain one while nothing is known
        Eigen::VectorXd trial = image;
        if (kept > 0) {
            Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
            cod.setThreshold(1e-10);  // differences that point the same way count once
            cod.compute(residual_steps.leftCols(kept));
            const Eigen::VectorXd combined = image_steps.leftCols(kept) * cod.solve(residual).eval();

            // differences that are roundoff would send the step anywhere
            constexpr double longest = 1e4;
            if (combined.norm() <= longest * report.residual) {
                trial -= combined;
            } else {
                kept = next_column = 0;
            }
        }
        Eigen::VectorXd trial_image = T(trial);
        if (kept > 0 && !((trial_image - trial).norm() < report.residual)) {
            trial = image;
            trial_image = T(trial);
            ++report.evaluations;
            kept = next_column = 0;
        }
        const Eigen::VectorXd trial_residual = trial_image - trial;
        residual_steps.col(next_column) = trial_residual - residual;
        image_steps.col(next_column) = trial_image - image;
        next_column = (next_column + 1) % depth;
        kept = std::min(kept + 1, depth);
        v = trial;
        image = trial_image;
        residual = trial_residual;
    }
}

}  // namespace carom::detail
