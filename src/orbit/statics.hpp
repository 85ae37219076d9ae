#pragma once

#include "variational_system.hpp"

#include "carom/scene/scene.hpp"
#include "expression/workspace.hpp"

#include <complex>

namespace carom::detail {

/// A scene at rest with some contacts closed (OR-20), in the unknowns x = (q, r_N, p):
///
///     K(q, 0) + H_N^T r_N + s mu_s H_T^T r_N = 0,    g(q) = 0
class Statics {
public:
    /// `sides` has the s of each closed contact with friction.
    Statics(const Scene& scene, const SceneSymbols& symbols, std::vector<int> closed, std::vector<int> sides);

    void evaluate(const Eigen::VectorXd& x);
    Eigen::VectorXd residual;
    Eigen::MatrixXd J;  ///< one column more than rows: the parameter, last

    /// Of small motions with closed contacts held: M z'' + D z' + S z = 0 along what they leave free.
    [[nodiscard]] std::vector<std::complex<double>> eigenvalues(const Eigen::VectorXd& x);

    /// Of all contacts.
    [[nodiscard]] std::vector<double> gaps(const Eigen::VectorXd& x);

private:
    void add_contact(std::size_t k, double side, const Eigen::VectorXd& x);
    [[nodiscard]] VariationalSystem::Place place(const Eigen::VectorXd& x);

    VariationalSystem system_;
    std::vector<int> closed_, sides_;
    double t_s_;
    Workspace work_;
    Eigen::MatrixXd damping_;
};

}  // namespace carom::detail
