#pragma once

#include "carom/convex/convex_set.hpp"

namespace carom {

/// Polyhedral sets of R^n that are not cones: by inequalities or by vertices.
///
/// Theory     docs/theory/convex_sets.md, (CS-16) inequalities, (CS-17) vertices, (CS-20) support
/// Both projections are exact active set methods on the nonnegative programme (CS-9), in every metric.

/// { v : g_i.v <= h_i }, g_i the rows of G; may be unbounded. Redundant, repeated and opposite rows are
/// allowed, opposite ones make equations; lengths of rows do not matter.
class Polyhedron final : public ConvexSet {
public:
    /// Errors: WrongSize (no column, h of another length), NotFinite, SettingOutOfRange (no point satisfies
    /// all inequalities).
    [[nodiscard]] static Expected<Polyhedron> make(const Eigen::Ref<const Eigen::MatrixXd>& G,
                                                   const Eigen::Ref<const Eigen::VectorXd>& h);

    [[nodiscard]] int dimension() const noexcept override { return static_cast<int>(normals_.rows()); }

    /// Largest distance of a face from the origin.
    [[nodiscard]] double size() const noexcept override;
    [[nodiscard]] const Eigen::MatrixXd& unit_normals() const noexcept { return normals_; }  ///< columns
    [[nodiscard]] const Eigen::VectorXd& offsets() const noexcept { return bounds_; }        ///< h_i / |g_i|

private:
    Polyhedron(Eigen::MatrixXd normals, Eigen::VectorXd bounds)
        : normals_(std::move(normals)), bounds_(std::move(bounds))
    {
    }

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    Eigen::MatrixXd normals_;  ///< one column of length one per inequality
    Eigen::VectorXd bounds_;   ///< h_i / |g_i|
};

/// The convex hull of points: always bounded.
class Polytope final : public ConvexSet {
public:
    /// One vertex per row of an m x n matrix; repeated ones and points inside the hull of others are allowed.
    /// Errors: WrongSize (m = 0 or n = 0), NotFinite.
    [[nodiscard]] static Expected<Polytope> from_vertices(const Eigen::Ref<const Eigen::MatrixXd>& vertices);

    [[nodiscard]] int dimension() const noexcept override { return static_cast<int>(vertices_.rows()); }
    [[nodiscard]] double size() const noexcept override { return vertices_.colwise().norm().maxCoeff(); }
    [[nodiscard]] const Eigen::MatrixXd& vertices() const noexcept { return vertices_; }  ///< columns

private:
    explicit Polytope(Eigen::MatrixXd vertices) : vertices_(std::move(vertices)) {}

    [[nodiscard]] double distance_to(ConstPoint v) const override;
    ProxStatus nearest(ConstPoint z, Point x) const override;
    ProxStatus nearest_in(const Metric& metric, ConstPoint z, Point x) const override;
    [[nodiscard]] double support_at(ConstPoint p) const override;

    Eigen::MatrixXd vertices_;  ///< one column per vertex
};

}  // namespace carom
