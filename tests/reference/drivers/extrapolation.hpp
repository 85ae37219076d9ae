#pragma once

#include "reference_case.hpp"

#include <Eigen/Dense>

#include <functional>
#include <vector>

namespace carom::reference {

/// The limit for small steps of a first-order result: it is computed with n, 2n, 4n, ... steps, and the
/// powers of the step are taken out one after the other (Richardson). Ends when two limits in a row agree to
/// `tolerance`; a result that has no such powers, as at a kink within the run, is a DriverFailure.
inline Eigen::VectorXd converged_by_halving(const std::function<Eigen::VectorXd(int steps)>& result, int n,
                                            double tolerance = 1e-12)
{
    constexpr int max_halvings = 10;
    std::vector<Eigen::VectorXd> row, last;
    for (int k = 0; k <= max_halvings; ++k) {
        row = {result(n << k)};
        for (std::size_t j = 0; j < last.size(); ++j) {
            const double power = static_cast<double>(1 << (j + 1));
            row.push_back(row[j] + (row[j] - last[j]) / (power - 1));
        }
        if (k > 0 && (row.back() - last.back()).norm() <= tolerance * (1 + row.back().norm()))
            return row.back();
        last = row;
    }
    throw DriverFailure("the results for smaller and smaller steps have no limit to this accuracy");
}

}  // namespace carom::reference
