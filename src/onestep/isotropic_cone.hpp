#pragma once

#include "carom/onestep/problem.hpp"

#include <Eigen/Core>

namespace carom::detail {

/// The set C of one interaction and its shift, written out again for the check of solutions: Coulomb's cone
/// and the half-line by their formulas. Only shapes of friction that are no disc ask the law.
struct Cone {
    const Law* law = nullptr;
    double mu = 0;
    bool is_free = false;      ///< bilateral: C is everything
    bool is_isotropic = true;  ///< or frictionless
    int dimension = 1;
    Eigen::Vector3d restitution_shift = Eigen::Vector3d::Zero();  ///< s without friction, m/s

    [[nodiscard]] static Cone of(const OneStepProblem& problem, int c);

    /// Nearest point of C.
    [[nodiscard]] Eigen::Vector3d projection(const Eigen::Vector3d& x) const;

    /// V + mu |V_T| n for V = U + restitution_shift: what the cone is normal to.
    [[nodiscard]] Eigen::Vector3d with_friction_shift(const Eigen::Vector3d& V) const;

    /// |P_T| - mu P_N, or how far P_T is from its set for other shapes; <= 0 within C.
    [[nodiscard]] double outside(const Eigen::Vector3d& P) const;

    /// mu P_N |V_T|: what friction takes from the motion at its bound, J.
    [[nodiscard]] double dissipation(const Eigen::Vector3d& P, const Eigen::Vector3d& V) const;
};

/// A block of one to three entries, with zeros after them.
[[nodiscard]] Eigen::Vector3d padded(std::span<const double> block);

/// d_c = (trace W_cc / dim)^(-1/2) of (OS-5); 1 without inertia.
[[nodiscard]] double scaling(const OneStepProblem& problem, int c);

}  // namespace carom::detail
