#pragma once

#include "carom/convex/convex_set.hpp"

namespace carom {

/// { v : n.v <= c }, n a covector that points out of the set. A cone for c = 0, with polar the ray through n.
///
/// Nearest point in the metric A: z - max(0, n.z - c) / (n.A^-1 n) A^-1 n.
/// Theory     docs/theory/convex_sets.md, table of sets
class HalfSpace final : public ConvexSet {
public:
    /// Errors: WrongSize (no component), NotFinite, SettingOutOfRange (n = 0).
    [[nodiscard]] static Expected<HalfSpace> make(Eigen::VectorXd normal, double bound);

    [[nodiscard]] int dimension() const noexcept override { return static_cast<int>(normal_.size()); }

    /// Distance of the boundary from the origin.
    [[nodiscard]] double size() const noexcept override { return std::abs(bound_); }
    [[nodiscard]] const Eigen::VectorXd& unit_normal() const noexcept { return normal_; }
    [[nodiscard]] double offset() const noexcept { return bound_; }  ///< c / |n|
    [[nodiscard]] std::unique_ptr<ConvexSet> polar_cone() const override;

private:
    HalfSpace(Eigen::VectorXd unit_normal, double bound) : normal_(std::move(unit_normal)), bound_(bound) {}

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    Eigen::VectorXd normal_;  ///< of length one
    double bound_;            ///< c / |n|
};

}  // namespace carom
