#pragma once

#include "carom/integrator/step.hpp"

namespace carom {

/// It acted and does not separate: U^+ = 0, seen against the velocities that met in the step. One that persists
/// stays until it leaves (MS-10).
[[nodiscard]] bool stays_closed(const ContactStep& contact) noexcept;

/// Compares what the contacts did with what they did before, writes the new percussions and statuses into the
/// state and appends the events. `recognised`: contacts that persist say so.
void update_statuses(const Model& model, std::span<const ContactStep> contacts, bool recognised,
                     double t_mid_s, State& state, std::vector<Event>& events);

/// Its sliding velocity is not zero, seen against the velocities that met in the step.
[[nodiscard]] bool slides(const ContactStep& contact) noexcept;

/// A sliding contact is stopped or thrown by far more than it approached with: a frictional catastrophe
/// (M88 14). Friction multiplies the normal percussion where Painleve's margin is small.
[[nodiscard]] bool is_catastrophe(const ContactStep& contact) noexcept;

}  // namespace carom
