#pragma once

#include "carom/onestep/problem.hpp"

#include <Eigen/Core>

namespace carom::detail {

/// U or P of one interaction; as many components as its law has, without memory of their own.
using Components = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, max_components, 1>;

/// The set C of one interaction, its shift and its natural map, written out again for the check of solutions:
/// Coulomb's cone and the half-line by their formulas. Other sets ask the law for nearest points.
struct ReactionSet {
    const Law* law = nullptr;
    double mu = 0;
    bool is_free = false;       ///< bilateral: C is everything
    bool is_isotropic = false;  ///< Coulomb's cone with a disc, or the half-line
    bool is_rough = false;      ///< no closed set (OS-6)
    int dimension = 1;
    Components restitution_shift;  ///< s without friction, m/s

    [[nodiscard]] static ReactionSet of(const OneStepProblem& problem, int c);

    /// Only pushes, and only where it does not separate.
    [[nodiscard]] bool pushes() const { return is_unilateral(*law); }

    /// Nearest point of C.
    [[nodiscard]] Components projection(const Components& x) const;

    /// (lambda / d) (P - proj_C(P - (d^2 / lambda) (U + s))): the map of (OS-3) after the scaling (OS-5) by
    /// d, and after percussions have been made lambda times as large (OS-9). For cones this is the map of
    /// lambda P / d and d U. V = U + restitution_shift.
    [[nodiscard]] Components natural_map(const Components& P, const Components& V, double d,
                                         double lambda = 1) const;

    /// V + sigma(-V_T) n: what C is normal to, with sigma of the reactions whose normal part is one.
    [[nodiscard]] Components with_friction_shift(const Components& V) const;

    /// How far P is from C, N s; of Coulomb's cone |P_T| - mu P_N; <= 0 within C.
    [[nodiscard]] double outside(const Components& P) const;

    /// What the reaction takes from the motion V at its bound, J: of contacts sup { -x.V_T : (P_N, x) in C },
    /// mu P_N |V_T| for a disc; of sets that give way sup { -x.V : x in C }. Zero where there is no bound.
    [[nodiscard]] double dissipation(const Components& P, const Components& V) const;
};

[[nodiscard]] Components components(std::span<const double> block);

/// d_c = (trace W_cc / dim)^(-1/2) of (OS-5); 1 without inertia.
[[nodiscard]] double scaling(const OneStepProblem& problem, int c);

}  // namespace carom::detail
