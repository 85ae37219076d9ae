#pragma once

#include "carom/law/impact.hpp"

#include <optional>

namespace carom::detail {

/// What maps with friction have in common: an impact seen from its contacts.
struct LocalImpact {
    Eigen::MatrixXd W;  ///< rows A^-1 rows^T
    Eigen::VectorXd U;  ///< local velocities, flat; a map moves them along
    Eigen::VectorXd P;  ///< percussions so far, flat
    std::vector<double> restitution;
    double nothing_m_s = 0;  ///< velocities below this are rounding of the ones that came in
};

/// Checks sizes and laws; `restitution`, where given, is that of all contacts.
[[nodiscard]] Expected<LocalImpact> local_impact(const Metric& A, const ImpactContacts& contacts,
                                                 const Eigen::VectorXd& u_minus,
                                                 std::optional<double> restitution);

/// u+ and its energy from the percussions.
[[nodiscard]] Impact finished(const Metric& A, const ImpactContacts& contacts, const Eigen::VectorXd& u_minus,
                              const Eigen::VectorXd& P, int collisions);

}  // namespace carom::detail
