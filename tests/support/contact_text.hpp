#pragma once

#include "carom/system/lagrangian/lagrangian_system.hpp"

#include <string>
#include <vector>

namespace carom::test {

/// A contact as texts: its gap alone, or with friction either the sliding velocities or the particle that
/// touches a surface.
struct ContactText {
    std::string name, gap, restitution = "0";
    std::string friction = "", static_friction = "", tangential_restitution = "0";
    FrictionShape shape = FrictionInterval{};
    std::vector<std::string> sliding = {};
    std::vector<std::string> position = {};  ///< of the particle; then `gap` is the surface over x, y, z
    std::vector<std::string> obstacle_velocity = {}, tangent = {};
};

/// The contact; `formula` reads a text over the system, `over_point` one over x, y, z.
template <class Formula, class OverPoint>
Contact contact_of(const ContactText& text, Formula&& formula, OverPoint&& over_point)
{
    const auto list = [](const std::vector<std::string>& texts, auto&& read) {
        std::vector<carom::Formula> formulas;
        for (const std::string& one : texts) {
            formulas.push_back(read(one));
        }
        return formulas;
    };
    Contact contact{.name = text.name, .gap = {}, .restitution = formula(text.restitution)};
    if (text.position.empty()) {
        contact.gap = formula(text.gap);
    } else {
        contact.particle = ContactParticle{.position = list(text.position, formula),
                                           .surface = over_point(text.gap),
                                           .obstacle_velocity = list(text.obstacle_velocity, over_point),
                                           .tangent = list(text.tangent, over_point)};
    }
    contact.sliding = list(text.sliding, formula);
    if (text.friction.empty()) return contact;
    contact.friction = ContactFriction{.shape = text.shape,
                                       .coefficient = formula(text.friction),
                                       .static_coefficient = {},
                                       .tangential_restitution = formula(text.tangential_restitution)};
    if (!text.static_friction.empty()) contact.friction->static_coefficient = formula(text.static_friction);
    return contact;
}

}  // namespace carom::test
