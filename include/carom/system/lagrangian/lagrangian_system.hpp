#pragma once

#include "carom/convex/convex_set.hpp"
#include "carom/core/expected.hpp"
#include "carom/expression/formula.hpp"
#include "carom/law/impact.hpp"
#include "carom/law/law.hpp"

#include <Eigen/Dense>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// A particle of the system that an obstacle confines, as the user describes it (CF-1):
///
///     x(q,t)        position of the particle that touches, m; two components in the plane, three in space
///     f(x,t) >= 0   where the particle may be; the gap is f / |grad f|, the normal n = grad f / |grad f|
///     w(x,t)        velocity of the obstacle's material, m/s; only its tangential part is used, the normal
///                   part comes from f
///
/// f, w and the direction of t1 are formulas of x, y(, z) and t, not of the coordinates of the system.
/// Theory     docs/theory/friction.md, (CF-1) particle, (CF-2) local velocity, (CF-3) frame
struct ContactParticle {
    std::vector<Formula> position;
    Formula surface;
    std::vector<Formula> obstacle_velocity = {};  ///< empty: at rest
    std::vector<Formula> tangent = {};            ///< t1 is along its tangential part; empty: by rule (CF-3)
};

/// Friction of a contact; formulas are evaluated where the contact is detected.
struct ContactFriction {
    FrictionShape shape = FrictionInterval{};
    Formula coefficient;                        ///< mu(q,u-,t), while sliding; scales the shape
    std::optional<Formula> static_coefficient;  ///< while sticking, >= coefficient; empty: the same
    Formula tangential_restitution;             ///< e_T(q,u-,t), in [0, 1]; 0 is Newton's form, e Moreau's
};

/// A unilateral contact. Its gap is a formula of q and t, or that of a particle.
struct Contact {
    std::string name;
    Formula gap;          ///< g(q,t), m; >= 0 where admissible; not read where there is a particle
    Formula restitution;  ///< e(q,u-,t), in [0, 1]; default 0

    std::optional<ContactParticle> particle = {};

    /// Without a particle: the sliding velocity, m/s, one formula in the plane, two in space, each linear or
    /// affine in the velocities. The gap must then be a distance, or mu would not be the coefficient of
    /// friction.
    std::vector<Formula> sliding = {};
    std::optional<ContactFriction> friction = {};

    /// Components of its local velocity: 1 without friction.
    [[nodiscard]] int dimension() const noexcept
    {
        return friction ? 1 + tangential_dimension(friction->shape) : 1;
    }
};

/// Constraints that act in both directions, as the user describes them.
///
///     phi_i(q,t) = 0                    positions that stay zero (holonomic)
///     U_j = <alpha_j(q), u> + b_j(q,t)  velocities: zero where the constraint is firm (rolling, skates);
///     where
///                                       it is not, their reactions lambda are limited to a convex set
///     lambda in L(q) [ C_0 + sum mu_i(q,u,t) C_i + sum kappa_i(q,u,t) |R_N| C_i ]
///
/// and the reaction dissipates as much as the set allows (B02, constitutive hypothesis II).
///
/// Symbols    lambda  reaction per row, N where the row is a length, N m where it is an angle
///            R_N     reaction of the constraint that provides the normal force: the friction of a joint
/// Theory     docs/theory/constraints.md, (CO-1) holonomic, (CO-2) non-holonomic, (CO-6) non-firm, (CO-8)
///            friction
/// Papers     [Ballard 2002] 2, 4, 5, 6, 7

class ConstraintGeometry;  // rows that do not come from formulas: joints of bodies

/// One summand of the set of reactions: size(q,u,t) times a set, and where another constraint provides the
/// normal force, times the magnitude of its reaction.
struct ReactionLimit {
    std::shared_ptr<const ConvexSet> set;  ///< contains the origin; bounded, or a cone
    Formula size = Formula::constant(1);   ///< mu_i or kappa_i, >= 0; not read for a cone
    std::string pressed_by = {};  ///< name of the constraint that provides the normal force; empty: none

    /// Coulomb's cone of the reactions as they are, |R_T| <= kappa |R_N|, instead of Ballard's generalised
    /// normal reaction (CO-9). Not every system has a convex set then; one tangential row only.
    bool real_world = false;
};

