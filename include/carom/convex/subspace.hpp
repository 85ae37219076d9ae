#pragma once

#include "carom/convex/convex_set.hpp"

namespace carom {

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
