#pragma once

#include "core/dense.hpp"

namespace carom::detail {

/// Columns that span the kernel of C, orthonormal.
[[nodiscard]] inline Eigen::MatrixXd kernel_of(const Eigen::MatrixXd& C)
{
    if (C.rows() == 0) return Eigen::MatrixXd::Identity(C.cols(), C.cols());
    const Svd svd(C, Eigen::ComputeFullU | Eigen::ComputeFullV);
    return svd.V().rightCols(C.cols() - svd.rank_above(1e-10 * svd.values()[0]));
}

}  // namespace carom::detail
