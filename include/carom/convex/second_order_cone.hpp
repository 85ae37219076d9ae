#pragma once

#include "carom/convex/convex_set.hpp"

namespace carom {

/// { v : |v_T| <= mu v_N, v_N >= 0 }, v_N the first component and v_T the others: Coulomb's cone in every
/// dimension; a ray for mu = 0.
/// Its polar { p : mu |p_T| <= -p_N } is, for mu > 0, the opposite of the cone with slope 1/mu.
///
/// Nearest point: closed form, three cases (CS-14). In a metric: for a given v_N = r the tangential part is
/// the nearest point of a ball of radius mu r (CS-8), and r is the root of an increasing function (CS-15).
/// Theory     docs/theory/convex_sets.md, (CS-14), (CS-15)
/// Papers     [M88] for the law of friction that this cone carries
class SecondOrderCone final : public ConvexSet {
public:
    /// Errors: WrongSize (n < 1), SettingOutOfRange (mu negative, infinite or NaN).
    [[nodiscard]] static Expected<SecondOrderCone> make(int n, double mu);

    [[nodiscard]] int dimension() const noexcept override { return n_; }
    [[nodiscard]] double mu() const noexcept { return mu_; }
    [[nodiscard]] double sign() const noexcept
    {
        return sign_;
    }  ///< 1: opens along v_N > 0, -1: along v_N < 0
    [[nodiscard]] std::unique_ptr<ConvexSet> polar_cone() const override;

private:
    SecondOrderCone(int n, double mu, double sign) : n_(n), mu_(mu), sign_(sign) {}

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    int n_;
    double mu_;
    double sign_;  ///< 1: opens along v_N > 0, -1: along v_N < 0
};

}  // namespace carom
