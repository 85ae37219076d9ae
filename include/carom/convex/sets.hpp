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

/// Linear subspaces of R^n, from { 0 } to R^n itself, and single points.
///
/// Percussions of a firm bilateral constraint are R^n; the polar of a subspace is its orthogonal complement,
/// so that velocities are { 0 }.
/// Theory     docs/theory/convex_sets.md, table of sets

/// { c }. A cone only for c = 0, with polar R^n.
class Singleton final : public ConvexSet {
public:
    /// Errors: WrongSize (no component), NotFinite.
    [[nodiscard]] static Expected<Singleton> make(Eigen::VectorXd c);

    [[nodiscard]] int dimension() const noexcept override { return static_cast<int>(c_.size()); }
    [[nodiscard]] double size() const noexcept override { return c_.norm(); }
    [[nodiscard]] const Eigen::VectorXd& point() const noexcept { return c_; }
    [[nodiscard]] std::unique_ptr<ConvexSet> polar_cone() const override;

private:
    explicit Singleton(Eigen::VectorXd c) : c_(std::move(c)) {}

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    Eigen::VectorXd c_;
};

/// The span of given directions.
class Subspace final : public ConvexSet {
public:
    /// Directions are the columns of an n x k matrix; zero, repeated and dependent ones are allowed, k = 0 is
    /// { 0 }. Directions are judged dependent by angle, not by length. Errors: WrongSize (n = 0), NotFinite.
    [[nodiscard]] static Expected<Subspace> spanned_by(const Eigen::Ref<const Eigen::MatrixXd>& directions);

    /// R^n. Errors: WrongSize (n < 1).
    [[nodiscard]] static Expected<Subspace> whole(int n);

    [[nodiscard]] int dimension() const noexcept override { return static_cast<int>(basis_.rows()); }

    /// Number of independent directions.
    [[nodiscard]] int rank() const noexcept { return static_cast<int>(basis_.cols()); }

    /// Orthonormal basis, one direction per column.
    [[nodiscard]] const Eigen::MatrixXd& basis() const noexcept { return basis_; }

    /// Orthogonal complement.
    [[nodiscard]] Subspace polar() const;
    [[nodiscard]] std::unique_ptr<ConvexSet> polar_cone() const override;

private:
    explicit Subspace(Eigen::MatrixXd basis) : basis_(std::move(basis)) {}
    [[nodiscard]] bool is_whole() const noexcept { return basis_.cols() == basis_.rows(); }

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    Eigen::MatrixXd basis_;
};

}  // namespace carom
