#pragma once

#include "carom/convex/convex_set.hpp"

namespace carom::detail {

/// { y : n_i.y <= b_i }, the first `equalities` of them n_i.y = b_i. Columns of zeros restrict nothing where
/// b_i >= 0 and make the set empty otherwise.
struct Inequalities {
    Eigen::MatrixXd normals;  ///< one column per inequality, of any length
    Eigen::VectorXd bounds;
    Eigen::Index equalities = 0;
};

/// Nearest point in a metric by a finite active set method (CS-16). `NotConverged` if the set is empty.
ProxStatus nearest(const Inequalities& set, const Metric& metric, const Eigen::Ref<const Eigen::VectorXd>& z,
                   Eigen::VectorXd& x);

/// max { p.y : y in the set }, +infinity where there is no bound (CS-20). NaN if the set is empty.
[[nodiscard]] double support(const Inequalities& set, const Eigen::Ref<const Eigen::VectorXd>& p);

}  // namespace carom::detail
