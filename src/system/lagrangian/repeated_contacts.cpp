#include "system/lagrangian/repeated_contacts.hpp"

#include "expression/tape.hpp"
#include "expression/term.hpp"
#include "law/same_shape.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

namespace carom {
namespace {

bool same_instruction(const Tape& a, const Tape& b, std::size_t i)
{
    const Instruction &x = a.instructions()[i], &y = b.instructions()[i];
    if (x.op != y.op || x.a != y.a || x.c != y.c ||
        std::bit_cast<std::uint64_t>(x.number) != std::bit_cast<std::uint64_t>(y.number))
        return false;
    return reads_table(x.op) ? a.shared_table(x.b) == b.shared_table(y.b) : x.b == y.b;
}

bool same_term(const Term& a, const Term& b)
{
    if (!std::ranges::equal(a.variables(), b.variables()) || a.tape().size() != b.tape().size()) return false;
    for (std::size_t i = 0; i < a.tape().instructions().size(); ++i) {
        if (!same_instruction(a.tape(), b.tape(), i)) return false;
    }
    return true;
}

bool same_formula(const Formula& a, const Formula& b)
{
    return std::ranges::equal(a.terms(), b.terms(), same_term);
}

bool same_formulas(const std::vector<Formula>& a, const std::vector<Formula>& b)
{
    return std::ranges::equal(a, b, same_formula);
}

template <typename T, typename Same>
bool same_optional(const std::optional<T>& a, const std::optional<T>& b, Same same)
{
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

bool same_particle(const ContactParticle& a, const ContactParticle& b)
{
    return same_formulas(a.position, b.position) && same_formula(a.surface, b.surface) &&
           same_formulas(a.obstacle_velocity, b.obstacle_velocity) && same_formulas(a.tangent, b.tangent);
}

bool same_friction(const ContactFriction& a, const ContactFriction& b)
{
    return same_shape(a.shape, b.shape) && same_formula(a.coefficient, b.coefficient) &&
           same_optional(a.static_coefficient, b.static_coefficient, same_formula) &&
           same_formula(a.tangential_restitution, b.tangential_restitution);
}

bool same_contact(const Contact& a, const Contact& b)
{
    return same_formula(a.gap, b.gap) && same_formula(a.restitution, b.restitution) &&
           same_optional(a.particle, b.particle, same_particle) && same_formulas(a.sliding, b.sliding) &&
           same_optional(a.friction, b.friction, same_friction);
}

/// Equal contacts have the same number.
std::uint64_t hash_of(const Contact& contact)
{
    std::uint64_t hash = contact.sliding.size();
    const auto add = [&](std::uint64_t part) {
        hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 29U;
    };
    const auto add_formula = [&](const Formula& formula) {
        for (const Term& term : formula.terms()) {
            for (const Variable& variable : term.variables())
                add(static_cast<std::uint64_t>(variable.index));
            for (const Instruction& it : term.tape().instructions()) {
                add(static_cast<std::uint64_t>(it.op));
                add(std::bit_cast<std::uint64_t>(it.number));
            }
        }
    };
    add_formula(contact.gap);
    add_formula(contact.restitution);
    if (contact.friction) add_formula(contact.friction->coefficient);
    if (contact.particle) {
        add_formula(contact.particle->surface);
        for (const Formula& position : contact.particle->position)
            add_formula(position);
    }
    return hash;
}

}  // namespace

std::vector<int> first_equal_contacts(const Model& model)
{
    const auto& contacts = model.system().contacts;
    const std::size_t n = contacts.size();
    std::vector<std::uint64_t> hash(n);
    std::ranges::transform(contacts, hash.begin(), hash_of);
    std::vector<int> order(n), equal_to(n);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int c) { return hash[static_cast<std::size_t>(c)]; });

    // within a run of one hash: each is compared with the first contact of the kinds that began there
    std::vector<int> firsts;
    for (const int c : order) {
        const auto number = static_cast<std::size_t>(c);
        if (!firsts.empty() && hash[number] != hash[static_cast<std::size_t>(firsts.front())]) firsts.clear();
        const auto equal = std::ranges::find_if(firsts, [&](int first) {
            return same_contact(contacts[static_cast<std::size_t>(first)], contacts[number]);
        });
        equal_to[number] = equal == firsts.end() ? c : *equal;
        if (equal == firsts.end()) firsts.push_back(c);
    }
    return equal_to;
}

std::vector<int> different_contacts(const Model& model)
{
    const std::vector<int> equal_to = first_equal_contacts(model);
    std::vector<int> different;
    for (int c = 0; c < model.contacts(); ++c) {
        if (equal_to[static_cast<std::size_t>(c)] == c) different.push_back(c);
    }
    return different;
}

}  // namespace carom