struct Constraint {
    std::string name;
    std::vector<Formula> zero = {};      ///< phi(q,t)
    std::vector<Formula> velocity = {};  ///< U, linear or affine in the velocities

    std::shared_ptr<const ConstraintGeometry> geometry = nullptr;  ///< instead of the formulas

    std::vector<ReactionLimit> limits = {};      ///< of the velocity rows; empty: firm
    std::vector<std::vector<Formula>> map = {};  ///< L(q) of the velocity rows; empty: the identity
    std::string only_while = {};                 ///< name of a contact: acts only where that one acts

    [[nodiscard]] bool is_firm() const noexcept { return limits.empty(); }
};

/// Kinds of drawings. A circle with three coordinates is drawn as a ball.
enum class DrawingKind {
    Point,
    Segment,
    Circle,
    Polyline,
    Trace,  ///< the path of one point so far
};

/// The name used in scenes and recordings, e.g. "polyline".
[[nodiscard]] std::string_view name_of(DrawingKind kind) noexcept;

/// An item that pictures of the motion show, given by formulas of coordinates, parameters and t. It does not
/// take part in the mechanics. x points to the right and y up; with a third coordinate z points up.
struct Drawing {
    DrawingKind kind{};
    int dimension = 2;                ///< entries per point, 2 or 3
    std::vector<Formula> points;      ///< m, point after point, `dimension` entries each
    std::optional<Formula> radius_m;  ///< of circles
    std::vector<Formula> normal;      ///< where the contact pushes, `dimension` entries; or empty
    std::vector<Formula> tangent;     ///< with a normal: the direction of t1; empty: by the rule (CF-3)
    int contact = -1;                 ///< coloured by what this contact does; -1: none
    bool closed = false;              ///< of polylines: back to the first point
    std::string colour;               ///< one of core/palette.hpp
    std::string label;                ///< written beside it

    [[nodiscard]] int point_count() const noexcept
    {
        return dimension > 0 ? static_cast<int>(points.size()) / dimension : 0;
    }
};

/// The right number of points for its kind, compatible dimensions, a contact that exists,
/// formulas without velocities. `where` names the drawing in the error.
[[nodiscard]] Expected<void> check(const Drawing& drawing, int contacts, const std::string& where);

/// A Lagrangian system as the user describes it; `make_model` checks it and makes the `Model` that runs.
///
///     T(q,u) = u.A(q) u / 2      kinetic energy, J, a quadratic form of the velocities
///     V(q,t)                     potential energy, J
///     F(q,u,t)                   given forces, one per coordinate
///     g_c(q,t) >= 0              gaps of the unilateral contacts
///     phi(q,t) = 0, ...          constraints that act in both directions
///
/// Theory     docs/theory/lagrangian_systems.md, (LS-1) Lagrange's equations, (LS-2) velocity terms, (LS-3)
///            gaps

struct Coordinate {
    std::string name;
    std::string unit = "m";  ///< of the coordinate, for tables and pictures; the velocity has unit/s
};

/// A quantity to record.
struct Probe {
    std::string name;
    Formula value;
    std::string unit;
};

struct LagrangianSystem {
    std::vector<Coordinate> coordinates;
    Formula kinetic;
    Formula potential;
    std::vector<Formula> forces;  ///< one per coordinate, or empty for none
    std::vector<Contact> contacts;
    std::vector<Probe> probes;
    std::vector<Drawing> drawings;
    std::vector<Constraint> constraints = {};
    ImpactMap impact_map;  ///< instead of the restitutions of the contacts; empty: none
    std::string swept_by;  ///< the moving set, where these are the coordinates of a sweeping process

    /// Given forces that a program computes: control, measured loads. Added to `forces`, F += f(q, u, t);
    /// empty: none. Power series cannot follow them.
    std::function<void(const Point& at, std::span<double> F)> force_function = {};
};

/// T = u.A u / 2 for a constant kinetic matrix; A must be square, symmetric and finite.
[[nodiscard]] Expected<Formula> kinetic_energy_of(const Eigen::MatrixXd& A);

/// The impact map whose velocities after the impact are formulas of q, u- and t, one per coordinate.
[[nodiscard]] ImpactMap impact_map_of(std::vector<Formula> velocities_after);

}  // namespace carom
