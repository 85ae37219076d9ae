#pragma once

#include "carom/law/impact.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace carom {

/// Impacts with friction that follow the percussion while it grows, and so keep the books of energy.
///
/// Symbols    p    normal percussion so far, N s, the clock of an impact;  U(p)  local velocity
///            e    energetic restitution: the normal force gives back e^2 of the work it took
///            K, eta   stiffness and exponent of F = K delta^eta at a contact of LZB; only ratios of K matter
/// Theory     docs/theory/impacts.md, (IM-8) growth of the percussion, (IM-9) energetic restitution, (IM-10)
///            LZB
/// Papers     [Stronge 1990], [LiuZhaoBrogliato 2008]

/// One contact alone, from the velocity U to the end of restitution.
struct Collision {
    std::array<double, 3> P{};  ///< N s, (normal, t1, t2)
    double compression_J = 0;   ///< work that the normal force took, >= 0
    double restitution_J = 0;   ///< and gave back: e^2 of it
    bool ended = true;          ///< false: wedged, no percussion ends the approach
};

/// Coulomb's law holds at every instant while p grows; the impact ends by energetic restitution (IM-9).
/// Exact for intervals, polygons and rough contacts, where the motion is piecewise linear in p; by Runge and
/// Kutta to 1e-12 for discs and ellipses. W row by row, U normal first. Never creates energy.
[[nodiscard]] Collision collide(const Law& law, std::span<const double> W, std::span<const double> U,
                                double restitution);

struct EnergeticSettings {
    std::optional<double> restitution = {};  ///< for all contacts, in [0, 1]; empty: that of each law
    int max_collisions = 100000;             ///< >= 1
};

/// `collide` at the first approaching contact, again and again until none approaches. For one contact this is
/// Stronge's law. Tangential restitutions of the laws are not read.
[[nodiscard]] Expected<Impact> energetic_impact(const Metric& A, const ImpactContacts& contacts,
                                                const Eigen::VectorXd& u_minus,
                                                const EnergeticSettings& settings);

struct LzbSettings {
    std::optional<double> restitution = {};  ///< for all contacts, in [0, 1]; empty: that of each law
    std::vector<double> stiffness = {};      ///< K of each contact, > 0; empty: all the same
    double exponent = 1.5;                   ///< eta, >= 1; 1 is a linear spring, 1.5 Hertz
    int steps_per_radian = 300;              ///< resolution, >= 10; errors fall with its square
    int max_steps = 2000000;                 ///< >= 1
};

/// All contacts at once (IM-10): each stores the work it takes as potential energy and pushes by what it has
/// stored, so that energies decide how percussions share. Kinetic and stored energy together never grow,
/// whatever the resolution.
[[nodiscard]] Expected<Impact> lzb_impact(const Metric& A, const ImpactContacts& contacts,
                                          const Eigen::VectorXd& u_minus, const LzbSettings& settings);

/// The same as an ImpactMap. Stiffnesses of the LZB map count the contacts of the model.
[[nodiscard]] ImpactMap energetic_map(const EnergeticSettings& settings);
[[nodiscard]] ImpactMap lzb_map(const LzbSettings& settings);

}  // namespace carom
