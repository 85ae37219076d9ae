#pragma once

#include "carom/core/expected.hpp"

#include <array>
#include <limits>
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

class ConvexSet;

/// Laws of interactions. Every law is one normal-cone inclusion
///
///     -(U + s) in N_C(P)                                                       (LA-1)
///
/// with a closed convex set C of percussions and a shift s of the local velocity. A law holds numbers;
/// the model evaluates formulas (a restitution that depends on q and u-) before the step.
///
/// Symbols    U    local velocity after the step, m/s;  U > 0 separates
///            U^-  local velocity before, with the same H and b;  P  percussion, N s;  P >= 0 pushes apart
///            e    restitution in [0, 1], dimensionless
///            mu   friction coefficient, dimensionless, mu >= 0
/// Theory     docs/theory/laws.md, (LA-1) inclusion, (LA-2) unilateral, (LA-3) bilateral, (LA-4) dissipation
///            index, (LA-5) limited, (LA-6) non-firm; docs/theory/friction.md, (FR-1) Coulomb, (FR-4)
///            resisting
/// Papers     [Moreau 1983] 5, [Moreau 1988] 8-10, 12-17, [Ballard 2002] 3-6, [DeSaxceFeng 1998]

/// Frictionless unilateral contact (LA-2):  C = { P >= 0 },  s = e min(U^-, 0).
/// e = 0 is Moreau's standard inelastic shock; one e for all contacts is Ballard's canonical law.
struct Unilateral {
    double restitution = 0;  ///< e, in [0, 1]
};

/// Firm bilateral constraint (LA-3):  C = R,  s = 0, hence U = 0 for any P.
struct Bilateral {};

/// Unilateral contact with Coulomb's friction (FR-1); components (n, t) or (n, t1, t2).
///
///     C = { P_N >= 0, P_T in P_N mu S },   s_N = e min(U_N^-, 0) + mu sigma_S(-(U_T + s_T)),   s_T = e_T
///     U_T^-
///
/// with the support function sigma_S of the shape S. For a rough shape: a contact that acts does not slide.
struct Coulomb {
    FrictionShape shape = FrictionInterval{};
    double friction = 0;                ///< mu, >= 0; not read for a rough shape
    double restitution = 0;             ///< e, in [0, 1]
    double tangential_restitution = 0;  ///< e_T, in [0, 1]; 0 is Newton's form, e_T = e Moreau's
};

/// Non-firm constraint of one component (LA-5):  C = [low, high],  s = 0. Within its bounds it holds, U = 0;
/// at a bound it yields, against the reaction: maximal dissipation. Brake, clutch, motor: both bounds;
/// freewheel and ratchet: one of them infinite, the other zero.
struct Limited {
    double low = -std::numeric_limits<double>::infinity();  ///< N s, <= 0
    double high = std::numeric_limits<double>::infinity();  ///< N s, >= 0
    bool rubs = false;  ///< the bounds come from a normal reaction: its work is friction in the ledger
};

/// Non-firm constraint of several components (LA-6):  C = size times a closed convex set,  s = 0.
struct NonFirm {
    std::shared_ptr<const ConvexSet> set;  ///< of R^n, n <= 12; contains the origin
    double size = 1;                       ///< >= 0; not read for a cone
    bool rubs = false;                     ///< as for Limited
};

/// Contact that resists sliding, rolling and spinning (FR-4): Moreau's D1 is a product of discs and
/// intervals.
///
///     C = { P_N >= 0, |P_T| <= mu P_N, |P_R| <= rho P_N, |P_S| <= sigma P_N },
///     s_N = e min(U_N^-, 0) + mu |U_T| + rho |U_R| + sigma |U_S|
///
/// Components (n, t, r) in the plane, (n, t1, t2, r1, r2, s) in space. Rows of rotations are multiplied by a
/// length, which makes them m/s, and moments are divided by it.
struct Resisting {
    bool flat = false;       ///< in the plane: one direction to slide, one to roll, none to spin
    double friction = 0;     ///< mu, >= 0
    double rolling = 0;      ///< rho, >= 0: coefficient in m over the length of the rows
    double spinning = 0;     ///< sigma, >= 0, as rho; not read in the plane
    double restitution = 0;  ///< e, in [0, 1]
};

using Law = std::variant<Unilateral, Bilateral, Coulomb, Limited, NonFirm, Resisting>;

/// Components that a law may have.
inline constexpr int max_components = 12;

/// Number of components of U and P.
[[nodiscard]] int dimension(const Law& law) noexcept;

/// Refuses numbers outside their range: e > 1 would create energy and lose uniqueness (B02, counter-example
/// 6), mu < 0 would accelerate sliding.
[[nodiscard]] Expected<void> check(const Law& law);

/// Nearest point of C to P, Euclidean norm, in place. For a rough contact C is the half-space P_N >= 0.
void project_on_set(const Law& law, std::span<double> P) noexcept;

/// The shift s of (LA-1) for the velocity before and after.
void velocity_shift(const Law& law, std::span<const double> U_minus, std::span<const double> U,
                    std::span<double> s) noexcept;

/// Unilateral: only pushes, and acts only where the contact does not separate.
[[nodiscard]] bool is_unilateral(const Law& law) noexcept;

/// A non-firm constraint: Limited or NonFirm.
[[nodiscard]] bool gives_way(const Law& law) noexcept;

/// Of the normal velocity; 0 for a law without one.
[[nodiscard]] double restitution(const Law& law) noexcept;

/// e = (1 - delta) / (1 + delta) of Moreau's dissipation index delta in [0, 1] (LA-4): 1 is inelastic, 0
/// elastic.
[[nodiscard]] Expected<double> restitution_of_dissipation_index(double delta);

}  // namespace carom
