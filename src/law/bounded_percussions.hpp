#pragma once

#include "carom/law/impact.hpp"

#include <Eigen/Dense>

namespace carom {

/// Percussions of one phase of an impact, whose normal parts are bounded from below and above:
///
///     U = W P + U_free,     low <= P_N <= high,     U_N >= 0 where P_N = low,  <= 0 where P_N = high,  else
///     0 P_T in P_N mu S,      -U_T in N_{P_N mu S}(P_T)                                              (IM-7)
///
/// low = high is friction under a known pressure, low = 0 and high infinite Coulomb's law itself. Relaxation,
/// one component block at a time: for the few contacts of an impact.
///
/// Theory     docs/theory/impacts.md, (IM-7)
struct PercussionBounds {
    Eigen::VectorXd low_Ns, high_Ns;  ///< one per contact; high may be infinite
};

struct RelaxationSettings {
    double tolerance = 1e-14;  ///< last change of P relative to P; > 0
    int max_sweeps = 20000;    ///< >= 1
};

/// Solves in place, warm started by P. False when the relaxation did not settle; P is in its cones even then.
[[nodiscard]] bool solve_bounded(const ImpactContacts& contacts, const Eigen::MatrixXd& W,
                                 const Eigen::VectorXd& U_free, const PercussionBounds& bounds,
                                 Eigen::VectorXd& P, const RelaxationSettings& settings = {});

}  // namespace carom
