#pragma once

#include "carom/stepping/settings.hpp"
#include "geometry/ball_pairs.hpp"
#include "geometry/broad_phase.hpp"
#include "solver/swept_contacts.hpp"
#include "stepping/body_contact.hpp"
#include "stepping/body_islands.hpp"
#include "stepping/mechanism.hpp"
#include "stepping/scratch.hpp"
#include "system/bodies/joint_rows.hpp"

#include <array>
#include <memory>
#include <vector>

namespace carom {

/// Moreau's midpoint scheme for rigid bodies with shapes.
///
/// Symbols    q_M   places half-way through the step;  g_M  gaps there;  h  the step
///            U     velocity of the first body against the second at a contact, (normal, t1, t2), m/s
///            P     percussion on the first body, N s
/// Theory     docs/theory/bodies.md, (BO-8) step, (BO-9) contacts that close, (BO-10) correction; contacts,
///            laws and accounts as in docs/theory/moreau_scheme.md and energy_ledger.md

/// The deepest overlap of some pairs.
struct DeepestOverlap {
    double depth_m = 0;
    int first = -1, second = -1;  ///< the pair that overlaps most beside its size
    double part = 0;              ///< by how much

    /// `size_m`: BodyModel::size_of_pair_m; a depth that is not above zero is no overlap.
    void see(int a, int b, double depth, double size_m) noexcept;
    void see(const DeepestOverlap& other) noexcept;  ///< of other pairs
};

namespace detail {

/// Two bodies, and a point where they meet: what detection finds. All else of a contact follows from it, so
/// that ranks tell each other no more.
struct Meeting {
    int first = 0, second = 0;  ///< bodies
    ContactPoint at;
};

class BodyFormulas;
class BodyResponse;
class JointSweeps;

/// Inside sweeps of single precision.
struct QuickScratch {
    std::vector<std::array<int, 2>> pairs;
    std::vector<char> round, moves;
    std::vector<int> places;  ///< of the bodies along the scene; none: their numbers are
    bool knows_places = false;
    bool of_step = false;  ///< these are the contacts of the step, all of them round
    SweptContacts<float> sweeps;
};

/// How a body has moved within the step, to first order.
struct BodyDisplacement {
    Vec3 by{0, 0, 0}, turned{0, 0, 0};
    double angle = 0;

    [[nodiscard]] Vec3 of(const Vec3& arm) const { return by + turned.cross(arm); }
};

/// A point at the end of the step, of a pair that leaves by restitution or is to be corrected.
struct Overlap {
    Meeting meeting;
    double error_m = 0;  ///< how far its gap may be off
    bool leaves = false;
};

/// Inside the statuses of contacts.
struct StatusScratch {
    std::vector<int> kept_of;  ///< per contact: its number in State::kept, -1: none
    std::vector<char> found;   ///< per kept contact: it is among those of the step
    std::vector<int> told;     ///< contacts that act, or are known from the step before
    std::vector<char> ended;   ///< per contact that is told: its impact has ended
    std::vector<ContactStep> steps;
    std::vector<ContactMemory> statuses;  ///< of steps
    std::vector<int> place;               ///< of steps: where in `kept`
    std::vector<int> place_of;            ///< the same per contact
    std::vector<int> closing;             ///< contacts whose impact the next step ends
    std::vector<KeptContact> kept;
    BodyIslands islands;       ///< of what contacts of the step tie together, once somebody asks
    bool tied = false;         ///< they have been found
    std::vector<char> struck;  ///< per body, of the lowest body of an island
    std::vector<std::array<double, 4>> speeds;  ///< per body: sizes of v and w before the step and after it
    std::vector<char> touched;                  ///< per stop of a joint: it touched in the step before
};

}  // namespace detail

/// Memory of a step, reused by the next one. Listeners may read the contacts and the problem of the last
/// step.
struct BodyStepMemory {
    std::vector<BodyContact> contacts;     ///< sorted by bodies
    std::vector<BeyondCoulomb> beyond;     ///< of those that have more than Coulomb's law
    std::vector<JointPart> joints;         ///< interactions of the problem after the contacts
    std::vector<JointReaction> reactions;  ///< one per joint
    OneStepProblem problem;  ///< of W the diagonal only, where factors of it or of joints were enough
    std::vector<Event> events;

    // coordinates, contacts and constraints of formulas beside the bodies; null: none
    std::shared_ptr<detail::BodyFormulas> formulas;
    bool law_out_of_range = false;
    std::vector<Finding> findings;

