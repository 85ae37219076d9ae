#pragma once

#include "carom/core/expected.hpp"

#include <array>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace carom {

/// Shapes of Moreau's set D1: friction at the normal percussion P_N is bounded by P_T in P_N D1, D1 = mu
/// times a shape. Every shape but the rough one is compact and convex and contains the origin.
///
/// Symbols    x, y   tangential vectors, one component in the plane, two in space
/// Theory     docs/theory/friction.md, (FR-1) law, (FR-2) shapes, (FR-3) cone and its projection
/// Papers     [Moreau 1988] 12, 13

/// Contact in a plane: low <= x <= high. -1 and 1 are Coulomb's law; others give a coefficient -low for
/// sliding in the positive direction and high for the negative one.
struct FrictionInterval {
    double low = -1, high = 1;  ///< low <= 0 <= high
};

/// Isotropic friction in space.
struct FrictionDisc {};

/// { centre + R(angle) (a z_1, b z_2) : |z| <= 1 }
struct FrictionEllipse {
    std::array<double, 2> half_axes{1, 1};  ///< > 0
    double angle_rad = 0;                   ///< of the first half-axis against t1
    std::array<double, 2> centre{0, 0};
};

/// Convex polygon, counter-clockwise; `make_polygon` checks and orders it.
struct FrictionPolygon {
    std::shared_ptr<const std::vector<std::array<double, 2>>> vertices;
};

/// No bound: a closed contact does not slide. The limit of large mu.
struct FrictionRough {
    int dimension = 1;
};

using FrictionShape =
    std::variant<FrictionInterval, FrictionDisc, FrictionEllipse, FrictionPolygon, FrictionRough>;

/// Refuses fewer than three vertices, polygons that are not convex and those without the origin.
[[nodiscard]] Expected<FrictionPolygon> make_polygon(std::vector<std::array<double, 2>> vertices);

/// Refuses shapes that are empty, unbounded or without the origin.
[[nodiscard]] Expected<void> check(const FrictionShape& shape);

/// Number of tangential components, 1 or 2.
[[nodiscard]] int tangential_dimension(const FrictionShape& shape) noexcept;

/// Support function sup { <x, y> : x in shape }; infinite for a rough shape and y != 0.
[[nodiscard]] double support(const FrictionShape& shape, std::span<const double> y) noexcept;

/// Nearest point of scale * shape to x, in place; scale >= 0.
void project_on_shape(const FrictionShape& shape, double scale, std::span<double> x) noexcept;

/// Nearest point of the cone { (P_N, P_T) : P_N >= 0, P_T in P_N mu shape } to P, in place (FR-3). For a
/// rough shape the half-space P_N >= 0.
void project_on_friction_cone(const FrictionShape& shape, double mu, std::span<double> P) noexcept;

}  // namespace carom
