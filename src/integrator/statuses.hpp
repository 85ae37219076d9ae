#pragma once

#include "carom/integrator/step.hpp"

namespace carom {

/// It acted and does not separate: U^+ = 0, seen against the velocities that met in the step. One that
/// persists stays until it leaves (MS-10).
[[nodiscard]] bool stays_closed(const ContactStep& contact) noexcept;

/// Some contact that does not persist acts against an approach. `recognised`: contacts that persist say so.
[[nodiscard]] bool any_collides(std::span<const ContactStep> contacts, const State& before,
                                bool recognised) noexcept;

/// Compares what the contacts did with what they did before, writes the new percussions and statuses into the
/// state and appends the events.
void update_statuses(const Model& model, std::span<const ContactStep> contacts, bool recognised,
                     double t_mid_s, State& state, std::vector<Event>& events);

/// Its sliding velocity is not zero, seen against the velocities that met in the step.
[[nodiscard]] bool slides(const ContactStep& contact) noexcept;

/// A contact that slid is pressed by the forces, and stopped, turned round or slowed down by much more than
/// mu times them: worth a look at Painleve's margin. Not again in a slide whose catastrophe was named.
[[nodiscard]] bool may_be_singular(const ContactStep& contact, const State& before) noexcept;

/// Painleve's margin in the direction of U_T^-, W_NN + W_NT.f with the friction f of sliding per normal
/// force; W_N is the normal row of W. Not positive, and closing: no bounded force lets it slide on (FR-6).
[[nodiscard]] double margin_of_sliding(const Coulomb& law, const std::array<double, 3>& W_N,
                                       const ContactStep& contact) noexcept;

}  // namespace carom
