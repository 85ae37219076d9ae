#pragma once

#include "carom/ledger/event.hpp"
#include "run/obstacle_visit.hpp"
#include "system/bodies/body_model.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace carom {

/// Phases of smooth motions.
///
/// A scheme of second order turns an oscillation by a little too much or too little in every step. Its energy
/// does not show that, and its own gaps do not either; in time the motion meets its obstacles at another
/// phase, or does not meet them.
///
/// Theory     docs/theory/energy_ledger.md, (LE-25) impacts of a motion that is out of phase

/// The energies that a change of velocity is small or large against (LE-5).
struct PhaseScale {
    double kinetic_J = 0;  ///< of the last steps
    double run_J = 0;      ///< that takes part in the run
};

/// Whether a step from the velocity `before` to `after` follows another one without events; then
/// `phase.velocity_change` is u_{n+1} - 2 u_n + u_{n-1}, until keep_change().
[[nodiscard]] bool second_change(const Eigen::VectorXd& before, const Eigen::VectorXd& after, bool smooth,
                                 PhaseError& phase);
void keep_change(const Eigen::VectorXd& before, const Eigen::VectorXd& after, PhaseError& phase);

/// What such a step adds, `turned_J` the kinetic energy of the second change.
[[nodiscard]] double phase_of_step(double turned_J, const PhaseScale& scale);

/// Adds a step, with the metric `A` in between; one with events begins anew.
void note_phase(const Eigen::VectorXd& before, const Eigen::VectorXd& after, bool smooth, const MassMatrix& A,
                const PhaseScale& scale, PhaseError& phase);

/// Bodies beyond which no phases are followed.
inline constexpr int max_bodies_in_phase = 40;

/// The same for each body by its own velocity and energy: what others do is no measure of its phase.
void note_phases(const BodyModel& model, const State& before, const State& after,
                 std::span<const Event> events, double run_J, std::vector<BodyPhase>& phases);

}  // namespace carom
