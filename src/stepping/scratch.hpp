#pragma once

#include "carom/system/lagrangian/model.hpp"
#include "expression/workspace.hpp"
#include "ledger/step_work.hpp"
#include "solver/solver_scratch.hpp"
#include "stepping/assembly.hpp"
#include "stepping/equal_contacts.hpp"
#include "stepping/implicit_matrix.hpp"
#include "stepping/step_report.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace carom {

struct MoreauJeanSettings;
struct MoreauSettings;
struct SeriesMemory;

/// What is remembered of a contact from step to step, for its events.
struct ContactMemory {
    char closed = 0;           ///< 0 open; 1 an impact of the last step closed it; 2 it persists
    char slides = 0;           ///< as State::slides
    double percussion_Ns = 0;  ///< normal, of the last step
    bool collision = false;    ///< in this step something collides among the contacts that it is tied to
    std::array<double, 2> friction_Ns{};  ///< in space, of the last step, along the tangents of this one
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
    EqualContacts equal;
    SolverScratch solver;
    std::vector<double> P, U_start, U_plus, map_P;

    // problem.W is that of these interactions and rows, with the constant matrix A
    bool W_is_constant = false;
    std::vector<int> W_contacts;
    std::vector<double> W_rows;

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
    bool until_starts_at_zero = false;  ///< the run begins with this step, and there it is zero

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
    std::vector<char> lifted;   ///< per contact, by the passes of this correction so far
    int correction_passes = 0;  ///< so far
};

/// Linear correction of violations (MS-5, M88 remark 11.1): moves q, in the kinetic metric at q, by the least
/// amount that makes the linearised gaps of `contacts` non-negative. True when something was moved.
bool correct_violations(const Model& model, std::span<const int> contacts, double t_s, Eigen::VectorXd& q,
                        Scratch& scratch);

/// One step from state.t_s to state.t_s + settings.time_step_s.
[[nodiscard]] StepReport moreau_step(const Model& model, const MoreauSettings& settings,
                                     const SolverSettings& solver, State& state, Scratch& scratch);

/// The same by the theta scheme. `NotSolved` also when the iteration of the forces missed its tolerance.
[[nodiscard]] StepReport moreau_jean_step(const Model& model, const MoreauJeanSettings& settings,
                                          const SolverSettings& solver, State& state, Scratch& scratch);

}  // namespace carom
