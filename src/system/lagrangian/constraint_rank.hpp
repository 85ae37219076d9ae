#pragma once

#include "carom/system/lagrangian/model.hpp"

#include <string>
#include <vector>

namespace carom {

/// Whether the firm constraints of a model are independent where it stands, and if not, whether that is a
/// matter of reactions only.
///
///     rank H = rows              independent: one motion, one set of reactions
///     rank H < rows, redundant   positions allow every velocity that H u = 0 allows: one motion, reactions
///     not
///                                unique
///     rank H < rows, singular    they do not: the gradients have lost rank just here, and a motion need not
///                                exist (B02, counter-example 3)
///
/// Theory     docs/theory/constraints.md, (CO-10) rank, (CO-11) singular configurations
/// Papers     [Ballard 2002] 2, hypothesis I and counter-example 3
struct ConstraintRank {
    int rows = 0;
    int rank = 0;
    bool singular = false;             ///< some velocity with H u = 0 is no motion of the positions
    bool has_solution = true;          ///< false: the forces drive the system along such a velocity
    Eigen::VectorXd unbalanced_force;  ///< K less the nearest reaction, one entry per coordinate
    std::vector<std::string> names;    ///< constraints of rows that depend on each other

    [[nodiscard]] bool independent() const noexcept { return rank == rows; }
};

/// What the diagnosis asks of a system: conditions that it holds and the kinetic metric, near one place. A
/// place is told by its displacement from there, in any chart: coordinates, or displacements and turns of
/// bodies.
class FirmRows {
public:
    virtual ~FirmRows() = default;

    [[nodiscard]] virtual int size() const = 0;  ///< held positions and rows of velocities
    [[nodiscard]] virtual const std::string& name(int row) const = 0;

    /// H and, where the system stands, b of U = H u + b; phi of held positions, zero for rows of velocities.
    [[nodiscard]] virtual Eigen::MatrixXd H(const Eigen::VectorXd& moved) const = 0;
    [[nodiscard]] virtual Eigen::VectorXd b() const = 0;
    [[nodiscard]] virtual Eigen::VectorXd phi(const Eigen::VectorXd& moved) const = 0;

    [[nodiscard]] virtual Eigen::MatrixXd metric() const = 0;  ///< A
    [[nodiscard]] virtual Eigen::VectorXd forces() const = 0;  ///< K
    [[nodiscard]] virtual double place_size() const = 0;       ///< what displacements are small against
};

/// Looks at firm rows, dense: for systems of up to some hundred rows.
[[nodiscard]] ConstraintRank diagnose_rows(const FirmRows& rows);

/// The same for the rows of a model that act unconditionally.
[[nodiscard]] ConstraintRank diagnose_constraints(const Model& model, const State& state);

/// Firm rows that depend on each other with right-hand sides that do not: y^T H = 0 and y^T b != 0 for some
/// y. Then no velocity has H u + b = 0. (CO-13)
struct ConstraintConflict {
    double difference = 0;           ///< the largest |y^T b| for |y| = 1, rows of unit length; 0: none
    std::vector<std::string> names;  ///< constraints that take part

    [[nodiscard]] bool found() const noexcept { return !names.empty(); }
};
[[nodiscard]] ConstraintConflict compare_right_hand_sides(const FirmRows& rows);
[[nodiscard]] ConstraintConflict compare_right_hand_sides(const Model& model, const State& state);

/// A constraint whose reaction has no bound against the velocity that it has (B02 1.34).
struct OutsideLaw {
    std::string name;
    double velocity = 0;  ///< of its row that is largest
};
[[nodiscard]] std::vector<OutsideLaw> starts_outside_laws(const Model& model, const State& state);

}  // namespace carom
