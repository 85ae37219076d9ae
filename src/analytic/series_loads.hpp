#pragma once

#include <Eigen/Dense>

#include <optional>
#include <vector>

namespace carom::detail {

/// Loads of contacts at rest that are not determined: some that lie strictly inside all friction cones.
///
/// Theory     docs/theory/series.md, (PS-20)

/// Loads that a contact can carry at rest: r_N > 0 with low bound r_N < r_T < high bound r_N in the plane,
/// |r_T| < bound r_N in space; of a frictionless contact r_N > 0 alone.
struct LoadCone {
    int offset = 0;     ///< of its normal row; those of the tangents follow
    int dimension = 1;  ///< 1: frictionless
    double bound = 0;   ///< coefficient of friction; infinite: any r_T
    double low = -1, high = 1;
};

/// Loads r with W r = -e, all rows of which belong to `cones`, that are strictly inside; none where there are
/// none, or where nothing has to be carried. Of all such loads those near the shortest.
[[nodiscard]] std::optional<Eigen::VectorXd> loads_inside(const Eigen::MatrixXd& W, const Eigen::VectorXd& e,
                                                          const std::vector<LoadCone>& cones);

}  // namespace carom::detail
