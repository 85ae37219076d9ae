#pragma once

#include "carom/diagnosis/well_posedness.hpp"
#include "expression/workspace.hpp"
#include "system/lagrangian/mass_matrix.hpp"
#include "system/lagrangian/repeated_contacts.hpp"

#include <cstdint>

namespace carom::detail {

/// Numbers from -1 to 1, the same on every machine.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}

    double uniform() noexcept;
    Eigen::VectorXd vector(Eigen::Index size);
    int below(int end) noexcept;  ///< 0 .. end - 1

private:
    std::uint64_t state_;
};

/// States around the start whose gaps are not negative, near ones as often as far ones.
[[nodiscard]] std::vector<State> sampled_states(const Model& model, const State& start,
                                                const WellPosednessSettings& settings);

/// Configurations whose gaps are not negative.
class AdmissibleSet {
public:
    explicit AdmissibleSet(const Model& model) : model_(model), different_(different_contacts(model)) {}

    [[nodiscard]] bool contains(const Eigen::VectorXd& q, double t_s, double tolerance_m) const;

private:
    const Model& model_;
    std::vector<int> different_;  ///< contacts: of equal ones one is asked
};

/// Forces and metric of a model at any state.
class Dynamics {
public:
    explicit Dynamics(const Model& model);

    /// F(q,u,t) and dV/dq; f is their difference.
    [[nodiscard]] const Eigen::VectorXd& given_forces(const State& at);
    [[nodiscard]] const Eigen::VectorXd& potential_gradient(const State& at);

    /// A^-1 (F - dV/dq - c); NaN where A is not positive definite.
    [[nodiscard]] Eigen::VectorXd acceleration(const State& at);

    /// |u| and |p|* in the metric at q; NaN where A is not positive definite.
    [[nodiscard]] double length(const Eigen::VectorXd& q, const Eigen::VectorXd& u);
    [[nodiscard]] double dual_length(const Eigen::VectorXd& q, const Eigen::VectorXd& p);

private:
    bool factorise(const Eigen::VectorXd& q, const Eigen::VectorXd& u);

    const Model& model_;
    Workspace work_;
    MassMatrix A_;
    Eigen::VectorXd given_, gradient_, velocity_terms_;
};

}  // namespace carom::detail
