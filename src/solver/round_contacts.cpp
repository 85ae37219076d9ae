#include "solver/round_contacts.hpp"

#include "core/parallel.hpp"

#include <fmt/format.h>

#include <cmath>

namespace carom {
namespace {

/// Contacts and bodies that one thread takes at once.
constexpr std::size_t contacts_in_block = 1024, bodies_in_block = 1024;

Error refused(ErrorCode code, const std::string& where, const std::string& message, const char* hint)
{
    return {.code = code,
            .where = "RoundContacts::load" + where,
            .message = message,
            .hint = hint,
            .excerpt = {}};
}

}  // namespace

Expected<void> RoundContacts::check(std::span<const RoundBody> bodies, std::span<const RoundContact> contacts)
{
    const int count = static_cast<int>(bodies.size());
    for (const RoundBody& body : bodies) {
        if (!(body.inverse_mass >= 0 && body.inverse_inertia >= 0)) {
            return refused(ErrorCode::SettingOutOfRange, "", "an inverse mass or inertia is negative",
                           "give numbers >= 0");
        }
    }
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        const RoundContact& contact = contacts[c];
        const auto where = [c] { return fmt::format(", contact {}", c); };
        if (contact.a < 0 || contact.a >= count || contact.b < 0 || contact.b >= count ||
            contact.a == contact.b) {
            return refused(ErrorCode::WrongSize, where(),
                           fmt::format("bodies {} and {} of {}", contact.a, contact.b, count),
                           "name two bodies");
        }
        const auto& n = contact.normal;
        if (!(std::abs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-9) || !(contact.friction >= 0)) {
            return refused(ErrorCode::SettingOutOfRange, where(),
                           "the normal is not a unit vector, or mu < 0",
                           "normalise n, and give a friction >= 0");
        }
        if (!(bodies[static_cast<std::size_t>(contact.a)].inverse_mass > 0 ||
              bodies[static_cast<std::size_t>(contact.b)].inverse_mass > 0)) {
            return refused(ErrorCode::SettingOutOfRange, where(), "neither body moves",
                           "leave this contact out");
        }
    }
    return {};
}

Expected<void> RoundContacts::load(std::span<const RoundBody> bodies, std::span<const RoundContact> contacts)
{
    if (auto fine = check(bodies, contacts); !fine) return fine;
    moves_.resize(bodies.size());
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        moves_[k] = bodies[k].inverse_mass > 0 || bodies[k].inverse_inertia > 0 ? 1 : 0;
    }
    pairs_.resize(contacts.size());
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        pairs_[c] = {contacts[c].a, contacts[c].b};
    }
    round_.assign(contacts.size(), 1);
    sweeps_.begin(pairs_, round_, moves_);
    for_each_index(bodies.size(), bodies_in_block, [&](std::size_t k) {
        const RoundBody& body = bodies[k];
        sweeps_.set_body(k, {.v = body.v,
                             .w = body.w,
                             .inverse_mass = body.inverse_mass,
                             .inverse_inertia = body.inverse_inertia});
    });
    for_each_index(contacts.size(), contacts_in_block, [&](std::size_t c) {
        const RoundContact& contact = contacts[c];
        sweeps_.set_contact(c, {.normal = contact.normal,
                                .arm_a = {contact.arm_a},
                                .arm_b = {contact.arm_b},
                                .shift_m_s = contact.shift_m_s,
                                .P = contact.P,
                                .friction = contact.friction});
    });
    sweeps_.start();
    return {};
}

}  // namespace carom
