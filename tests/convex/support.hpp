#pragma once

#include "carom/convex/metric.hpp"
#include "support/property.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <Eigen/Dense>

#include <cmath>
#include <vector>

namespace carom::test {

/// Small integers: repeated, opposite, zero and dependent vectors come up all the time, and every exact
/// coincidence is one in floating point as well.
inline Eigen::MatrixXd small_integers(int rows, int cols, int largest = 3)
{
    const auto values = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(rows * cols),
                                                              rc::gen::inRange(-largest, largest + 1));
    Eigen::MatrixXd matrix(rows, cols);
    for (int i = 0; i < rows * cols; ++i) {
        matrix(i % rows, i / rows) = values[static_cast<std::size_t>(i)];
    }
    return matrix;
}

/// Decimal fractions between -1 and 1: generic points.
inline Eigen::VectorXd fractions(int n)
{
    return small_integers(n, 1, 100000) / 1e5;
}

/// Euclidean, or B^T B + 1/4 with small integers in B: condition below about 1e3 in up to 4 dimensions.
inline Metric some_metric(int n)
{
    if (*rc::gen::inRange(0, 3) == 0) return Metric::euclidean();
    const Eigen::MatrixXd B = small_integers(n, n, 2);
    auto metric = Metric::from_matrix(B.transpose() * B + 0.25 * Eigen::MatrixXd::Identity(n, n));
    RC_ASSERT(metric.has_value());
    return *metric;
}

}  // namespace carom::test
