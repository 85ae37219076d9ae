#pragma once

#include "carom/convex/convex_set.hpp"

namespace carom {

/// { v : |v - c| <= r }, the norm Euclidean: friction discs, limited forces.
///
/// Nearest point: on the ray from the centre. In another metric A the ball is an ellipsoid: with the
/// eigenvalues a_i of A and the components z_i of z - c in its eigenvectors, x_i = a_i z_i / (a_i + tau), and
/// tau is the root of |x(tau)| = r (CS-8).
/// Theory     docs/theory/convex_sets.md, table of sets
class Ball final : public ConvexSet {
public:
    /// Errors: WrongSize (no component), NotFinite, SettingOutOfRange (r < 0).
    [[nodiscard]] static Expected<Ball> make(Eigen::VectorXd centre, double radius);

    [[nodiscard]] int dimension() const noexcept override { return static_cast<int>(centre_.size()); }
    [[nodiscard]] double size() const noexcept override { return centre_.norm() + radius_; }
    [[nodiscard]] const Eigen::VectorXd& centre() const noexcept { return centre_; }
    [[nodiscard]] double radius() const noexcept { return radius_; }

private:
    Ball(Eigen::VectorXd centre, double radius) : centre_(std::move(centre)), radius_(radius) {}

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    Eigen::VectorXd centre_;
    double radius_;
};

}  // namespace carom
