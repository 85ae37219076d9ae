#include "carom/convex/polyhedra.hpp"

#include "inequalities.hpp"

#include <fmt/format.h>

#include <limits>

namespace carom {

namespace {

Error no_polyhedron(ErrorCode code, std::string message)
{
    return Error{.code = code,
                 .where = "Polyhedron",
                 .message = std::move(message),
                 .hint = "give finite rows g and bounds h, one each, that some point satisfies as g.v <= h",
                 .excerpt = {}};
}

}  // namespace

Expected<Polyhedron> Polyhedron::make(const Eigen::Ref<const Eigen::MatrixXd>& G,
                                      const Eigen::Ref<const Eigen::VectorXd>& h)
{
    if (G.cols() == 0 || G.rows() != h.size()) {
        return no_polyhedron(ErrorCode::WrongSize, fmt::format("the rows are {} x {}, the bounds {}",
                                                               G.rows(), G.cols(), h.size()));
    }
    if (!G.allFinite() || !h.allFinite()) {
        return no_polyhedron(ErrorCode::NotFinite, "a row or a bound is not finite");
    }

    // rows of length one; a row of zeros restricts nothing, or everything
    Eigen::MatrixXd normals(G.cols(), G.rows());
    Eigen::VectorXd bounds(h.size());
    Eigen::Index count = 0;
    for (Eigen::Index i = 0; i < G.rows(); ++i) {
        const double length = G.row(i).stableNorm();
        if (length > 0) {
            normals.col(count) = G.row(i).transpose() / length;
            bounds[count++] = h[i] / length;
        } else if (h[i] < 0) {
            return no_polyhedron(ErrorCode::SettingOutOfRange,
                                 fmt::format("row {} requires 0 <= {}", i + 1, h[i]));
        }
    }
    Polyhedron set(normals.leftCols(count), bounds.head(count));

    // a nearest point to the origin exists exactly if the set is not empty (CS-16)
    Eigen::VectorXd x = Eigen::VectorXd::Zero(G.cols());
    if (set.prox(x, x) != ProxStatus::Converged || !set.contains(x, 1e-9)) {
        return no_polyhedron(ErrorCode::SettingOutOfRange, "no point satisfies all inequalities");
    }
    return set;
}

double Polyhedron::size() const noexcept
{
    return bounds_.size() == 0 ? 0 : bounds_.lpNorm<Eigen::Infinity>();
}

double Polyhedron::distance_to(ConstPoint v) const
{
    // nothing violated: no programme needed
    const bool is_inside = bounds_.size() == 0 || (normals_.transpose() * v - bounds_).maxCoeff() <= 0;
    if (is_inside) return 0;
    Eigen::VectorXd x(v.size());
    const bool found = nearest(v, Point(x.data(), x.size())) == ProxStatus::Converged;
    return found ? (v - x).norm() : std::numeric_limits<double>::infinity();
}

ProxStatus Polyhedron::nearest(ConstPoint z, Point x) const
{
    return nearest_in(Metric::euclidean(), z, x);
}

ProxStatus Polyhedron::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    Eigen::VectorXd found(z.size());
    const ProxStatus status = detail::nearest({normals_, bounds_}, metric, z, found);
    x = found;
    return status;
}

double Polyhedron::support_at(ConstPoint p) const
{
    return detail::support({normals_, bounds_}, p);
}

}  // namespace carom
