#pragma once

#include "carom/convex/convex_set.hpp"

namespace carom {

/// { v : (v - c).E^-1 (v - c) <= 1 }, E symmetric positive definite: friction that differs between
/// directions, yield surfaces of Mises' kind. The half axes are the square roots of the eigenvalues of E.
///
/// Nearest point: with E = F F^T and v = c + F y the set is the unit ball of y and the metric A becomes
/// F^T A F, so that (CS-8) serves every metric, the Euclidean one included (CS-13).
/// Theory     docs/theory/convex_sets.md, (CS-13) and table of sets
class Ellipsoid final : public ConvexSet {
public:
    /// Errors: WrongSize (no component, E of another size), NotFinite, MetricNotPositive (E is not symmetric
    /// or has no inverse up to roundoff).
    [[nodiscard]] static Expected<Ellipsoid> make(Eigen::VectorXd centre,
                                                  const Eigen::Ref<const Eigen::MatrixXd>& E);

    [[nodiscard]] int dimension() const noexcept override { return static_cast<int>(centre_.size()); }
    [[nodiscard]] double size() const noexcept override { return centre_.norm() + factor_.norm(); }
    [[nodiscard]] const Eigen::VectorXd& centre() const noexcept { return centre_; }
    [[nodiscard]] const Eigen::MatrixXd& factor() const noexcept { return factor_; }  ///< F, E = F F^T

private:
    Ellipsoid(Eigen::VectorXd centre, Eigen::MatrixXd factor)
        : centre_(std::move(centre)), factor_(std::move(factor))
    {
    }

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    Eigen::VectorXd centre_;
    Eigen::MatrixXd factor_;  ///< F, lower triangular, E = F F^T
};

}  // namespace carom
