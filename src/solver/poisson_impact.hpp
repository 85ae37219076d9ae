#pragma once

#include "carom/law/impact.hpp"
#include "carom/solver/solve.hpp"

#include <optional>

namespace carom {

/// Poisson's impact with Coulomb's friction, for any number of contacts, in two phases (IM-6):
///
///     compression    U_C = W P_C + U^-     the one-step problem with e = 0
///     restitution    U^+ = W P_R + U_C     P_R,N >= e P_C,N  perp  U^+_N >= 0, friction bounded by P_R,N
///
/// Without friction and for one contact this is Newton's law. With friction it can create energy: look at
/// admissibility(), or use energetic_impact.
///
/// Theory     docs/theory/impacts.md, (IM-6) phases, (IM-7) percussions that are bounded
/// Papers     [GlockerPfeiffer 1995]
struct PoissonSettings {
    std::optional<double> restitution = {};  ///< for all contacts, in [0, 1]; empty: that of each law
};

[[nodiscard]] Expected<Impact> poisson_impact(const Metric& A, const ImpactContacts& contacts,
                                              const Eigen::VectorXd& u_minus,
                                              const PoissonSettings& settings);

[[nodiscard]] ImpactMap poisson_map(const PoissonSettings& settings);

}  // namespace carom
