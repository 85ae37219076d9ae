#pragma once

#include "carom/integrator/assembly.hpp"
#include "carom/ledger/energy.hpp"
#include "carom/ledger/event.hpp"
#include "carom/solver/solve.hpp"

#include <string_view>

namespace carom {

/// Moreau's midpoint scheme for Lagrangian systems with unilateral contacts.
///
/// Theory     docs/theory/moreau_scheme.md, (MS-1) predict and detect, (MS-2) free velocity, (MS-3) one-step
/// problem,
///            (MS-4) advance, (MS-5) correction
/// Papers     [Moreau 1988] 11 with remark 11.1

/// Where gaps, their gradients and so the cone V are taken.
enum class ConePoint {
    Midpoint,  ///< q + h/2 u, the paper's stage 2
    End,       ///< q + h u, the paper's remark 11.1: less penetration
};

[[nodiscard]] std::string_view name_of(ConePoint point) noexcept;

/// With activation_gap_m = 0, force_passes = 1 and correction = false the scheme is the paper to the letter.
struct MoreauSettings {
    double time_step_s = 1e-3;  ///< h; > 0
    double activation_gap_m =
        1e-9;  ///< a gap not above it counts as closed; >= 0. Scenes: 1e-9 of their length
    int force_passes =
        2;  ///< 1, or 2: forces a second time at (u + u_free) / 2, which makes K(u) second order
    bool correction = true;  ///< project the violation of contacts that stay out of the configuration
    ConePoint cone_point = ConePoint::Midpoint;
};

[[nodiscard]] Expected<void> check(const MoreauSettings& settings);

/// How a step ended. `Solved` and `NotSolved` have advanced the state; the others have left it as it was.
enum class StepStatus {
    Solved,
    NotSolved,       ///< the one-step problem missed its tolerance; best percussions used
    NotFinite,       ///< NaN or infinity in forces, gaps or velocities
    MetricSingular,  ///< A(q) lost its positivity at the midpoint
    LawOutOfRange,   ///< a restitution formula left [0, 1], or an impact map gave no number
};

[[nodiscard]] std::string_view name_of(StepStatus status) noexcept;

/// One contact that was active in a step.
struct ContactStep {
    int contact = 0;
    double U_minus_m_s = 0, U_free_m_s = 0, U_plus_m_s = 0;
    double percussion_Ns = 0;  ///< of the step, with that of an impact map
    double energy_J =
        0;  ///< what the contact did to the kinetic energy: P at the mean of the velocities it met
    double kinetic_J = 0;  ///< of the whole system: what a percussion that is only rounding is small against
    double W_1_kg = 0;     ///< W_cc: what a percussion of 1 N s alone changes of U
    double restitution = 0;
};

struct StepReport {
    StepStatus status = StepStatus::Solved;
    SolveReport solve;
    EnergyLines energy;
    Energies at_end;               ///< kinetic and potential energy after the step
    double max_penetration_m = 0;  ///< over all contacts, at the end of the step
    double h_s = 0;
    bool map_acted = false;  ///< an impact map was called
    Admissibility map;       ///< and how far its answer is from what theory asks
};

/// Memory of a step, reused by the next one. What a listener may read after a step is public and said so.
struct Scratch {
    explicit Scratch(const Model& model);

    // for listeners: the last step's active contacts, its gaps at the end, and its free velocity
    std::vector<ContactStep> contacts;
    std::vector<double> gap_m;  ///< per contact of the model, at the end of the step
    std::vector<Event> events;
    Eigen::VectorXd u_free;

    // inside the step
    Workspace work;
    MassMatrix A;
    bool A_is_constant_and_factored = false;
    Eigen::VectorXd q_mid, q_cone, u_start, u_minus, u_mean, u_end, q_end, velocity_terms, given_forces,
        potential_gradient, x;
    double potential_rate_W = 0;
    ContactRows rows;
    OneStepProblem problem;
    SolverScratch solver;
    std::vector<double> P, U_plus, map_P;

    // inside the correction
    MassMatrix correction_A;
    Eigen::VectorXd correction_x;
    ContactRows correction_rows;
    OneStepProblem correction_problem;
    std::vector<double> correction_P;
};

/// One step from state.t_s to state.t_s + settings.time_step_s.
[[nodiscard]] StepReport moreau_step(const Model& model, const MoreauSettings& settings,
                                     const SolverSettings& solver, State& state, Scratch& scratch);

/// Linear correction of violations (MS-5, M88 remark 11.1): moves q, in the kinetic metric at q, by the least
/// amount that makes the linearised gaps of `contacts` non-negative. True when something was moved.
bool correct_violations(const Model& model, std::span<const int> contacts, double t_s, Eigen::VectorXd& q,
                        Scratch& scratch);

}  // namespace carom
