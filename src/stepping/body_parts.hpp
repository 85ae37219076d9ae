#pragma once

#include "body_queries.hpp"
#include "stepping/body_memory.hpp"
#include "tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace carom::detail {

/// The pieces of body_step, in the order in which it calls them.

/// Places half-way in scratch.mid, prescribed bodies on their paths (BO-8).
void place_half_way(const BodyModel& model, double h_s, const State& state, BodyStepMemory& scratch);

/// Places half-way through the step, wherever contacts are taken.
[[nodiscard]] inline const State& half_way(const BodyStepMemory& scratch) noexcept
{
    return scratch.ahead_s > 0 ? scratch.half : scratch.mid;
}

/// A gap half-way, of one at the places of scratch.mid and the velocity that it has before percussions.
[[nodiscard]] inline double gap_half_way_m(const BodyStepMemory& scratch, double gap_m,
                                           double U_minus) noexcept
{
    return gap_m - scratch.ahead_s * U_minus;
}

/// The contacts of the step are taken at q + h u (BO-32): scratch.mid is there from now on, scratch.half
/// half-way.
void look_ahead(const BodyModel& model, double h_s, BodyStepMemory& scratch);

/// Wrenches at the places, velocities and instant of `at`, axes of the world, those of formulas included:
/// weight and springs in scratch.potential; dampers and loads in scratch.given.
void take_potential(const BodyModel& model, const State& at, BodyStepMemory& scratch);
void take_given(const BodyModel& model, const State& at, BodyStepMemory& scratch);

/// Exchanges both places; wrenches keep their components in the axes of the bodies.
void exchange_places(const BodyModel& model, BodyStepMemory& scratch);

/// Contacts at the places of scratch.mid that the step can close (BO-9).
void detect(const BodyModel& model, const MoreauSettings& settings, const State& state,
            BodyStepMemory& scratch);

/// Contacts of the meetings, in their frames, for centres at `x`.
void make_contacts(const BodyModel& model, std::span<const Vec3> x, BodyStepMemory& scratch);

/// Lets the impact map act where open contacts close: s.mid has the velocities after it. False where the map
/// gave none.
bool apply_impact_map(const BodyModel& model, const MoreauSettings& settings, const State& state,
                      BodyStepMemory& scratch, StepReport& report);

/// Rows and laws of the contacts, without velocities.
void load_map_rows(const BodyModel& model, BodyStepMemory& scratch);

/// Spheres and planes that stand still, and nothing else that could touch: the step then goes ways of its own
/// from detection to correction, which give what the general ones give.
[[nodiscard]] bool is_round(const BodyModel& model);

/// A sphere around its centre of mass, with the same inertia about all axes.
[[nodiscard]] bool is_ball(const BodyModel& model, int body);

/// The same as detect for such a model, reaches known.
void detect_round(const BodyModel& model, const MoreauSettings& settings, const State& state,
                  BodyStepMemory& scratch);

/// The same as the correction of overlaps.
void correct_round(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                   BodyStepMemory& scratch);

/// Velocities at the end of the step if nothing touched (BO-8).
void free_velocities(const BodyModel& model, const MoreauSettings& settings, BodyStepMemory& scratch);

/// The same with forces and gyroscopic terms at the mean velocities of the step as it was solved. False where
/// that changes nothing.
bool free_velocities_again(const BodyModel& model, const MoreauSettings& settings, BodyStepMemory& scratch);

/// (BO-9): the shift of an inelastic contact that is open half-way by `open_m` and may close at the end of
/// the step, no sooner, where  g+ = g_M + h (1/2 - theta) U^- + h theta U^+. Zero for one that is closed.
[[nodiscard]] double closing_shift_m_s(double open_m, double U_minus_m_s, double theta, double h_s) noexcept;

/// Laws, U_free and W of scratch.contacts and joints; percussions of the last step as a start. W is factors
/// where nothing but many contacts acts, and its diagonal otherwise.
void load_laws(const BodyModel& model, const MoreauSettings& settings, const State& state,
               BodyStepMemory& scratch);

