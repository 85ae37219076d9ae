#pragma once

#include "carom/expression/formula.hpp"
#include "carom/law/impact.hpp"
#include "carom/system/lagrangian/constraint.hpp"
#include "carom/system/lagrangian/contact.hpp"
#include "carom/system/lagrangian/drawing.hpp"

#include <Eigen/Dense>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace carom {

/// A Lagrangian system as the user describes it; `make_model` checks it and makes the `Model` that runs.
///
///     T(q,u) = u.A(q) u / 2      kinetic energy, J, a quadratic form of the velocities
///     V(q,t)                     potential energy, J
///     F(q,u,t)                   given forces, one per coordinate
///     g_c(q,t) >= 0              gaps of the unilateral contacts
///     phi(q,t) = 0, ...          constraints that act in both directions
///
/// Theory     docs/theory/lagrangian_systems.md, (LS-1) Lagrange's equations, (LS-2) velocity terms, (LS-3)
/// gaps

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
