#pragma once

#include "carom/convex/convex_set.hpp"

#include <optional>
#include <span>
#include <vector>

namespace carom::detail {

/// A convex set as the shadow of a slice of cones (CS-21):
///     C = { c + B y :  E y = e,  h - G y >= 0,  k - Q y in second-order cones }
/// Every set of the catalogue has this form, and images, sums and intersections keep it: their forms are
/// written side by side.
struct ConicForm {
    Eigen::MatrixXd B;
    Eigen::VectorXd c;
    Eigen::MatrixXd E;
    Eigen::VectorXd e;
    Eigen::MatrixXd G;
    Eigen::VectorXd h;
    Eigen::MatrixXd Q;
    Eigen::VectorXd k;
    std::vector<Eigen::Index> cones;  ///< rows of Q in each cone, at least 2

    /// c + B y with nothing restricted yet.
    [[nodiscard]] static ConicForm shadow(Eigen::MatrixXd B, Eigen::VectorXd c);

    [[nodiscard]] bool is_polyhedral() const noexcept { return cones.empty(); }
};

/// The form of a set of the catalogue; nothing for a set from elsewhere.
[[nodiscard]] std::optional<ConicForm> conic_form(const ConvexSet& set);

[[nodiscard]] ConicForm image(const Eigen::MatrixXd& M, ConicForm form);
[[nodiscard]] ConicForm moved(double scale, const Eigen::VectorXd& shift, ConicForm form);
[[nodiscard]] ConicForm sum(std::span<const ConicForm> forms);
[[nodiscard]] ConicForm intersection(std::span<const ConicForm> forms);

/// Nearest point in a metric. Polyhedral forms by active sets, exact up to roundoff; others by (CS-21), with
/// |x - prox z|^2 <= 2 gap (CS-22). `scale` is the size of the set.
ProxStatus nearest(const ConicForm& form, const Metric& metric, const Eigen::Ref<const Eigen::VectorXd>& z,
                   double scale, Eigen::VectorXd& x);

/// Support function; NaN where it was not found to the promised accuracy.
[[nodiscard]] double support(const ConicForm& form, const Eigen::Ref<const Eigen::VectorXd>& p, double scale);

}  // namespace carom::detail
