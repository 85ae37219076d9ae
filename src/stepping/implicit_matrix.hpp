#pragma once

#include "carom/system/lagrangian/model.hpp"
#include "system/lagrangian/contact_coupling.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <memory>

namespace carom {

/// The symmetric matrix that an implicit step iterates with (MJ-2):
///
///     J = A + h^2 theta^2 d2V/dq2 - sym( h theta dF/du + h^2 theta^2 dF/dq )
///
/// Its pattern joins what kinetic energy, potential and forces couple, so it may have fewer and larger
/// islands than A. The skew part of the derivatives is left to the iteration.
class ImplicitMatrix {
public:
    explicit ImplicitMatrix(const Model& model);

    /// Evaluates J around the kinetic matrix `A` and factorises it. Where the derivatives make it indefinite,
    /// J = A. False when A itself is not positive.
    [[nodiscard]] bool evaluate(const Model& model, MassMatrix& A, const Point& at, double h_theta,
                                Workspace& work);

    [[nodiscard]] MassMatrix& matrix() noexcept { return J_; }
    [[nodiscard]] const ContactCoupling& coupling() const noexcept { return coupling_; }

private:
    void add_potential(const Model& model, const Point& at, double scale, Workspace& work);
    void add_forces(const Model& model, const Point& at, double h_theta, Workspace& work);

    std::unique_ptr<const MassPattern> pattern_;  // J keeps its address
    ContactCoupling coupling_;
    MassMatrix J_;
    std::vector<int> slot_of_mass_;
};

}  // namespace carom
