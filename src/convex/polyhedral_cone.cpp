#include "carom/convex/polyhedra.hpp"
#include "convex/nonnegative_qp.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {

namespace {

/// Rows of length one, zero rows left out.
Eigen::MatrixXd unit_rows(const Eigen::MatrixXd& rows)
{
    Eigen::MatrixXd unit(rows.rows(), rows.cols());
    Eigen::Index count = 0;
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        const double length = rows.row(i).stableNorm();
        if (length > 0) unit.row(count++) = rows.row(i) / length;
    }
    return unit.topRows(count);
}

/// Worst f_i.x / |f_i| over the columns of F, at least zero: how far x is outside { x : F^T x <= 0 }.
double worst_violation(const Eigen::MatrixXd& F, const Eigen::VectorXd& x)
{
    double worst = 0;
    for (Eigen::Index i = 0; i < F.cols(); ++i) {
        const double length = F.col(i).stableNorm();
        if (length > 0) worst = std::max(worst, F.col(i).dot(x) / length);
    }
    return worst;
}

/// How far sum c_i f_i leaves the cone by negative c_i.
double worst_multiplier(const Eigen::MatrixXd& F, const Eigen::VectorXd& c)
{
    double worst = 0;
    for (Eigen::Index i = 0; i < F.cols(); ++i) {
        worst = std::max(worst, -c[i] * F.col(i).stableNorm());
    }
    return worst;
}

/// Distance of the origin to the convex hull of unit rows (CS-12): the point (0, 1) is projected on the cone
/// of the lifted rows (g, 1). With omega the wanted distance, that distance is omega / (1 + omega^2)^(1/2).
double distance_to_hull(const Eigen::MatrixXd& unit)
{
    const Eigen::Index n = unit.cols();
    Eigen::MatrixXd lifted(n + 1, unit.rows());
    lifted.topRows(n) = unit.transpose();
    lifted.row(n).setOnes();
    Eigen::VectorXd mu = Eigen::VectorXd::Zero(unit.rows());
    Eigen::VectorXd remainder(n + 1);
    solve_nonnegative_least_squares(lifted, Eigen::VectorXd::Unit(n + 1, n), {}, mu, remainder);
    const double distance = std::min(remainder.norm(), 1.0);
    const double omega = distance / std::sqrt(std::max(1 - distance * distance, 0.0));
    return std::min(omega, 1.0);
}

Eigen::Index rank_of(const Eigen::MatrixXd& unit)
{
    if (unit.rows() == 0) return 0;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
    qr.setThreshold(direction_tolerance);
    qr.compute(unit.transpose());
    return qr.rank();
}

}  // namespace

double TwoConesCertificate::worst() const noexcept
{
    return std::max({sum, product, outside_V, outside_N});
}

Expected<PolyhedralCone> PolyhedralCone::from_rows(Eigen::MatrixXd rows, bool is_generated)
{
    Error error{.code = ErrorCode::WrongSize,
                .where = "PolyhedralCone",
                .message = "the rows have no components",
                .hint = "give a matrix with one column per dimension; it may have no row",
                .excerpt = {}};
    if (rows.cols() == 0) return error;
    if (!rows.allFinite()) {
        error.code = ErrorCode::NotFinite;
        error.message = "a row has a component that is not finite";
        return error;
    }
    return PolyhedralCone(std::move(rows), is_generated);
}

Expected<PolyhedralCone> PolyhedralCone::from_generators(Eigen::MatrixXd generators)
{
    return from_rows(std::move(generators), true);
}

Expected<PolyhedralCone> PolyhedralCone::from_inequalities(Eigen::MatrixXd G)
{
    return from_rows(std::move(G), false);
}

ConeProjection PolyhedralCone::prox(const Metric& metric, const Eigen::Ref<const Eigen::VectorXd>& z) const
{
    if (z.size() != rows_.cols() || !metric.fits(z.size())) {
        throw InternalError("a cone, a point and a metric differ in dimension");
    }

    // whitened coordinates: the rows generate C itself or, read as covectors, its polar
    const Eigen::MatrixXd F =
        is_generated_ ? metric.whitened(rows_.transpose()) : metric.whitened_covectors(rows_.transpose());
    const Eigen::VectorXd from = metric.whitened(z);
    ConeProjection result;
    result.multipliers = Eigen::VectorXd::Zero(rows_.rows());
    Eigen::VectorXd remainder = from;
    const auto report = solve_nonnegative_least_squares(F, from, {}, result.multipliers, remainder);
    if (report.status == QpStatus::Solved) result.status = ProxStatus::Converged;
    if (report.status == QpStatus::NotFinite) result.status = ProxStatus::NotFinite;
    result.pivots = report.pivots;

    // one projection is the sum of generators, the other what remains of z
    const Eigen::VectorXd combined = F * result.multipliers;
    result.x = metric.unwhitened(is_generated_ ? combined : remainder);
    result.y = metric.unwhitened(is_generated_ ? remainder : combined);
    if (report.status == QpStatus::NotFinite) return result;

    // certificate (CS-7); nothing to relate to when z = 0, and then all of it is zero
    const double size = from.norm();
    if (size > 0) {
        const double generated = worst_multiplier(F, result.multipliers) / size;
        const Eigen::VectorXd polar_part = metric.whitened(is_generated_ ? result.y : result.x);
        const double restricted = worst_violation(F, polar_part) / size;
        result.certificate = {.sum = metric.norm(z - result.x - result.y) / size,
                              .product = std::abs(metric.dot(result.x / size, result.y / size)),
                              .outside_V = is_generated_ ? generated : restricted,
                              .outside_N = is_generated_ ? restricted : generated};
    }
    return result;
}

PolyhedralCone PolyhedralCone::polar_in(const Metric& metric) const
{
    Eigen::MatrixXd rows = rows_;
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        const Eigen::VectorXd row = rows_.row(i);
        rows.row(i) = is_generated_ ? metric.lower(row) : metric.solve(row);
    }
    return PolyhedralCone(std::move(rows), !is_generated_);
}

std::unique_ptr<ConvexSet> PolyhedralCone::polar_cone() const
{
    return std::make_unique<PolyhedralCone>(polar());
}

double PolyhedralCone::interior_margin() const
{
    const Eigen::MatrixXd unit = unit_rows(rows_);
    if (is_generated_) return rank_of(unit) == rows_.cols() ? 1 : 0;
    return unit.rows() == 0 ? 1 : distance_to_hull(unit);
}

double PolyhedralCone::distance_to(ConstPoint v) const
{
    return prox(Metric::euclidean(), v).y.norm();
}

ProxStatus PolyhedralCone::nearest(ConstPoint z, Point x) const
{
    return nearest_in(Metric::euclidean(), z, x);
}

ProxStatus PolyhedralCone::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    const ConeProjection projection = prox(metric, z);
    x = projection.x;
    return projection.status;
}

double PolyhedralCone::support_at(ConstPoint p) const
{
    const double outside = polar().distance_to(p);
    return outside <= direction_tolerance * p.norm() ? 0 : std::numeric_limits<double>::infinity();
}

}  // namespace carom