    // inside the step
    State mid, next;     ///< `mid`: where contacts are taken, half-way but with cone_point = "end"
    State half;          ///< half-way through the step, where forces are taken, if that is elsewhere
    double ahead_s = 0;  ///< from half-way to `mid`
    BodyRows rows;       ///< of the problem
    std::vector<double> joint_U_plus;
    double map_joint_J = 0;  ///< work of joints while an impact map acted
    std::vector<Vec3> v_free, W_free, W_gyroscopic;
    std::vector<Wrench> potential, given;
    std::vector<Wrench> constrained;       ///< N s, N m s: of gears, formulas and of joints in an impact map
    std::vector<Vec3> spin_Nms;            ///< change of angular momentum, per body; for diagrams
    std::vector<Wrench> loads, end_loads;  ///< among the given ones: half-way, and at one end
    std::vector<double> load_defect_J;  ///< per body, what their path does beside (LE-4); none without them
    std::vector<Mat3> inverse_inertia;  ///< axes of the world, half-way
    std::vector<PlacedCollider> placed;
    std::vector<AxisBox> boxes;
    std::vector<double> reach_m;
    BroadPhase broad_phase;
    std::vector<std::array<int, 2>> pairs;
    std::vector<detail::Meeting> meetings;  ///< of which the contacts are made
    std::vector<ContactPoint> points;
    std::vector<double> P, U;
    double part_of_step = 1;  ///< length of this step beside the last one, and of percussions that hold
    std::vector<Vec3> v_before, W_before;

    // of the theta scheme; Moreau's has the weight 1/2, and percussions act through masses and inertias alone
    double theta = 0.5;
    bool implicit = false;  ///< percussions act through `response`
    std::shared_ptr<detail::BodyResponse> response;
    State forces_at;                     ///< where forces are taken
    std::vector<Vec3> v_start, W_start;  ///< as the step began, on prescribed paths too
    std::vector<Vec3> v_last, W_last;    ///< before the last pass of its iteration

    std::vector<Vec3> w_before, w_free, w_after;  ///< angular velocities, axes of the world
    std::vector<std::vector<int>> contacts_of;    ///< per body

    /// problem.W has all its blocks, those of these rows: forces that are taken a second time change neither.
    struct WholeOperator {
        bool known = false;
        BodyRows rows;
        std::vector<int> offsets;
    } whole;
    SolverScratch solver;

    // inside the step of spheres
    bool round = false;  ///< the last step was one
    BallPairs balls;
    std::vector<double> ball_radii;           ///< with their reach; < 0: no ball
    std::vector<double> radii;                ///< 0: no ball
    std::vector<std::array<double, 4>> ends;  ///< per contact: normal and gap at the end of the step
    std::vector<int> planes, touched;

    // on the path of fast bodies
    std::array<PlacedCollider, 3> on_path;
    std::vector<int> near;

    detail::StatusScratch statuses;

    // inside the step of joints: what they hold, and with it motors without limits (BO-30)
    Mechanism held, driven;
    bool held_is_factorised = false, driven_is_factorised = false;  ///< in this step
    bool held_at_end = false;                                       ///< at the places of its end
    std::vector<double> held_P, held_U, firm_P;
    std::shared_ptr<detail::JointSweeps> joint_sweeps;
    std::vector<double> P_start;    ///< where they began
    std::vector<int> giving_way;    ///< parts of joints that are not firm
    std::vector<double> responses;  ///< of the firm rows to a percussion of 1 along each of these

    // inside the correction
    std::vector<std::array<int, 2>> found_pairs;
    std::vector<detail::Overlap> found_overlaps;  ///< of which the overlaps are made
    std::vector<BodyContact> overlaps;
    std::vector<std::array<int, 2>> correction_pairs;
    std::vector<char> needs_shapes;  ///< of these: their points are not carried from half-way
    std::vector<char> is_placed;     ///< per body: `placed` is that of the end
    std::vector<detail::BodyDisplacement> displaced;  ///< per body, since half-way
    DeepestOverlap deepest, deepest_left;  ///< at the end of the step: of all pairs, of those to be corrected
    std::vector<JointPart> violations;
    BodyRows correction_rows;
    bool rows_are_at_end = false;  ///< of joints alone, at the places of `next`
    std::vector<Vec3> correction_v, correction_w;
    OneStepProblem correction;
    std::vector<double> correction_P;

    detail::QuickScratch quick;
};

/// One step from state.t_s to state.t_s + settings.time_step_s. `NotFinite` leaves the state as it was.
[[nodiscard]] StepReport body_step(const BodyModel& model, const MoreauSettings& settings,
                                   const SolverSettings& solver, State& state, BodyStepMemory& scratch);

/// The same by the theta scheme (BO-27).
[[nodiscard]] StepReport moreau_jean_body_step(const BodyModel& model, const MoreauJeanSettings& settings,
                                               const SolverSettings& solver, State& state,
                                               BodyStepMemory& scratch);

/// What the theta scheme has as Moreau's has it: contacts, correction, the overlap that is allowed.
[[nodiscard]] MoreauSettings midpoint_settings(const MoreauJeanSettings& settings);

}  // namespace carom
