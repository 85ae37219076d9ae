#pragma once

#include <Eigen/Core>

#include <array>
#include <vector>

namespace carom {

/// The motion on one interval between restarts, for dense output.
struct SeriesPiece {
    double t_s = 0;  ///< where it begins
    double h_s = 0;  ///< its length
    int order = 0;
    std::vector<double> q, u;  ///< coefficients: order + 1 per coordinate

    /// Reaction of a contact that acts, N: (normal, t1, t2), order + 1 coefficients each. Where equal
    /// contacts are joined, the sum of theirs, with the number of the contact in the joined system.
    struct Reaction {
        int contact = 0;
        int dimension = 1;
        std::vector<double> r;
    };
    std::vector<Reaction> reactions;

    /// Configuration and velocity at t_s + s.
    void at(double s, Eigen::VectorXd& q_out, Eigen::VectorXd& u_out) const;

    /// Reaction of a contact at t_s + s; zero where it does not act.
    [[nodiscard]] std::array<double, 3> reaction_N(int contact, double s) const;
};

}  // namespace carom
