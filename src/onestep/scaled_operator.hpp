#pragma once

#include "carom/onestep/problem.hpp"

#include <Eigen/SparseCore>

namespace carom::detail {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// W as one sparse matrix.
[[nodiscard]] SparseMatrix plain_operator(const OneStepProblem& problem);

/// d_c W_cc' d_c' of (OS-5): diagonal blocks of size one.
[[nodiscard]] SparseMatrix scaled_operator(const OneStepProblem& problem);

}  // namespace carom::detail
