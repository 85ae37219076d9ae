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
            .percussion_Ns = contact.P[0],
            .velocity_before_m_s = contact.U_minus[0],
            .velocity_after_m_s = contact.U_plus[0],
            .energy_J = contact.energy_J + contact.friction_J};
}

double sliding_speed(const std::array<double, 3>& U)
{
    return std::sqrt(U[1] * U[1] + U[2] * U[2]);
}

Event sliding_event_of(EventKind kind, const ContactStep& contact, double time_s)
{
    Event event = event_of(kind, contact, time_s);
    const bool plane = contact.dimension == 2;
    event.velocity_before_m_s = plane ? contact.U_minus[1] : sliding_speed(contact.U_minus);
    event.velocity_after_m_s = plane ? contact.U_plus[1] : sliding_speed(contact.U_plus);
    if (kind == EventKind::Stick) event.velocity_after_m_s = 0;
    return event;
}

/// Its percussion does more to its velocity than rounding does.
bool acts(const ContactStep& contact)
{
    return contact.P[0] > 0 && contact.W_1_kg * contact.P[0] > contact.rounding_m_s;
}

/// A contact that does not persist acts against an approach: a collision. In the paper to the letter one that
/// was closed counts as persisting.
bool collides(const ContactStep& contact, const State& before, bool recognised)
{
    const bool persists = recognised ? contact.persists : before.closed[contact.contact] != 0;
    return acts(contact) && !persists && contact.U_minus[0] < -contact.rounding_m_s;
}

/// A contact that touched already and takes part in a collision elsewhere: its percussion leaps.
bool is_struck(const Model& model, const ContactStep& contact, const State& before)
{
    return acts(contact) && contact.P[0] > 2 * before.percussion_Ns[model.offset(contact.contact)];
}

/// In State::slides: what is added where the catastrophe of the slide has been named, and, during an update,
/// to contacts that take part.
constexpr char catastrophe_named = 4, kept = 8;

/// 0 not, 1 it slides, 2 in the plane backwards.
char sliding_status(const ContactStep& contact)
{
    if (!slides(contact)) return 0;
    return contact.dimension == 2 && contact.U_plus[1] < 0 ? 2 : 1;
}

/// Sliding begins, ends, or turns round.
bool slides_otherwise(const ContactStep& contact, char before)
{
    const char now = sliding_status(contact), then = before % catastrophe_named;
    if (now != then) return true;
    const double along = contact.U_plus[1] * contact.U_minus[1] + contact.U_plus[2] * contact.U_minus[2];
    return contact.dimension > 2 && now && along < 0;
}

/// Velocities that met at the contact: what rounding and tolerances are small against. In a stack U^- and
/// U_free vanish above the lowest contact: what the percussion undoes counts as well.
double normal_velocities_met(const ContactStep& contact)
{
    return std::abs(contact.U_minus[0]) + std::abs(contact.U_free[0]) + contact.W_1_kg * contact.P[0] +
           std::abs(contact.bend_m_s);
}

/// It touched, and moves away faster than its obstacle bends away from it. Where it only hangs above its
/// obstacle by what the last steps have left, the forces will bring it back (MS-10).
bool leaves(const ContactStep& contact)
{
    const double tolerance = 1e-9 * normal_velocities_met(contact) + contact.rounding_m_s;
    const double away = contact.U_plus[0] + contact.shift_m_s;
    const double gained = contact.U_plus[0] - contact.U_minus[0] + contact.bend_m_s;
    return away > contact.W_1_kg * contact.P[0] && away > tolerance && gained > tolerance;
}

}  // namespace

bool stays_closed(const ContactStep& contact) noexcept
{
    if (contact.persists) return !leaves(contact);
    return acts(contact) && std::abs(contact.U_plus[0]) <= 1e-9 * normal_velocities_met(contact);
}

bool any_collides(std::span<const ContactStep> contacts, const State& before, bool recognised) noexcept
{
    return std::any_of(contacts.begin(), contacts.end(),
                       [&](const ContactStep& contact) { return collides(contact, before, recognised); });
}

bool slides(const ContactStep& contact) noexcept
{
    const double met = sliding_speed(contact.U_minus) + sliding_speed(contact.U_free) +
                       contact.W_tangential_1_kg * sliding_speed(contact.P);
    return sliding_speed(contact.U_plus) > 1e-10 * met;
}

