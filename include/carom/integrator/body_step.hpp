#pragma once

#include "carom/body/body_model.hpp"
#include "carom/geometry/ball_pairs.hpp"
#include "carom/geometry/broad_phase.hpp"
#include "carom/integrator/moreau.hpp"
#include "carom/solver/rigid_contacts.hpp"
#include "carom/solver/round_contacts.hpp"

#include <array>
#include <vector>

namespace carom {

/// Moreau's midpoint scheme for rigid bodies with shapes.
///
/// Symbols    q_M   places half-way through the step;  g_M  gaps there;  h  the step
///            U     velocity of the first body against the second at a contact, (normal, t1, t2), m/s
///            P     percussion on the first body, N s
/// Theory     docs/theory/bodies.md, (BO-8) step, (BO-9) contacts that close, (BO-10) correction; contacts,
///            laws and accounts as in docs/theory/moreau_scheme.md and energy_ledger.md

/// One contact point during a step.
struct BodyContact {
    int first = 0, second = 0;  ///< bodies
    ContactPoint at;            ///< half-way through the step
    int dimension = 3;          ///< 1 without friction, 2 in the plane, 3 in space
    double restitution = 0;
    double may_close_m_s = 0;  ///< an open contact may close so fast, U_N >= -may_close_m_s (BO-9)
    std::array<Vec3, 3> axes;  ///< normal, t1, t2
    Vec3 arm_first, arm_second;
    std::array<double, 3> U_minus{}, U_plus{}, P{};

    /// P in the axes of the world.
    [[nodiscard]] Vec3 percussion_Ns() const;
};

/// Memory of a step, reused by the next one. Listeners may read the contacts and the problem of the last
/// step.
struct BodyScratch {
    std::vector<BodyContact> contacts;  ///< sorted by bodies
    OneStepProblem problem;             ///< of W the diagonal only, where sweeps without the matrix solved it

    // inside the step
    BodyState mid, next;
    std::vector<Vec3> v_free, W_free, W_gyroscopic;
    std::vector<Wrench> potential, given;
    std::vector<Mat3> inverse_inertia;  ///< axes of the world, half-way
    std::vector<PlacedCollider> placed;
    std::vector<AxisBox> boxes;
    std::vector<double> reach_m;
    BroadPhase broad_phase;
    std::vector<std::array<int, 2>> pairs;
    std::vector<ContactPoint> points;
    std::vector<double> P, U, P_before;
    std::vector<Vec3> w_before, w_free;  ///< angular velocities, axes of the world
    std::vector<RigidBody> rigid_bodies;
    std::vector<RigidContact> rigid_contacts;
    RigidContacts sweeps;
    std::vector<int> order;                     ///< of the contacts in sweeps
    std::vector<std::vector<int>> contacts_of;  ///< per body
    SolverScratch solver;

    // inside the step of spheres
    bool round = false;  ///< the last step was one
    BallPairs balls;
    std::vector<double> ball_radii;
    std::vector<int> planes, touched;
    std::vector<RoundBody> round_bodies;
    std::vector<RoundContact> round_contacts;
    RoundContacts round_sweeps;

    // inside the correction
    std::vector<BodyContact> overlaps;
    OneStepProblem correction;
    std::vector<double> correction_P;
};

/// One step from state.t_s to state.t_s + settings.time_step_s. `NotFinite` leaves the state as it was.
[[nodiscard]] StepReport body_step(const BodyModel& model, const MoreauSettings& settings,
                                   const SolverSettings& solver, BodyState& state, BodyScratch& scratch);

/// Contact points at the places of `state`, gaps up to `reach_m`; sorted by bodies. For those who look at a
/// scene without moving it.
[[nodiscard]] std::vector<BodyContact> body_contacts(const BodyModel& model, const BodyState& state,
                                                     double reach_m);

}  // namespace carom