/// A block per body, with its free velocities and its inertia half-way.
void load_free_blocks(const BodyModel& model, const BodyStepMemory& scratch, Factors& factors);

/// How a contact acts on its blocks.
[[nodiscard]] Factors::Rows factor_rows(const BodyContact& contact);

/// The operator of scratch.contacts as factors (OS-14), without their rows, and the diagonal of W; then the
/// rows, before anybody needs them: sweeps in single precision do not.
void load_factors(const BodyModel& model, BodyStepMemory& scratch);
void complete_factors(BodyStepMemory& scratch);

/// Contacts of a heap that all else left unsolved, from scratch.P on, by Newton's method in the space of the
/// bodies, where counted factorisations are affordable (SO-37). False, with scratch.P as it was, where that
/// does not reach the tolerance.
bool refine_heap(const BodyModel& model, const SolverSettings& solver, BodyStepMemory& scratch,
                 SolveReport& report);

/// Sweeps to coarser tolerances are made in single precision first (SO-39): it has the digits for them.
inline constexpr double coarsest_by_double = 1e-4;
[[nodiscard]] inline bool is_quick(const SolverSettings& solver) noexcept
{
    return solver.kind == SolverKind::Auto && solver.tolerance > coarsest_by_double;
}

/// Contacts of a problem that is factors, by sweeps in single precision; percussions in scratch.P are inside
/// their cones.
bool sweep_quickly(const BodyModel& model, const SolverSettings& solver, BodyStepMemory& scratch,
                   SolveReport& report);

/// Joints, and nothing else that could act, by one factor of the step (BO-30): percussions in scratch.P, good
/// or not. False where this way is not the one to go.
bool solve_mechanism(const BodyModel& model, const SolverSettings& solver, BodyStepMemory& scratch,
                     SolveReport& report);

/// The firm rows of joints with their factor at the places of the step, and in scratch.giving_way the others.
/// Null where there are none, or where this way is not the one to go.
[[nodiscard]] Mechanism* factor_firm_rows(const BodyModel& model, BodyStepMemory& scratch,
                                          SolveReport& report);

/// Many contacts beside joints, by sweeps over the contacts that end with the joints (SO-42): percussions in
/// scratch.P, good or not. False where this way is not the one to go.
bool sweep_with_joints(const BodyModel& model, const SolverSettings& solver, BodyStepMemory& scratch,
                       SolveReport& report);

/// The rows of joints at the end of the step are in scratch.held, with a factor: the one of the step, unless
/// it is none of theirs, or is to be made `anew`. Null where there is none.
[[nodiscard]] Mechanism* factor_at_end(const BodyModel& model, bool anew, BodyStepMemory& scratch);

/// The correction of joints at the end of the step, percussions and displacements in scratch.correction_P,
/// correction_v, correction_w, by the factor of the step or one made `anew`. False where stops or contacts
/// would have to push as well, beyond overlaps that are left alone.
bool press_joints(const BodyModel& model, bool anew, double left_alone_m, BodyStepMemory& scratch);

/// Velocities in scratch.correction_v, correction_w as the rows of scratch.correction_rows hold them,
/// percussions in correction_P. False where the factor does not lead there.
bool hold_joints(const BodyModel& model, BodyStepMemory& scratch);

/// Far more components of percussions than velocities that they could change (Factors::is_redundant).
[[nodiscard]] bool is_redundant(const BodyModel& model, const BodyStepMemory& scratch);

/// A structure that stands, or nearly: its contacts are redundant, and its bodies have less kinetic energy
/// than the forces of the step would give them, or than a part of that (BO-26).
[[nodiscard]] bool stands(const BodyModel& model, const BodyStepMemory& scratch, double part = 1);

/// Redundant contacts, few enough for factors whatever they do: solved coarsely they leave the next step a
/// start that costs more than the digits would have (BO-26).
[[nodiscard]] bool is_small_structure(const BodyModel& model, const BodyStepMemory& scratch);

/// Rows of the contacts, where the problem has had factors until now.
void add_contact_rows(BodyStepMemory& scratch);

