#pragma once

#include "carom/diagnosis/well_posedness.hpp"

#include <optional>

namespace carom::detail {

/// Gaps of some contacts and all positions and velocities that constraints hold firmly, as functions of q:
/// Newton's iterations to where the values vanish, and from there to where gradients depend on each other.
class DegenerateSearch {
public:
    DegenerateSearch(const Model& model, std::span<const int> contacts, double t_s, double length_m);

    /// Moves q until all values vanish, each time by the least displacement of the kinetic metric.
    [[nodiscard]] bool close(Eigen::VectorXd& q) const;

    /// From there, by Gauss and Newton on the values and on  sum y_i grad_i / |grad_i| = 0,  |y| = 1  at
    /// once, to a configuration where the gradients depend on each other; `usual` are their usual lengths.
    /// False where it does not lead to one. (WP-1)
    [[nodiscard]] bool pull(const Eigen::VectorXd& usual, Eigen::VectorXd& q) const;

    /// Rows of the contacts, then firm rows: unconditional held positions and velocities.
    [[nodiscard]] Eigen::MatrixXd rows(const Eigen::VectorXd& q) const;
    [[nodiscard]] int size() const noexcept;

    /// Lengths of the rows in the dual kinetic metric; empty where there is none.
    [[nodiscard]] Eigen::VectorXd lengths(const Eigen::VectorXd& q) const;

private:
    [[nodiscard]] Eigen::VectorXd values(const Eigen::VectorXd& q) const;
    [[nodiscard]] Eigen::MatrixXd unit_columns(const Eigen::VectorXd& usual, const Eigen::VectorXd& q) const;

    const Model& model_;
    std::vector<int> contacts_;
    std::vector<int> firm_;  ///< interactions
    double t_s_, length_m_;
    int held_ = 0;  ///< rows with values: contacts and held positions
};

/// Gradients of closed contacts among the velocities that firm constraints allow: less their part along firm
/// rows, in the kinetic metric.
[[nodiscard]] Eigen::MatrixXd free_gap_gradients(const Model& model, const Metric& A,
                                                 const Eigen::VectorXd& q, std::span<const int> contacts,
                                                 double t_s);

/// A configuration that the constraints allow and where their gradients depend on each other.
[[nodiscard]] std::optional<Eigen::VectorXd>
find_singular_configuration(const Model& model, const State& start, const WellPosednessSettings& settings);

}  // namespace carom::detail
