#include "statuses.hpp"

#include "step_parts.hpp"
#include "tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace carom {
namespace {

// what ContactStep has is what tolerances.hpp says
static_assert(ContactStep{}.zero == detail::velocity_at_rest);

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
    if (kind == EventKind::Slip) event.slip_rad = std::atan2(contact.U_plus[2], contact.U_plus[1]);
    if (kind == EventKind::Stick) event.velocity_after_m_s = 0;
    return event;
}

/// In State::slides: what is added where the catastrophe of the slide has been named.
constexpr char catastrophe_named = 4;

/// 0 not, 1 it slides, 2 in the plane backwards.
char sliding_status(const ContactStep& contact)
{
    if (!slides(contact)) return 0;
    return contact.dimension == 2 && contact.U_plus[1] < 0 ? 2 : 1;
}

/// Sliding begins, ends, or turns round: within the step, or between two steps, where the obstacle moves. Then
/// friction, which is against the velocity at the end of each step, has turned round.
bool slides_otherwise(const ContactStep& contact, char now, const ContactMemory& before)
{
    const char then = before.slides % catastrophe_named;
    if (now != then) return true;
    if (contact.dimension < 3 || !now) return false;
    const double along = contact.U_plus[1] * contact.U_minus[1] + contact.U_plus[2] * contact.U_minus[2];
    const double with = contact.P[1] * before.friction_Ns[0] + contact.P[2] * before.friction_Ns[1];
    return along < 0 || with < 0;
}

/// Velocities that met at the contact: what rounding and tolerances are small against. In a stack U^- and
/// U_free vanish above the lowest contact: what the percussion undoes counts as well.
double normal_velocities_met(const ContactStep& contact)
{
    return std::abs(contact.U_minus[0]) + std::abs(contact.U_free[0]) + contact.W_1_kg * contact.P[0] +
           std::abs(contact.bend_m_s);
}

/// A sliding velocity that is not above is zero. A solve mixes all components: roundings of the normal one
/// are among those of sliding.
double min_sliding_m_s(const ContactStep& contact)
{
    const double met = sliding_speed(contact.U_minus) + sliding_speed(contact.U_free) +
                       contact.W_tangential_1_kg * sliding_speed(contact.P);
    return 0.1 * contact.zero * met + detail::velocity_rounding * normal_velocities_met(contact) +
           contact.left_m_s;
}

/// Without that of rolling and spinning.
double work_of_friction_J(const ContactStep& contact)
{
    return (contact.P[1] * (contact.U_minus[1] + contact.U_plus[1]) +
            contact.P[2] * (contact.U_minus[2] + contact.U_plus[2])) /
           2;
}

/// It touched, and moves away faster than its obstacle bends away from it. Where it only hangs above its
/// obstacle by what the last steps have left, the forces will bring it back (MS-10).
bool leaves(const ContactStep& contact)
{
    const double tolerance = contact.zero * normal_velocities_met(contact) + contact.rounding_m_s;
    const double away = contact.U_plus[0] + contact.shift_m_s;
    const double gained = contact.U_plus[0] - contact.U_minus[0] + contact.bend_m_s;
    return away > contact.W_1_kg * contact.P[0] && away > tolerance && gained > tolerance;
}

/// The reaction is strictly within its limits: then it holds, whatever rounding leaves of its velocity.
bool is_within_limits(const Law& law, std::span<const double> P)
{
    constexpr double inside = detail::inside_limits;
    if (const auto* limited = std::get_if<Limited>(&law))
        return P[0] > inside * limited->low && P[0] < inside * limited->high;
    const auto* set = std::get_if<NonFirm>(&law);
    if (set == nullptr || set->size == 0 || set->set->size() == 0)
        return false;  // a cone has no sizes to compare
    std::array<double, max_components> larger{}, nearest{};
    std::transform(P.begin(), P.end(), larger.begin(), [](double value) { return value / inside; });
    nearest = larger;
    project_on_set(law, std::span(nearest).first(P.size()));
    double moved = 0, size = 0;
    for (std::size_t i = 0; i < P.size(); ++i) {
        moved = std::max(moved, std::abs(nearest[i] - larger[i]));
        size = std::max(size, std::abs(P[i]));
    }
    return moved <= detail::velocity_rounding * size;
}

}  // namespace