/// All blocks of W of the last step.
void assemble_whole(const BodyModel& model, BodyStepMemory& scratch);

/// Sweeps of a correction of many contacts.
inline constexpr Budget correction_budget{.tolerance = 1e-2, .max_iterations = 20};

/// Overlaps of many contacts that are left alone, as a part of the size of the bodies (BO-10): a part of what
/// the tolerance of the solver lets bodies sink in.
[[nodiscard]] inline double harmless(const SolverSettings& solver)
{
    return std::max(harmless_overlap, (is_quick(solver) ? 0.5 : 0.1) * solver.tolerance);
}

/// The problem of a correction of many overlaps (BO-10), as factors: bodies at rest, gaps for velocities.
void begin_correction(const BodyModel& model, BodyStepMemory& scratch);
void add_gap(const Vec3& normal, double gap_m, int a, int b, OneStepProblem& problem);

/// Percussions without friction, in scratch.correction_P, that open the overlaps as far as linearised gaps
/// say (BO-10); at rest before.
void press_by_sweeps(const BodyModel& model, const Budget& budget, BodyStepMemory& scratch);

/// The overlaps as factors in scratch.correction, gaps for velocities.
void load_overlap_rows(const BodyModel& model, BodyStepMemory& scratch);

/// The same with joints that are put together (SO-42). False where this way is not the one to go.
bool press_with_joints(const BodyModel& model, const Budget& budget, BodyStepMemory& scratch);

/// The same in single precision; and for round contacts, with the gaps of scratch.ends, displacements in
/// scratch.correction_v.
void press_round_quickly(const BodyModel& model, const Budget& budget, BodyStepMemory& scratch);
void press_quickly(const BodyModel& model, const Budget& budget, BodyStepMemory& scratch);

/// mu of a plain law: 0 without friction.
[[nodiscard]] inline double friction_of(const Law& law) noexcept
{
    const auto* coulomb = std::get_if<Coulomb>(&law);
    return coulomb != nullptr ? coulomb->friction : 0.0;
}

/// A pair that leaves by restitution is not lifted.
[[nodiscard]] inline bool leaves_by_restitution(const BodyContact& contact) noexcept
{
    return contact.restitution > 0 && contact.P[0] > 0 && contact.U_plus[0] > 0;
}

/// Judges scratch.P by the velocities that the bodies have with them.
void judge_by_bodies(const SolverSettings& solver, BodyStepMemory& scratch, SolveReport& report);

/// Assembles W and solves with it, from scratch.P on; beyond the tolerance where Newton's method makes that
/// cheap. `report` has the sweeps that were made before.
void solve_assembled(const BodyModel& model, const SolverSettings& solver, double h_s,
                     BodyStepMemory& scratch, SolveReport& report);

/// Poses the problem of the step with the free velocities as they are and solves it; scratch.next has the
/// velocities that come out.
void solve_and_push(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                    const State& state, BodyStepMemory& scratch, SolveReport& report);

/// Fills axes and arms of a contact whose bodies and point are known.
void set_frame(std::span<const Vec3> x, BodyContact& contact);

/// Turns the tangents of a contact whose surfaces have a grain along it.
void turn_to_grain(const BodyModel& model, const State& at, BodyContact& contact);

/// Appends the rows of a contact, as many as it has components.
void add_contact_rows(const BodyContact& contact, BodyRows& rows);

/// Solves the assembled problem; where the reactions of joints press their friction, until the limits have
/// settled (BO-13).
[[nodiscard]] SolveReport solve_with_joints(const SolverSettings& solver, double h_s,
                                            BodyStepMemory& scratch);

/// Kinetic and potential energy, with those of formulas.
[[nodiscard]] Energies energies_of(const BodyModel& model, const State& state, const BodyStepMemory& scratch);

/// T(u_free).
[[nodiscard]] double free_kinetic_energy_J(const BodyModel& model, const BodyStepMemory& scratch);

/// Energy that percussions of contacts without restitution created, from the free velocities on.
[[nodiscard]] double created_J(const BodyStepMemory& scratch);

