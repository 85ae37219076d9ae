#include "carom/onestep/solution_check.hpp"

#include "core/dense.hpp"
#include "reaction_set.hpp"
#include "scaled_operator.hpp"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

using detail::SparseMatrix;

constexpr int max_dense_rows = 1000;
constexpr double roundoff = 1e-12;  ///< of the largest eigenvalue: below that an eigenvalue counts as zero

/// Largest eigenvalue of a symmetric matrix by the power method, to some digits: it is a scale.
double largest_eigenvalue(const SparseMatrix& S)
{
    Eigen::VectorXd x(S.rows());
    for (Eigen::Index k = 0; k < x.size(); ++k) {
        x[k] = 1 + 0.5 * std::cos(static_cast<double>(k));  // touches every direction in practice
    }
    double value = 0;
    for (int k = 0; k < 100 && x.norm() > 0; ++k) {
        x.normalize();
        const Eigen::VectorXd y = S * x;
        value = x.dot(y);
        x = y;
    }
    return value;
}

/// Eigenvalues below -shift: the negative pivots of S + shift (Sylvester's law of inertia).
int eigenvalues_below(const SparseMatrix& S, double shift)
{
    Eigen::SimplicialLDLT<SparseMatrix> factor;
    factor.setShift(shift);
    factor.compute(S);
    if (factor.info() != Eigen::Success) return 0;
    return static_cast<int>((factor.vectorD().array() < 0).count());
}

void dense_extremes(const SparseMatrix& S, OperatorCheck& check)
{
    const Eigen::VectorXd values = symmetric_eigenvalues_of(Eigen::MatrixXd(S));
    check.smallest = values[0];
    check.largest = values[values.size() - 1];
    check.negative = static_cast<int>((values.array() < -roundoff * check.largest).count());
}

/// Counts by factorisations; the smallest eigenvalue by halving the exponents between which counts change.
void sparse_extremes(const SparseMatrix& S, OperatorCheck& check)
{
    check.largest = largest_eigenvalue(S);
    check.negative = eigenvalues_below(S, roundoff * check.largest);
    if (check.negative == 0) return;
    int below = -12, above = 1;  // some eigenvalue below -10^below of the largest, none below -10^above
    while (above - below > 1) {
        const int middle = (above + below) / 2;
        (eigenvalues_below(S, std::pow(10.0, middle) * check.largest) > 0 ? below : above) = middle;
    }
    check.smallest = -std::pow(10.0, below) * check.largest;
}

}  // namespace

OperatorCheck check_operator(const OneStepProblem& problem)
{
    OperatorCheck check;
    if (problem.size() == 0) return check;
    const SparseMatrix W = detail::plain_operator(problem);
    const SparseMatrix W_transposed = W.transpose();
    const double norm = W.norm();
    if (norm > 0) check.asymmetry = SparseMatrix(W - W_transposed).norm() / norm;

    const SparseMatrix scaled = detail::scaled_operator(problem);
    const SparseMatrix transposed = scaled.transpose();
    const SparseMatrix S = 0.5 * (scaled + transposed);
    if (S.rows() <= max_dense_rows)
        dense_extremes(S, check);
    else
        sparse_extremes(S, check);
    return check;
}

}  // namespace carom
