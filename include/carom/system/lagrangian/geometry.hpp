#pragma once

#include "carom/convex/polyhedra.hpp"
#include "carom/law/impact.hpp"
#include "carom/system/lagrangian/model.hpp"

#include <vector>

namespace carom {

/// A model at one configuration: which contacts are closed, which velocities they allow, what an impact does
/// there. For inspection and small studies; the integrators assemble the same quantities in sparse form.
///
/// Theory     docs/theory/lagrangian_systems.md, (LS-4) closed contacts J(q), (LS-5) cones V(q), N(q)
/// Papers     [Moreau 1983] (1.3), (1.4), (2.4), (2.10);  [Moreau 1988] notation 2.1

/// The kinetic metric A(q). Error MetricNotPositive where some velocity has no kinetic energy.
[[nodiscard]] Expected<Metric> metric_at(const Model& model, const Eigen::VectorXd& q);

/// J(q): contacts whose gap is not above tolerance_m, sorted.
[[nodiscard]] std::vector<int> closed_contacts_at(const Model& model, const Eigen::VectorXd& q,
                                                  double t_s = 0, double tolerance_m = 1e-12);

/// Gradients of the gaps of the given contacts, one row each.
[[nodiscard]] Eigen::MatrixXd gap_gradients_at(const Model& model, const Eigen::VectorXd& q,
                                               std::span<const int> contacts, double t_s = 0);

/// All rows of the given contacts with their laws for the velocity u before an impact; a contact sticks where
/// it does not slide.
[[nodiscard]] ImpactContacts impact_contacts_at(const Model& model, const Eigen::VectorXd& q,
                                                const Eigen::VectorXd& u, std::span<const int> contacts,
                                                double t_s = 0);

/// V(q) = { u : H u >= 0 } of the given contacts; for obstacles at rest.
[[nodiscard]] Expected<PolyhedralCone> velocity_cone_at(const Model& model, const Eigen::VectorXd& q,
                                                        std::span<const int> contacts, double t_s = 0);

/// The canonical impact law with the restitution e at the closed contacts of q, from the velocity u- (IM-2).
[[nodiscard]] Expected<Impact> impact_at(const Model& model, const Eigen::VectorXd& q,
                                         const Eigen::VectorXd& u_minus, double restitution, double t_s = 0);

}  // namespace carom
