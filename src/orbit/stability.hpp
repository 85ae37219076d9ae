#pragma once

#include <Eigen/Dense>

#include <complex>

namespace carom::detail {

/// Whether a multiplier m of M, derivatives of (q, u) by (q, u), is on the unit circle to within rounding: a
/// matrix as near to M as its rounding has the eigenvalue m/|m| (OR-29). `scale` are sizes of q and u, and
/// `residual` is what the closure of the orbit has left.
[[nodiscard]] bool is_on_unit_circle(std::complex<double> m, const Eigen::MatrixXd& M,
                                     const Eigen::VectorXd& scale, double residual);

}  // namespace carom::detail
