#pragma once

#include "carom/onestep/problem.hpp"
#include "expression/term.hpp"
#include "system/bodies/body_model.hpp"
#include "system/bodies/body_rows.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <Eigen/Dense>

#include <memory>
#include <span>
#include <vector>

namespace carom::detail {

class BodyFormulas;

/// One velocity of a system of bodies: component 0 to 2 of the centre or of a carrier, 3 to 5 of the angular
/// velocity, axes of the world.
struct BodyVelocity {
    int block, component;
};

/// The matrix through which percussions act on bodies whose springs and dampers are implicit (MJ-2):
///
///     J = A + h theta C + h^2 theta^2 S
///
/// A in blocks, one per body; C of dampers and of the damping of joints; S of springs, which couples all
/// bodies that springs connect. Formulas beside the bodies add the derivatives of their potentials and forces
/// and couple what a term names, carriers of coordinates included (BO-33). Velocities are those of the
/// centres and angular ones, axes of the world.
///
/// Theory     docs/theory/moreau_jean.md, (MJ-2); docs/theory/bodies.md, (BO-27)
class BodyResponse {
public:
    BodyResponse(const BodyModel& model, const BodyFormulas* formulas);

    /// Springs, dampers or forces of formulas are there: without them J = A, and nothing here is needed.
    [[nodiscard]] static bool is_needed(const BodyModel& model, const BodyFormulas* formulas);

    /// J with forces at the places `at`, where formulas see the bodies, around inertias whose inverses are
    /// those of the bodies half-way. Where the whole of S makes J indefinite it has the stiffness along
    /// springs alone.
    void evaluate(const BodyModel& model, double h_theta_s, const State& at,
                  std::span<const Mat3> inverse_inertia, BodyFormulas* formulas);

    /// Adds K, symmetric, of these velocities.
    void add(std::span<const BodyVelocity> velocities, const Eigen::MatrixXd& K);

    /// Momenta become velocities: (v, w) <- J^-1 (v, w). Bodies that do not move get zero.
    void solve(std::span<Vec3> v, std::span<Vec3> w);

    /// W = H J^-1 H^T of the interactions of the problem, whose offsets are those of the rows.
    void assemble(const BodyRows& rows, OneStepProblem& problem);

private:
    /// Velocity of the point of one body with an arm, or its angular velocity.
    struct End {
        int body;
        Vec3 arm;
        double sign;
        bool turns = false;
    };
    void put_masses(const BodyModel& model, std::span<const Mat3> inverse_inertia);
    void add_springs(const BodyModel& model, double h_theta_s, bool whole, std::span<const Vec3> x,
                     std::span<const Rotation> R);
    void add_joints(const BodyModel& model, double h_theta_s, std::span<const Vec3> x,
                    std::span<const Rotation> R);
    void add(std::span<const End> ends, const Mat3& E);
    void add_block(int first, int second, const Mat3& block, int row, int column);
    void scatter(std::span<const BodyRows::Term> row, double factor);
    [[nodiscard]] double product(std::span<const BodyRows::Term> row) const;
    void couple(const BodyRows& rows, const OneStepProblem& problem);

    std::vector<std::array<int, 6>> place_;  ///< per body: its velocities among all; -1: it has none such
    std::unique_ptr<const MassPattern> pattern_;
    std::unique_ptr<MassMatrix> J_;
    std::vector<double> x_;

    // of the problem that is assembled
    std::vector<std::vector<int>> islands_of_;  ///< per interaction
    std::vector<std::vector<int>> of_island_;   ///< interactions
    std::vector<int> neighbours_;
};

}  // namespace carom::detail
