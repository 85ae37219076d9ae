#pragma once

#include "carom/convex/convex_set.hpp"

namespace carom {

/// [a, b] in R, either end possibly infinite: plane friction, limited forces, ratchets.
/// Nearest point: clamped, in every metric. Support: b p for p > 0, a p for p < 0.
/// Theory     docs/theory/convex_sets.md, table of sets
class Interval final : public ConvexSet {
public:
    /// Errors: SettingOutOfRange unless a <= b, a < +infinity and b > -infinity.
    [[nodiscard]] static Expected<Interval> make(double lower, double upper);

    [[nodiscard]] int dimension() const noexcept override { return 1; }
    [[nodiscard]] double size() const noexcept override;
    [[nodiscard]] double lower() const noexcept { return lower_; }
    [[nodiscard]] double upper() const noexcept { return upper_; }
    [[nodiscard]] std::unique_ptr<ConvexSet> polar_cone() const override;

private:
    Interval(double lower, double upper) : lower_(lower), upper_(upper) {}

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    double lower_;
    double upper_;
};

/// Product of intervals. In a metric the sides couple: exact active set on the programme (CS-9) of the
/// finite sides.
class Box final : public ConvexSet {
public:
    /// Errors: WrongSize (no or different numbers of components), SettingOutOfRange as for Interval.
    [[nodiscard]] static Expected<Box> make(Eigen::VectorXd lower, Eigen::VectorXd upper);

    [[nodiscard]] int dimension() const noexcept override { return static_cast<int>(lower_.size()); }
    [[nodiscard]] double size() const noexcept override;
    [[nodiscard]] const Eigen::VectorXd& lower() const noexcept { return lower_; }
    [[nodiscard]] const Eigen::VectorXd& upper() const noexcept { return upper_; }
    [[nodiscard]] std::unique_ptr<ConvexSet> polar_cone() const override;

private:
    Box(Eigen::VectorXd lower, Eigen::VectorXd upper) : lower_(std::move(lower)), upper_(std::move(upper)) {}

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    Eigen::VectorXd lower_;
    Eigen::VectorXd upper_;
};

}  // namespace carom