/// Adds the lines of the step (LE-2) but for the correction: u_mean = (u- + u+) / 2 everywhere.
void account(const BodyModel& model, double h_s, const State& state, const Energies& start,
             const Energies& end, BodyStepMemory& scratch, EnergyLines& lines);

/// (LE-4): work of the loads over the step by Simpson's rule, less what the ledger has for them.
[[nodiscard]] double forces_defect_J(const BodyModel& model, double h_s, const State& state,
                                     BodyStepMemory& scratch);

/// What the percussions of a contact did to the kinetic energy, those of an impact map with them (LE-2).
struct ContactWork {
    double normal_J = 0, friction_J = 0;
};
[[nodiscard]] ContactWork work_beyond_coulomb(const BodyContact& contact);
[[nodiscard]] inline ContactWork work_of(const BodyContact& contact)
{
    if (contact.beyond != nullptr) return work_beyond_coulomb(contact);
    const auto along = [&](std::size_t i) {
        return contact.P[i] * 0.5 * (contact.U_minus[i] + contact.U_plus[i]);
    };
    return {.normal_J = 0 + along(0), .friction_J = 0 + along(1) + along(2)};
}

/// W_cc, mostly the only block of its row.
[[nodiscard]] inline std::span<const double> diagonal_of(const OneStepProblem& problem, std::size_t c)
{
    const auto k = static_cast<int>(c);
    const auto row = problem.W.row(k);
    return row.size() == 1 ? problem.W.block(k, row.front()) : problem.W.diagonal(k);
}

/// Work of the percussions of a contact at the velocities of bodies on prescribed paths.
[[nodiscard]] double driven_work_J(const BodyContact& contact, std::span<const Vec3> v,
                                   std::span<const Vec3> w);

/// Statuses of the contacts in state.kept, and what happened at them in scratch.events; what friction leaves
/// open goes to the findings of the report, and what reactions that hold did to its line of corrections.
void update_statuses(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                     State& state, BodyStepMemory& scratch, StepReport& report);

/// The lowest body of those that a contact or stop of the step is tied to by contacts that act.
[[nodiscard]] int island_of(const BodyModel& model, int interaction, BodyStepMemory& scratch);

/// Of an interaction of the last step: contacts first, then the parts of joints, then formulas.
[[nodiscard]] std::string name_of_interaction(const BodyModel& model, const BodyStepMemory& scratch, int k);

/// Catastrophes and other trouble of sliding contacts (FR-6), (FR-7), of scratch.statuses; collisions are
/// known.
void look_at_friction(const BodyModel& model, double h_s, double ended_s, BodyStepMemory& scratch,
                      std::vector<Finding>& findings);

/// A contact where its bodies are after a time with velocities `v`, `W` from the places of `at`: the same
/// parts of the shapes, or what is nearest. Its frame keeps the directions of the tangents as far as it can.
[[nodiscard]] std::optional<BodyContact> carried_on(const BodyModel& model, const BodyContact& contact,
                                                    const State& at, double time_s, BodyStepMemory& scratch);

/// What the forces of a step and the percussion that held it can make of the normal velocity of a contact or
/// stop that touched (MS-8), (BO-21).
[[nodiscard]] inline double reach_of_touch_m_s(double U_free, double U_minus, double W_1_kg,
                                               double held_Ns) noexcept
{
    return std::abs(U_free - U_minus) + 2 * W_1_kg * held_Ns;
}

/// Neither its approach nor its gap, beyond the activation gap, are more than that: it persists.
[[nodiscard]] inline bool stays_in_touch(double U_minus, double open_m, double reach_m_s, double h_s) noexcept
{
    return -U_minus <= reach_m_s && open_m <= h_s * reach_m_s;
}

/// It left the step before with a bounce. If the next one meets it closing again, this is what the turning of
/// the bodies, or the motion of a prescribed one, has made of its velocity, not a new approach: it persists
/// (MS-14).
[[nodiscard]] inline bool has_bounced(const KeptContact& before) noexcept
{
    return before.acted && before.away_m_s >= 0;
}

