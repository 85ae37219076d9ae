#pragma once

#include "carom/convex/metric.hpp"
#include "carom/core/expected.hpp"
#include "carom/law/law.hpp"

#include <Eigen/Dense>

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace carom {

/// Impacts: the velocity after a shock from the velocity before it, at one configuration.
///
/// Symbols    A    kinetic matrix, the metric of velocities;  H  rows: gradients of the closed gaps
///            V = { u : H u >= 0 }   velocities that no closed contact forbids;  N  its polar cone in the
///            metric u-, u+   velocity before and after;  P  percussion of each contact, N s:  A (u+ - u-) =
///            H^T P, and with friction rows^T P
/// Theory     docs/theory/impacts.md, (IM-1) standard inelastic shock, (IM-2) canonical law, (IM-3)
///            admissible maps, (IM-4) sequential map, (IM-5) admissible with friction
/// Papers     [Moreau 1983] 5, [Ballard 2002] (1.10)-(1.13)

struct Impact {
    Impact() = default;

    /// The answer of a map that does not name its percussions.
    Impact(Eigen::VectorXd velocity_after) : u_plus(std::move(velocity_after)) {}

    Eigen::VectorXd u_plus;
    Eigen::VectorXd percussions_Ns;  ///< one per row of H, or of all rows with friction; empty: not given
    double energy_loss_J = 0;        ///< kinetic energy before minus after
    int collisions = 0;              ///< single collisions the map went through; 1 for laws that act at once
};

/// u+ = prox(V, u-) - e prox(N, u-) (IM-2), e in [0, 1]; e = 0 is the standard inelastic shock (IM-1).
[[nodiscard]] Expected<Impact> canonical_impact(const Metric& A, const Eigen::MatrixXd& H,
                                                const Eigen::VectorXd& u_minus, double restitution);

struct SequentialSettings {
    double restitution = 1.0;     ///< e of every single collision, in [0, 1]
    int max_collisions = 100000;  ///< >= 1; with e < 1 infinitely many may be needed
};

/// Contacts collide one at a time, the first approaching one first, as if tiny gaps were between them, until
/// none approaches (IM-4). For a row of equal balls and e = 1 this is what Newton's cradle shows. An impact
/// that needs more than max_collisions gives ErrorCode::SettingOutOfRange.
[[nodiscard]] Expected<Impact> sequential_impact(const Metric& A, const Eigen::MatrixXd& H,
                                                 const Eigen::VectorXd& u_minus,
                                                 const SequentialSettings& settings);

/// How far a map u- -> u+ is from what theory requires (IM-3): all three are zero for an admissible one.
struct Admissibility {
    double leaves_V_m_s = 0;     ///< worst approach speed left after the impact
    double outside_N = 0;        ///< kinetic norm of the part of u+ - u- that no contact can give
    double energy_gained_J = 0;  ///< kinetic energy created
};

[[nodiscard]] Admissibility admissibility(const Metric& A, const Eigen::MatrixXd& H,
                                          const Eigen::VectorXd& u_minus, const Eigen::VectorXd& u_plus);

/// The closed contacts of an impact with all their rows, normal and tangential:  U = rows u + b.
struct ImpactContacts {
    Eigen::MatrixXd rows;
    Eigen::VectorXd b;            ///< speeds of the obstacles, m/s, one per row
    std::vector<int> offsets{0};  ///< where the rows of a contact begin, normal first; one more than laws
    std::vector<Law> laws;

    [[nodiscard]] int size() const noexcept { return static_cast<int>(laws.size()); }
    [[nodiscard]] int dimension(int k) const noexcept { return offsets[k + 1] - offsets[k]; }
    [[nodiscard]] bool has_friction() const noexcept { return rows.rows() > size(); }

    /// H u + b of the normal rows.
    [[nodiscard]] Eigen::VectorXd normal_velocities(const Eigen::VectorXd& u) const;
};

/// Contacts with obstacles at rest. Errors: WrongSize when the rows are not those of the laws, what
/// check(law) refuses.
[[nodiscard]] Expected<ImpactContacts> make_impact_contacts(Eigen::MatrixXd rows, std::vector<Law> laws);

/// The same with friction (IM-5): P in the friction cones of the laws, energy without what moving obstacles
/// bring in. Percussions that the impact names are checked as given; otherwise the nearest
/// ones are used.
[[nodiscard]] Admissibility admissibility(const Metric& A, const ImpactContacts& contacts,
                                          const Eigen::VectorXd& u_minus, const Impact& impact);

/// Percussions in the friction cones whose jump A^-1 rows^T P comes nearest to the given one, kinetic metric.
[[nodiscard]] Eigen::VectorXd percussions_of_jump(const Metric& A, const ImpactContacts& contacts,
                                                  const Eigen::VectorXd& jump);

/// Where an impact happens.
struct ImpactSite {
    const Metric& A;
    const Eigen::MatrixXd& H;       ///< gradients of the closed gaps, one row each
    const ImpactContacts& closed;   ///< the same contacts with friction and laws
    std::span<const int> contacts;  ///< of the model, in the order of the rows
    const Eigen::VectorXd& q;
    double t_s = 0;
};

/// A user-defined law: u+ from u-, and its percussions if known. An integrator calls it where an open
/// contact closes while approaching, before it continues with inelastic contacts, and checks the result by
/// admissibility().
using ImpactMap = std::function<Impact(const ImpactSite& site, const Eigen::VectorXd& u_minus)>;

/// The maps above as an ImpactMap: frictionless, relative to obstacles that move (IM-12). Data that they
/// refuse, and obstacles that no velocity follows, give a velocity that is not a number.
[[nodiscard]] ImpactMap canonical_map(double restitution);
[[nodiscard]] ImpactMap sequential_map(const SequentialSettings& settings);

/// An answer as a map gives it: the velocity is not a number where there is an error.
[[nodiscard]] Impact impact_or_nan(const Expected<Impact>& impact, Eigen::Index size);

}  // namespace carom
