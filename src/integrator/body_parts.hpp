#pragma once

#include "carom/integrator/body_step.hpp"

namespace carom::detail {

/// The pieces of body_step, in the order in which it calls them.

/// Contacts at the places of scratch.mid that the step can close (BO-9).
void detect(const BodyModel& model, const MoreauSettings& settings, const BodyState& state,
            BodyScratch& scratch);

/// Spheres and planes that stand still, and nothing else that could touch: the step then goes ways of its own
/// from detection to correction, which give what the general ones give.
[[nodiscard]] bool is_round(const BodyModel& model);

/// The same as detect for such a model, reaches known.
void detect_round(const BodyModel& model, const MoreauSettings& settings, BodyScratch& scratch);

/// The same as sweep_bodies and correct_overlaps.
bool sweep_round(const BodyModel& model, const SolverSettings& solver, BodyScratch& scratch,
                 SolveReport& report);
double correct_round(const BodyModel& model, const MoreauSettings& settings, BodyScratch& scratch);

/// Velocities at the end of the step if nothing touched (BO-8).
void free_velocities(const BodyModel& model, const MoreauSettings& settings, BodyScratch& scratch);

/// Laws, U_free and the diagonal of W of scratch.contacts; percussions of the last step as a start.
void load_laws(const BodyModel& model, const MoreauSettings& settings, const BodyState& state,
               BodyScratch& scratch);

/// Many contacts in space by sweeps that need no more of W (SO-21): percussions in scratch.P, good or not.
/// False where this way is not the one to go.
bool sweep_bodies(const BodyModel& model, const SolverSettings& solver, BodyScratch& scratch,
                  SolveReport& report);

/// Percussions without friction, in scratch.correction_P, that open the overlaps as far as linearised gaps
/// say (BO-10); at rest before.
void press_by_sweeps(const BodyModel& model, const Budget& budget, BodyScratch& scratch);

/// Judges scratch.P by the velocities that the bodies have with them.
void judge_by_bodies(const SolverSettings& solver, BodyScratch& scratch, SolveReport& report);

/// Assembles W and solves with it, from scratch.P on; beyond the tolerance where Newton's method makes that
/// cheap. `report` has the sweeps that were made before.
void solve_assembled(const BodyModel& model, const SolverSettings& solver, BodyScratch& scratch,
                     SolveReport& report);

/// Fills axes and arms of a contact whose bodies and point are known.
void set_frame(std::span<const Vec3> x, BodyContact& contact);

/// Velocity of the first body against the second, in the frame of the contact; W in the axes of the world.
[[nodiscard]] std::array<double, 3> relative_velocity(const BodyContact& contact, std::span<const Vec3> v,
                                                      std::span<const Vec3> W_world);

/// problem.W of these contacts; offsets must be set (BO-11).
void assemble_delassus(const BodyModel& model, std::span<const BodyContact> contacts,
                       std::span<const Mat3> inverse_inertia, std::vector<std::vector<int>>& contacts_of,
                       OneStepProblem& problem);

/// Moves overlapping bodies apart that do not separate by themselves (BO-10); returns the deepest overlap
/// left.
double correct_overlaps(const BodyModel& model, const MoreauSettings& settings, BodyScratch& scratch);

}  // namespace carom::detail