/// What a step meets of a contact or stop that is known from the step before.
struct MetAgain {
    double U_minus_m_s = 0, U_free_m_s = 0, W_1_kg = 0;
    double held_Ns = 0;          ///< percussion of the step before
    double open_half_way_m = 0;  ///< gap beyond the activation gap
};

/// One that touched persists when neither its approach nor its gap are more than the forces of a step and
/// those that held it can make (MS-8). One that was thrown back and comes back within the step does so by what
/// bends or moves it alone (MS-14).
[[nodiscard]] bool persists_with(const KeptContact& before, const MetAgain& met, double h_s) noexcept;

/// It touched, and approaches by no more than the forces of a step and the percussion that held it can make.
[[nodiscard]] bool keeps_touching(const ContactStep& step, double held_Ns) noexcept;

/// Where state.kept has a stop, motor or friction of a joint; -1: nowhere.
[[nodiscard]] int kept_actor(const State& state, int actor) noexcept;

/// What the stop that is scratch.joints[part] met and did, what is kept of it, and stops that touch where a
/// run begins.
[[nodiscard]] ContactStep report_stop(double left_m_s, std::size_t part, const KeptContact* before,
                                      const BodyStepMemory& scratch);
[[nodiscard]] KeptContact keep_stop(const JointPart& stop, const ContactStep& step);
void find_touching_stops(const BodyModel& model, double activation_gap_m, State& state);

/// Events of motors that saturate and of friction that holds or slips; statuses go to what is kept.
void tell_drives(double time_s, const State& state, BodyStepMemory& scratch, EnergyLines& lines);

/// Whether a stop with restitution that touched persists (MS-8): it then has none, and closes as a soft one
/// does. One that does not and is open does not act: false.
[[nodiscard]] bool let_stop_persist(const MoreauSettings& settings, const State& state, std::size_t part,
                                    BodyStepMemory& scratch);

/// What joints did: reactions and the lines of the ledger. `still`: velocities of prescribed bodies only.
/// Before hold_velocities, which adds what it does.
void report_joints(const BodyModel& model, BodyStepMemory& scratch);

/// How the angular momenta changed, for diagrams (BO-25); the same.
void report_spin(const BodyModel& model, double h_s, const State& start, BodyStepMemory& scratch);

/// Work of a part of a joint at its mean velocity, relative to the rate of a motor.
[[nodiscard]] double work_of_joint_J(std::size_t part, const BodyStepMemory& scratch);

/// Where the work of a part of a joint stands.
[[nodiscard]] double& line_of_joint(const JointPart& part, EnergyLines& lines) noexcept;

void account_joints(std::span<const Vec3> v_still, std::span<const Vec3> w_still,
                    const BodyStepMemory& scratch, EnergyLines& lines);

/// Velocities at the end that the joints allow there, the nearest in the kinetic metric (CO-4).
void hold_velocities(const BodyModel& model, BodyStepMemory& scratch);

/// Moves overlapping bodies apart that do not separate by themselves, and joints back together (BO-10);
/// reports the deepest overlap and the largest violation left, and a finding where the overlap is too deep.
void correct_places(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                    BodyStepMemory& scratch, StepReport& report);

/// Contacts of pairs so fast that they close before they are looked at half-way, as they are when they touch
/// first (BO-20); in the place of those that were found. The pairs are known.
void see_fast_contacts(const BodyModel& model, const MoreauSettings& settings, const State& start,
                       BodyStepMemory& scratch);

/// Whether some body moves so far in a step that it could pass through another; velocities as at the start.
[[nodiscard]] bool is_fast(const BodyModel& model, double h_s, const State& state);

/// The same for balls that detect_round has paired: whether two of them change sides within the step.
[[nodiscard]] bool balls_pass(const BodyModel& model, double h_s, const State& start,
                              const BodyStepMemory& scratch);

/// Names bodies that went through each other within the step, which ends at the places of scratch.next
/// (BO-18).
void look_for_tunnelling(const BodyModel& model, const MoreauSettings& settings, const State& start,
                         BodyStepMemory& scratch, StepReport& report);

}  // namespace carom::detail
