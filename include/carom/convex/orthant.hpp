#pragma once

#include "carom/convex/convex_set.hpp"

namespace carom {

/// { v : v_i >= 0 for every i } or its opposite: percussions of frictionless unilateral contacts (P >= 0).
///
/// Nearest point: the positive part; in a metric, the nonnegative programme (CS-9). Polar: the opposite.
/// Theory     docs/theory/convex_sets.md, table of sets
class Orthant final : public ConvexSet {
public:
    /// Errors: WrongSize (n < 1).
    [[nodiscard]] static Expected<Orthant> nonnegative(int n);
    [[nodiscard]] static Expected<Orthant> nonpositive(int n);

    [[nodiscard]] int dimension() const noexcept override { return n_; }

    [[nodiscard]] double sign() const noexcept { return sign_; }  ///< 1: v >= 0, -1: v <= 0
    [[nodiscard]] Orthant polar() const { return Orthant(n_, -sign_); }
    [[nodiscard]] std::unique_ptr<ConvexSet> polar_cone() const override;

private:
    Orthant(int n, double sign) : n_(n), sign_(sign) {}

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    int n_;
    double sign_;  ///< 1: v >= 0, -1: v <= 0
};

}  // namespace carom