bool may_be_singular(const ContactStep& contact, const State& before) noexcept
{
    if (contact.dimension == 1 || !acts(contact)) return false;
    const char slid = before.slides[contact.contact];
    if (!before.closed[contact.contact] || !slid || (slid & catastrophe_named)) return false;
    const bool presses = contact.U_free[0] - contact.U_minus[0] + contact.bend_m_s < 0;
    const double along = contact.U_plus[1] * contact.U_minus[1] + contact.U_plus[2] * contact.U_minus[2];
    return presses && (along <= 0 || contact.sliding_margin < 0.5 || !slides(contact));
}

double margin_of_sliding(const Coulomb& law, const std::array<double, 3>& W_N,
                         const ContactStep& contact) noexcept
{
    const auto d = static_cast<std::size_t>(contact.dimension - 1);
    const double speed = sliding_speed(contact.U_minus);
    const double coupling = std::hypot(W_N[1], W_N[2]);
    if (speed == 0 || coupling == 0) return W_N[0];
    // f is the point of mu S farthest against the sliding velocity, the gradient of the support function
    // there
    constexpr double difference = 1e-6;
    std::array<double, 2> more{}, less{};
    for (std::size_t i = 0; i < d; ++i) {
        const double against = -contact.U_minus[i + 1] / speed, towards = W_N[i + 1] / coupling;
        more[i] = against + difference * towards;
        less[i] = against - difference * towards;
    }
    const double slope =
        (support(law.shape, std::span(more).first(d)) - support(law.shape, std::span(less).first(d))) /
        (2 * difference);
    return W_N[0] + law.friction * coupling * slope;
}

void update_statuses(const Model& model, std::span<const ContactStep> contacts, bool recognised,
                     double t_mid_s, State& state, std::vector<Event>& events)
{
    const bool collision = any_collides(contacts, state, recognised);
    const auto takes_impact = [&](const ContactStep& contact) {
        return collision && (collides(contact, state, recognised) || is_struck(model, contact, state));
    };
    // one that only touches, without a force, is not made
    const auto is_closed_by = [&](const ContactStep& contact) {
        return stays_closed(contact) && (acts(contact) || state.closed[contact.contact]);
    };
    for (const ContactStep& contact : contacts) {
        const int c = contact.contact;
        if (takes_impact(contact)) events.push_back(event_of(EventKind::Impact, contact, t_mid_s));
        if (!is_closed_by(contact)) continue;
        if (!state.closed[c]) events.push_back(event_of(EventKind::ContactMade, contact, t_mid_s));
        if (contact.dimension > 1 && (!state.closed[c] || slides_otherwise(contact, state.slides[c]))) {
            const auto kind = slides(contact) ? EventKind::Slip : EventKind::Stick;
            events.push_back(sliding_event_of(kind, contact, t_mid_s));
        }
    }

    // the new statuses; a contact that was closed and is not any more has been lost
    constexpr char decided = 4;
    for (const ContactStep& contact : contacts) {
        char& closed = state.closed[contact.contact];
        if (is_closed_by(contact)) {
            closed = static_cast<char>(decided + (takes_impact(contact) ? 1 : 2));
        } else if (closed) {
            events.push_back(event_of(EventKind::ContactLost, contact, t_mid_s));
            closed = 0;
        }
    }
    for (std::size_t c = 0; c < state.closed.size(); ++c) {
        if (state.closed[c] == 1 || state.closed[c] == 2) {  // was closed, and is not among the active ones
            ContactStep left;
            left.contact = static_cast<int>(c);
            events.push_back(event_of(EventKind::ContactLost, left, t_mid_s));
        }
        state.closed[c] = state.closed[c] > decided ? static_cast<char>(state.closed[c] - decided) : 0;
    }
    std::fill(state.percussion_Ns.begin(), state.percussion_Ns.end(), 0.0);
    for (const ContactStep& contact : contacts) {
        // those that are not among the active ones are cleared below
        state.slides[contact.contact] = static_cast<char>(state.slides[contact.contact] + kept);
    }
    for (char& slides : state.slides) {
        slides = slides >= kept ? static_cast<char>(slides - kept) : char{0};
    }
    for (const ContactStep& contact : contacts) {
        const int c = contact.contact;
        std::copy_n(contact.P.begin(), contact.dimension, state.percussion_Ns.begin() + model.offset(c));
        const char slides_now = state.closed[c] && contact.dimension > 1 ? sliding_status(contact) : char{0};
        const bool named = slides_now && (contact.singular || (state.slides[c] & catastrophe_named));
        state.slides[c] = static_cast<char>(slides_now + (named ? catastrophe_named : 0));
    }
}

}  // namespace carom
