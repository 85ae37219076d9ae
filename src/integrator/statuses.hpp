#pragma once

#include "carom/integrator/step.hpp"

namespace carom {

/// It acted and does not separate: U^+ = 0, seen against the velocities that met in the step.
[[nodiscard]] bool stays_closed(const ContactStep& contact) noexcept;

/// Compares what the contacts did with what they did before, writes the new percussions and statuses into the
/// state and appends the events.
void update_statuses(const Model& model, std::span<const ContactStep> contacts, double t_mid_s, State& state,
                     std::vector<Event>& events);

/// Its sliding velocity is not zero, seen against the velocities that met in the step.
[[nodiscard]] bool slides(const ContactStep& contact) noexcept;

/// A contact that stayed closed and slid is stopped or thrown without any collision: a frictional catastrophe
/// (M88 14). `before` is the state at the beginning of the step.
[[nodiscard]] bool is_catastrophe(const Model& model, std::span<const ContactStep> contacts, std::size_t k,
                                  const State& before) noexcept;

}  // namespace carom