bool acts(const ContactStep& contact) noexcept
{
    return contact.P[0] > 0 && contact.W_1_kg * contact.P[0] > contact.rounding_m_s;
}

bool stays_closed(const ContactStep& contact) noexcept
{
    if (contact.persists) return !leaves(contact);
    const double away = std::abs(contact.U_plus[0] + contact.shift_m_s);
    return acts(contact) && away <= contact.zero * normal_velocities_met(contact) + contact.left_m_s;
}

bool collides(const ContactStep& contact, bool recognised, bool was_closed) noexcept
{
    const bool persists = recognised ? contact.persists : was_closed;
    return acts(contact) && !persists && contact.U_minus[0] < -contact.rounding_m_s;
}

bool is_struck(const ContactStep& contact, const ContactMemory& before) noexcept
{
    return acts(contact) && contact.P[0] > 2 * before.percussion_Ns;
}

bool any_collides(std::span<const ContactStep> contacts, const State& before, bool recognised) noexcept
{
    return std::any_of(contacts.begin(), contacts.end(), [&](const ContactStep& contact) {
        return collides(contact, recognised, before.closed[contact.contact] != 0);
    });
}

bool slides(const ContactStep& contact) noexcept
{
    if (contact.sticks) return false;
    return sliding_speed(contact.U_plus) > min_sliding_m_s(contact);
}

bool slid(const ContactStep& contact) noexcept
{
    return sliding_speed(contact.U_minus) > min_sliding_m_s(contact);
}

bool may_be_singular(const ContactStep& contact, const ContactMemory& before) noexcept
{
    if (!before.closed || !before.slides || (before.slides & catastrophe_named)) return false;
    if (contact.dimension == 1 || !acts(contact)) return false;
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

ConstraintStatus status_of_reaction(const OneStepProblem& problem, int interaction, std::span<const double> P,
                                    std::span<const double> U_plus)
{
    const auto W = problem.W.diagonal(interaction);
    double speed = 0, met = 0, made = 0;
    for (std::size_t i = 0; i < P.size(); ++i) {
        const std::size_t row = static_cast<std::size_t>(problem.offsets[interaction]) + i;
        speed = std::max(speed, std::abs(U_plus[i]));
        made = std::max(made, W[i * P.size() + i] * std::abs(P[i]));
        met += std::abs(problem.U_minus[row]) + std::abs(problem.U_free[row]);
    }
    if (speed <= detail::velocity_at_rest * (met + made) || is_within_limits(problem.laws[interaction], P))
        return ConstraintStatus::Holds;
    if (made == 0) return ConstraintStatus::Free;
    return P.size() == 1 && U_plus[0] < 0 ? ConstraintStatus::GivesWayBackwards : ConstraintStatus::GivesWay;
}

std::optional<EventKind> event_of_change(ConstraintStatus before, ConstraintStatus now)
{
    const bool gives_way_now =
        now == ConstraintStatus::GivesWay || now == ConstraintStatus::GivesWayBackwards;
    if (before == now) return std::nullopt;
    if (before == ConstraintStatus::Unknown)
        return gives_way_now ? std::optional(EventKind::Slip) : std::nullopt;
    if (now == ConstraintStatus::Free) return EventKind::Release;
    if (before == ConstraintStatus::Free) return EventKind::Engage;
    return gives_way_now ? EventKind::Slip : EventKind::Lock;
}

Event event_of_vanished(int contact, double time_s)
{
    ContactStep left;
    left.contact = contact;
    return event_of(EventKind::ContactLost, left, time_s);
}

double update_statuses(std::span<ContactStep> contacts, bool recognised, double time_s,
                       std::span<ContactMemory> statuses, std::vector<Event>& events)
{
    double held_J = 0;
    const auto takes_impact = [&](const ContactStep& contact, const ContactMemory& before) {
        return before.collision &&
               (collides(contact, recognised, before.closed != 0) || is_struck(contact, before));
    };
    // one that only touches, without a force, is not made
    const auto is_closed_by = [&](const ContactStep& contact, const ContactMemory& before) {
        return stays_closed(contact) && (acts(contact) || before.closed);
    };
    bool any_lost = false;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        ContactStep& contact = contacts[k];
        contact.held_J = 0;
        ContactMemory& status = statuses[k];
        const ContactMemory before = status;
        const bool impact = takes_impact(contact, before);
        if (impact) events.push_back(event_of(EventKind::Impact, contact, time_s));
        status = {.percussion_Ns = contact.P[0]};
        if (!is_closed_by(contact, before)) {
            // it was closed and is not any more: it has been lost
            status.collision = before.closed != 0;
            any_lost = any_lost || status.collision;
            continue;
        }
        status.closed = impact ? 1 : 2;
        if (!before.closed) events.push_back(event_of(EventKind::ContactMade, contact, time_s));
        if (contact.dimension == 1) continue;
        const char slides_now = sliding_status(contact);
        if (contact.persists && before.closed && !before.slides && !slides_now)
            held_J += contact.held_J = work_of_friction_J(contact);
        if (!before.closed || slides_otherwise(contact, slides_now, before)) {
            const auto kind = slides_now ? EventKind::Slip : EventKind::Stick;
            events.push_back(sliding_event_of(kind, contact, time_s));
        }
        const bool named = slides_now && (contact.singular || (before.slides & catastrophe_named));
        status.slides = static_cast<char>(slides_now + (named ? catastrophe_named : 0));
    }

    // what was lost is told after what was made
    for (std::size_t k = 0; any_lost && k < contacts.size(); ++k) {
        if (statuses[k].collision) events.push_back(event_of(EventKind::ContactLost, contacts[k], time_s));
        statuses[k].collision = false;
    }
    return held_J;
}

