#pragma once

#include "stepping/scratch.hpp"

namespace carom {

/// Its percussion does more to its velocity than rounding does.
[[nodiscard]] bool acts(const ContactStep& contact) noexcept;

/// It acted and does not separate: U^+ = 0, seen against the velocities that met in the step. One that
/// persists stays until it leaves (MS-10).
[[nodiscard]] bool stays_closed(const ContactStep& contact) noexcept;

/// A contact that does not persist acts against an approach. `was_closed`: in the paper to the letter, where
/// contacts do not say that they persist, one that was closed does.
[[nodiscard]] bool collides(const ContactStep& contact, bool recognised, bool was_closed) noexcept;

/// A contact that touched already and takes part in a collision elsewhere: its percussion leaps.
[[nodiscard]] bool is_struck(const ContactStep& contact, const ContactMemory& before) noexcept;

/// Some contact collides.
[[nodiscard]] bool any_collides(std::span<const ContactStep> contacts, const State& before,
                                bool recognised) noexcept;

/// Compares what the contacts did with what they did before, and appends the events. `statuses` are those of
/// the contacts, one for each, before the step and then after it. Returns the work of friction of contacts
/// that stuck before and still stick: in theory none, so that it is the scheme's (LE-26).
double update_statuses(std::span<ContactStep> contacts, bool recognised, double time_s,
                       std::span<ContactMemory> statuses, std::vector<Event>& events);

/// A contact that was closed and is not among those of the step.
[[nodiscard]] Event event_of_vanished(int contact, double time_s);

/// Statuses of the contacts of a step as it began, from the state to scratch.statuses.
void recall_statuses(const Model& model, bool recognised, const State& before, Scratch& scratch);

/// The same as above for all contacts of a model, whose statuses and percussions are in the state; they have
/// been recalled. What friction that holds did goes to the line of corrections (LE-26).
void update_statuses(const Model& model, bool recognised, double t_mid_s, State& state, Scratch& scratch,
                     EnergyLines& lines);

/// What a reaction of the solved problem that can give way does. Its velocity U_plus counts as zero as that
/// of a contact does.
[[nodiscard]] ConstraintStatus status_of_reaction(const OneStepProblem& problem, int interaction,
                                                  std::span<const double> P, std::span<const double> U_plus);

/// The event of a change; nothing where a run begins with a constraint that holds or is free.
[[nodiscard]] std::optional<EventKind> event_of_change(ConstraintStatus before, ConstraintStatus now);

/// Its sliding velocity is not zero, seen against the velocities that met in the step.
[[nodiscard]] bool slides(const ContactStep& contact) noexcept;

/// It slid as the step began, seen in the same way.
[[nodiscard]] bool slid(const ContactStep& contact) noexcept;

/// A contact that slid is pressed by the forces, and stopped, turned round or slowed down by much more than
/// mu times them: worth a look at Painleve's margin. Not again in a slide whose catastrophe was named.
[[nodiscard]] bool may_be_singular(const ContactStep& contact, const ContactMemory& before) noexcept;

/// Painleve's margin in the direction of U_T^-, W_NN + W_NT.f with the friction f of sliding per normal
/// force; W_N is the normal row of W. Not positive, and closing: no bounded force lets it slide on (FR-6).
[[nodiscard]] double margin_of_sliding(const Coulomb& law, const std::array<double, 3>& W_N,
                                       const ContactStep& contact) noexcept;

}  // namespace carom
