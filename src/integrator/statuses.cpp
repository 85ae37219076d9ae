#include "statuses.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

Event event_of(EventKind kind, const ContactStep& contact, double time_s)
{
    return {.time_s = time_s,
            .step = 0,
            .kind = kind,
            .contact = contact.contact,
            .percussion_Ns = contact.percussion_Ns,
            .velocity_before_m_s = contact.U_minus_m_s,
            .velocity_after_m_s = contact.U_plus_m_s,
            .energy_J = contact.energy_J};
}

/// Its percussion is more than rounding: alone it would give P^2 W / 2 of energy.
bool acts(const ContactStep& contact)
{
    const double P = contact.percussion_Ns;
    return P > 0 && P * P * contact.W_1_kg > 1e-26 * contact.kinetic_J;
}

/// An open contact that closes while approaching. (A closed one on a curved obstacle also has U^- < 0, of
/// order h: that is how the scheme turns, not a collision.)
bool collides(const ContactStep& contact, const State& before)
{
    return acts(contact) && !before.closed[contact.contact] && contact.U_minus_m_s < 0;
}

/// A contact that touched already and takes part in a collision elsewhere: its percussion leaps.
bool is_struck(const ContactStep& contact, const State& before)
{
    return acts(contact) && contact.percussion_Ns > 2 * before.percussion_Ns[contact.contact];
}

}  // namespace

bool stays_closed(const ContactStep& contact) noexcept
{
    // in a stack U^- and U_free vanish above the lowest contact: what the percussion undoes counts as well
    const double met =
        std::abs(contact.U_minus_m_s) + std::abs(contact.U_free_m_s) + contact.W_1_kg * contact.percussion_Ns;
    return acts(contact) && std::abs(contact.U_plus_m_s) <= 1e-9 * met;
}

void update_statuses(std::span<const ContactStep> contacts, double t_mid_s, State& state,
                     std::vector<Event>& events)
{
    const bool collision = std::any_of(contacts.begin(), contacts.end(),
                                       [&](const ContactStep& contact) { return collides(contact, state); });
    for (const ContactStep& contact : contacts) {
        if (collides(contact, state) || (collision && is_struck(contact, state))) {
            events.push_back(event_of(EventKind::Impact, contact, t_mid_s));
        }
        if (stays_closed(contact) && !state.closed[contact.contact]) {
            events.push_back(event_of(EventKind::ContactMade, contact, t_mid_s));
        }
    }

    // the new statuses; a contact that was closed and is not any more has been lost
    std::fill(state.percussion_Ns.begin(), state.percussion_Ns.end(), 0.0);
    for (const ContactStep& contact : contacts) {
        state.percussion_Ns[contact.contact] = contact.percussion_Ns;
        if (stays_closed(contact)) {
            state.closed[contact.contact] = 2;  // marked: closed by this step
        } else if (state.closed[contact.contact]) {
            events.push_back(event_of(EventKind::ContactLost, contact, t_mid_s));
            state.closed[contact.contact] = 0;
        }
    }
    for (std::size_t c = 0; c < state.closed.size(); ++c) {
        if (state.closed[c] == 1) {  // was closed, and is not among the active contacts
            ContactStep left;
            left.contact = static_cast<int>(c);
            events.push_back(event_of(EventKind::ContactLost, left, t_mid_s));
        }
        state.closed[c] = state.closed[c] == 2 ? 1 : 0;
    }
}

}  // namespace carom
