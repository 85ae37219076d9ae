#include "carom/convex/polyhedra.hpp"

#include "convex/nonnegative_qp.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom {

Expected<Polytope> Polytope::from_vertices(const Eigen::Ref<const Eigen::MatrixXd>& vertices)
{
    Error error{.code = ErrorCode::WrongSize,
                .where = "Polytope",
                .message = fmt::format("the vertices are {} x {}", vertices.rows(), vertices.cols()),
                .hint = "give at least one vertex, one per row, of finite components",
                .excerpt = {}};
    if (vertices.size() == 0) return error;
    if (!vertices.allFinite()) {
        error.code = ErrorCode::NotFinite;
        error.message = "a vertex is not finite";
        return error;
    }
    return Polytope(vertices.transpose());
}

double Polytope::distance_to(ConstPoint v) const
{
    Eigen::VectorXd x(v.size());
    const bool found = nearest(v, Point(x.data(), x.size())) == ProxStatus::Converged;
    return found ? (v - x).norm() : std::numeric_limits<double>::infinity();
}

ProxStatus Polytope::nearest(ConstPoint z, Point x) const
{
    return nearest_in(Metric::euclidean(), z, x);
}

ProxStatus Polytope::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    // the point (0, s) on the cone of the lifted vertices (v_i - z, s): its weights are those of the hull,
    // up to one common factor (CS-17); s makes both parts of one size
    const Eigen::Index n = vertices_.rows();
    const Eigen::MatrixXd from_z = metric.whitened(vertices_.colwise() - z);
    const double reach = from_z.colwise().norm().maxCoeff();
    const double s = reach > 0 ? reach : 1;
    Eigen::MatrixXd lifted(n + 1, vertices_.cols());
    lifted.topRows(n) = from_z;
    lifted.row(n).setConstant(s);
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(vertices_.cols());
    Eigen::VectorXd remainder(n + 1);
    const auto report =
        solve_nonnegative_least_squares(lifted, s * Eigen::VectorXd::Unit(n + 1, n), {}, weights, remainder);

    // the sum of weights is at least 1 / 2, since no vertex is farther than s
    const double sum = weights.sum();
    x = vertices_.col(0);
    if (!(sum > 0)) return ProxStatus::NotConverged;
    x = vertices_ * (weights / sum);
    return report.status == QpStatus::Solved ? ProxStatus::Converged : ProxStatus::NotConverged;
}

double Polytope::support_at(ConstPoint p) const
{
    return (vertices_.transpose() * p).maxCoeff();
}

}  // namespace carom
