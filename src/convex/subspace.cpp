#include "carom/convex/sets.hpp"

#include <Eigen/QR>

#include <limits>

namespace carom {

namespace {

Error bad_set(ErrorCode code, const char* where, const char* message)
{
    return Error{.code = code,
                 .where = where,
                 .message = message,
                 .hint = "give finite numbers and at least one dimension",
                 .excerpt = {}};
}

}  // namespace

Expected<Singleton> Singleton::make(Eigen::VectorXd c)
{
    if (c.size() == 0) return bad_set(ErrorCode::WrongSize, "Singleton", "the point has no components");
    if (!c.allFinite()) return bad_set(ErrorCode::NotFinite, "Singleton", "the point is not finite");
    return Singleton(std::move(c));
}

std::unique_ptr<ConvexSet> Singleton::polar_cone() const
{
    if (!c_.isZero(0)) return nullptr;
    return std::make_unique<Subspace>(*Subspace::whole(dimension()));
}

double Singleton::distance_to(ConstPoint v) const
{
    return (v - c_).norm();
}

ProxStatus Singleton::nearest(ConstPoint, Point x) const
{
    x = c_;
    return ProxStatus::Converged;
}

ProxStatus Singleton::nearest_in(const Metric&, ConstPoint z, Point x) const
{
    return nearest(z, x);
}

double Singleton::support_at(ConstPoint p) const
{
    return p.dot(c_);
}

Expected<Subspace> Subspace::spanned_by(const Eigen::Ref<const Eigen::MatrixXd>& directions)
{
    const Eigen::Index n = directions.rows();
    if (n == 0) return bad_set(ErrorCode::WrongSize, "Subspace", "the directions have no components");
    if (!directions.allFinite()) {
        return bad_set(ErrorCode::NotFinite, "Subspace", "a direction is not finite");
    }

    // directions of length one, so that the rank is a matter of angles alone
    if (directions.cols() == 0) return Subspace(Eigen::MatrixXd(n, 0));
    Eigen::MatrixXd unit = directions;
    for (Eigen::Index k = 0; k < unit.cols(); ++k) {
        unit.col(k).stableNormalize();
    }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
    qr.setThreshold(direction_tolerance);
    qr.compute(unit);
    const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(n, n);
    return Subspace(Q.leftCols(qr.rank()));
}

Expected<Subspace> Subspace::whole(int n)
{
    if (n < 1) return bad_set(ErrorCode::WrongSize, "Subspace", "the space has no dimension");
    return Subspace(Eigen::MatrixXd::Identity(n, n));
}

Subspace Subspace::polar() const
{
    const Eigen::Index n = basis_.rows();
    if (rank() == 0) return Subspace(Eigen::MatrixXd::Identity(n, n));
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(basis_);
    const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(n, n);
    return Subspace(Q.rightCols(n - basis_.cols()));
}

std::unique_ptr<ConvexSet> Subspace::polar_cone() const
{
    return std::make_unique<Subspace>(polar());
}

double Subspace::distance_to(ConstPoint v) const
{
    if (is_whole()) return 0;
    return (v - basis_ * (basis_.transpose() * v)).norm();
}

ProxStatus Subspace::nearest(ConstPoint z, Point x) const
{
    // one scalar product per direction: nothing is allocated
    if (is_whole()) {
        x = z;
        return ProxStatus::Converged;
    }
    x.setZero();
    for (Eigen::Index k = 0; k < basis_.cols(); ++k) {
        x += basis_.col(k).dot(z) * basis_.col(k);
    }
    return ProxStatus::Converged;
}

ProxStatus Subspace::nearest_in(const Metric& metric, ConstPoint z, Point x) const
{
    if (is_whole() || rank() == 0) return nearest(z, x);
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(metric.whitened(basis_));
    const Eigen::VectorXd components = qr.solve(Eigen::VectorXd(metric.whitened(z)));
    x = basis_ * components;
    return ProxStatus::Converged;
}

double Subspace::support_at(ConstPoint p) const
{
    const bool is_orthogonal = (basis_.transpose() * p).norm() <= direction_tolerance * p.norm();
    return is_orthogonal ? 0 : std::numeric_limits<double>::infinity();
}

}  // namespace carom
