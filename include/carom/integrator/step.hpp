#pragma once

#include "carom/integrator/assembly.hpp"
#include "carom/integrator/implicit_matrix.hpp"
#include "carom/ledger/certificate.hpp"
#include "carom/ledger/energy.hpp"
#include "carom/ledger/event.hpp"
#include "carom/solver/solve.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string_view>

namespace carom {

struct SeriesMemory;

/// What the time-stepping schemes have in common: how a step ends, what it reports, and its memory.

/// How a step ended. `Solved` and `NotSolved` have advanced the state; the others have left it as it was.
enum class StepStatus {
    Solved,
    NotSolved,       ///< the one-step problem missed its tolerance; best percussions used
    NotFinite,       ///< NaN or infinity in forces, gaps or velocities
    MetricSingular,  ///< A(q) lost its positivity at the midpoint
    LawOutOfRange,   ///< a restitution formula left [0, 1], a limit became negative, or a map gave no number
    Undetermined,    ///< the motion has no continuation, several, or none that the scheme can find
    NoNearestPoint,  ///< of a moving set
};

[[nodiscard]] std::string_view name_of(StepStatus status) noexcept;

/// One contact that was active in a step. Components are (normal, t1, t2); those it has not are zero.
struct ContactStep {
    int contact = 0;
    int dimension = 1;
    std::array<double, 3> U_minus{}, U_free{}, U_plus{};  ///< m/s
    std::array<double, 3> P{};                            ///< N s, of the step, with that of an impact map
    double energy_J = 0;     ///< what the normal percussion did to the kinetic energy: P at the mean of U
    double friction_J = 0;   ///< what the tangential one did
    double from_free_J = 0;  ///< what both did from the free velocity on: without what forces did meanwhile
    double W_1_kg = 0;       ///< W_NN: what a percussion of 1 N s alone changes of U_N
    double W_tangential_1_kg = 0;  ///< largest diagonal entry of W_TT
    double sliding_margin = 1;     ///< 1 - mu |W_NT| / W_NN: below zero sliding has none or several motions
    double restitution = 0;
    double rounding_m_s = 0;  ///< what rounding may make of U_N, from the terms it is a sum of
    bool persists = false;    ///< it touched before and goes on touching: its percussion is a force's (MS-8)
    double shift_m_s = 0;     ///< of a contact that persists: U_N + shift = 0 while it acts (MS-9)
    double bend_m_s = 0;      ///< what curvature makes of U_N in a step, h kappa
    bool singular = false;    ///< sliding has no continuation in this step: a frictional catastrophe (FR-6)
    bool sticks = false;      ///< friction is strictly inside its bound
    double zero = 1e-9;       ///< velocities below this part of those that met count as zero,
    double left_m_s = 0;      ///< and those that the tolerance of the solver may have left
};

/// What is remembered of a contact from step to step, for its events.
struct ContactMemory {
    char closed = 0;           ///< 0 open; 1 an impact of the last step closed it; 2 it persists
    char slides = 0;           ///< as State::slides
    double percussion_Ns = 0;  ///< normal, of the last step
    bool collision = false;    ///< in this step something collides among the contacts that it is tied to
};

struct StepReport {
    StepStatus status = StepStatus::Solved;
    SolveReport solve;
    EnergyLines energy;
    Energies at_end;               ///< kinetic and potential energy after the step
    double max_penetration_m = 0;  ///< over all contacts, at the end of the step
    double max_violation = 0;      ///< over all positions that constraints hold, in their own units
    StepAccuracy accuracy;         ///< for the energy rule of the certificate
    double h_s = 0;
    bool until = false;             ///< the until formula became >= 0 at the end of this step, h_s long
    bool map_acted = false;         ///< an impact map was called
    Admissibility map;              ///< and how far its answer is from what theory asks
    std::vector<Finding> findings;  ///< what theory says about this step; where it failed, why, comes last
};

/// Memory of a step, reused by the next one. What a listener may read after a step is public and said so.
struct Scratch {
    explicit Scratch(const Model& model);

    // for listeners: the last step's active contacts, the problem that was solved with one law for each of
    // them, its gaps at the end, and its free velocity
    std::vector<ContactStep> contacts;
    OneStepProblem problem;
    std::vector<double> gap_m;  ///< per contact of the model, at the end of the step
    std::vector<Event> events;
    Eigen::VectorXd u_free;
    std::vector<double> reaction_J;  ///< per constraint: what its reaction did to the kinetic energy

    // inside the step
    Workspace work;
    MassMatrix A;
    bool A_is_constant_and_factored = false;
    Eigen::VectorXd q_mid, q_cone, u_start, u_minus, u_mean, u_end, q_end, velocity_terms, given_forces,
        potential_gradient, x;
    double potential_rate_W = 0;
    ContactRows rows;
    SolverScratch solver;
    std::vector<double> P, U_start, U_plus, map_P;

    // contacts that persist (MS-8): contacts of the model that touch as the step begins; for each interaction
    // of the step whether it persists, the shift of its law, what curvature makes of U_N
    std::vector<char> touching, persists;
    std::vector<double> shift_m_s, bend_m_s;
    bool persistence_known = false;
    std::vector<ContactMemory> statuses;  ///< of `contacts`

    // energies at the end of the last step: mostly those where the next one begins
    Energies at_end;
    Eigen::VectorXd at_end_q, at_end_u;
    double at_end_t_s = 0;
    bool at_end_known = false;

    // given forces at both ends of the step; those at its end are those where the next one begins
    Eigen::VectorXd start_forces, end_forces;
    bool end_forces_known = false;

    // inside the iteration of moreau_jean; made by its first step
    std::optional<ImplicitMatrix> J;
    Eigen::VectorXd q_theta, u_theta, u_before;

    // the series integrator's expansions; made by its first step
    std::shared_ptr<SeriesMemory> series;

    // what ends the run, for integrators that find the instant themselves; none: nothing does
    const Formula* until = nullptr;

    // constraints: those that let go, violations of one, the velocity that they allow at the end
    std::vector<char> released;
    std::vector<double> phi, held_P;
    Eigen::VectorXd u_held, q_moved;

    // inside the correction
    MassMatrix correction_A;
    Eigen::VectorXd correction_x;
    ContactRows correction_rows;
    OneStepProblem correction_problem;
    std::vector<double> correction_P;
};

/// Linear correction of violations (MS-5, M88 remark 11.1): moves q, in the kinetic metric at q, by the least
/// amount that makes the linearised gaps of `contacts` non-negative. True when something was moved.
bool correct_violations(const Model& model, std::span<const int> contacts, double t_s, Eigen::VectorXd& q,
                        Scratch& scratch);

}  // namespace carom
