#pragma once

#include "carom/integrator/moreau.hpp"

namespace carom {

/// It acted and does not separate: U^+ = 0, seen against the velocities that met in the step.
[[nodiscard]] bool stays_closed(const ContactStep& contact) noexcept;

/// Compares what the contacts did with what they did before, writes the new percussions and statuses into the
/// state and appends the events.
void update_statuses(std::span<const ContactStep> contacts, double t_mid_s, State& state,
                     std::vector<Event>& events);

}  // namespace carom
