#include "stability.hpp"

#include "core/dense.hpp"

#include <algorithm>

namespace carom::detail {

bool is_on_unit_circle(std::complex<double> m, const Eigen::MatrixXd& M, const Eigen::VectorXd& scale,
                       double residual)
{
    constexpr double accuracy = 1e-10;  // of derivatives through a period
    const double modulus = std::abs(m);
    if (!(modulus > 0)) return false;
    const std::complex<double> z = m / modulus;
    const Eigen::Index n = M.rows();
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(n, n);
    const Eigen::MatrixXd scaled = scale.cwiseInverse().asDiagonal() * M * scale.asDiagonal();
    // singular values of M - z, real and imaginary parts apart
    Eigen::MatrixXd parts(2 * n, 2 * n);
    parts << scaled - z.real() * one, z.imag() * one, -z.imag() * one, scaled - z.real() * one;
    return Svd(parts).values().minCoeff() <= std::max(accuracy, 10 * residual) * std::max(1.0, scaled.norm());
}

}  // namespace carom::detail