void recall_statuses(const Model& model, bool recognised, const State& state, Scratch& s)
{
    const bool collision = !s.contacts.empty() && any_collides(s.contacts, state, recognised);
    s.statuses.clear();
    for (const ContactStep& contact : s.contacts) {
        const int c = contact.contact;
        const double* const P = state.percussion_Ns.data() + model.offset(c);
        s.statuses.push_back({.closed = state.closed[c],
                              .slides = state.slides[c],
                              .percussion_Ns = P[0],
                              .collision = collision});
        if (contact.dimension > 2) s.statuses.back().friction_Ns = {P[1], P[2]};
    }
}

void update_statuses(const Model& model, bool recognised, double t_mid_s, State& state, Scratch& s,
                     EnergyLines& lines)
{
    if (!s.contacts.empty()) {
        const double held_J = update_statuses(s.contacts, recognised, t_mid_s, s.statuses, s.events);
        lines.friction_J -= held_J;
        lines.correction_J += held_J;
    }

    // those that were closed and are not among the contacts of the step
    for (const ContactStep& contact : s.contacts) {
        state.closed[contact.contact] = 0;
    }
    for (std::size_t c = 0; c < state.closed.size(); ++c) {
        if (state.closed[c]) s.events.push_back(event_of_vanished(static_cast<int>(c), t_mid_s));
    }
    set_all(state.closed.size(), char{0}, state.closed);
    set_all(state.slides.size(), char{0}, state.slides);
    set_all(state.percussion_Ns.size(), 0.0, state.percussion_Ns);
    for (std::size_t k = 0; k < s.contacts.size(); ++k) {
        const ContactStep& contact = s.contacts[k];
        state.closed[contact.contact] = s.statuses[k].closed;
        state.slides[contact.contact] = s.statuses[k].slides;
        double* const P = state.percussion_Ns.data() + model.offset(contact.contact);
        P[0] = contact.P[0];
        if (contact.dimension > 1) P[1] = contact.P[1];
        if (contact.dimension > 2) P[2] = contact.P[2];
    }
}

}  // namespace carom
