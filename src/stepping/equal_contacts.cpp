#include "equal_contacts.hpp"

#include "expression/tape.hpp"
#include "expression/term.hpp"
#include "solver/multiples.hpp"
#include "stepping/step_report.hpp"

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
    if (contact.particle) {
        add_formula(contact.particle->surface);
        for (const Formula& position : contact.particle->position)
            add_formula(position);
    }
    return hash;
}

/// What equal contacts did in the step before.
bool did_the_same(const State& state, std::span<const char> touching, int a, int b)
{
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    return state.closed[i] == state.closed[j] && state.slides[i] == state.slides[j] &&
           (touching.empty() || touching[i] == touching[j]);
}

}  // namespace

EqualContacts::EqualContacts(const Model& model)
{
    // a map sees every contact
    if (model.contacts() < min_contacts || model.system().impact_map) return;
    const auto& contacts = model.system().contacts;
    const std::size_t n = contacts.size();
    std::vector<std::uint64_t> hash(n);
    std::ranges::transform(contacts, hash.begin(), hash_of);
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int c) { return hash[static_cast<std::size_t>(c)]; });

    // within a run of one hash: each is compared with the first contact of the classes that began there
    class_of_.assign(n, -1);
    std::vector<char> enables(n, 0);  // constraints ask for the percussion of their own contact
    for (int j = 0; j < model.constraints(); ++j) {
        if (const int contact = model.only_while(j); contact >= 0)
            enables[static_cast<std::size_t>(contact)] = 1;
    }
    std::vector<int> firsts;
    for (std::size_t i = 0; i < n; ++i) {
        const auto c = static_cast<std::size_t>(order[i]);
        if (enables[c]) continue;
        if (!firsts.empty() && hash[c] != hash[static_cast<std::size_t>(firsts.front())]) firsts.clear();
        const auto equal = std::ranges::find_if(firsts, [&](int first) {
            return same_contact(contacts[static_cast<std::size_t>(first)], contacts[c]);
        });
        if (equal == firsts.end()) {
            firsts.push_back(order[i]);
            continue;
        }
        int& of_first = class_of_[static_cast<std::size_t>(*equal)];
        if (of_first < 0) of_first = classes_++;
        class_of_[c] = of_first;
    }
    if (classes_ == 0) class_of_.clear();
}

void EqualContacts::fold(const Model& model, const State& state, std::span<const char> touching,
                         std::vector<int>& active)
{
    folded_ = false;
    if (class_of_.empty() || static_cast<int>(active.size()) < min_contacts) return;
    active_.assign(active.begin(), active.end());
    first_.assign(static_cast<std::size_t>(classes_), -1);
    next_.assign(class_of_.size(), -1);
    count_.assign(class_of_.size(), 1);
    acts_for_me_.assign(class_of_.size(), -1);
    sums_Ns_.assign(state.percussion_Ns.begin(), state.percussion_Ns.end());
    active.clear();
    for (const int c : active_) {
        if (!model.is_contact(c)) {
            active.push_back(c);
            continue;
        }
        const int number = class_of_[static_cast<std::size_t>(c)];
        int acts = number < 0 ? -1 : first_[static_cast<std::size_t>(number)];
        while (acts >= 0 && !did_the_same(state, touching, acts, c)) {
            acts = next_[static_cast<std::size_t>(acts)];
        }
        if (acts < 0) {
            acts = c;
            if (number >= 0) {
                next_[static_cast<std::size_t>(c)] = first_[static_cast<std::size_t>(number)];
                first_[static_cast<std::size_t>(number)] = c;
            }
            active.push_back(c);
        } else {
            folded_ = true;
            ++count_[static_cast<std::size_t>(acts)];
            for (int i = 0; i < model.dimension(c); ++i)
                sums_Ns_[static_cast<std::size_t>(model.offset(acts) + i)] +=
                    state.percussion_Ns[static_cast<std::size_t>(model.offset(c) + i)];
        }
        acts_for_me_[static_cast<std::size_t>(c)] = acts;
    }
}

void EqualContacts::share_rows(ContactRows& rows) const
{
    for (std::size_t c = 0; folded_ && c < acts_for_me_.size(); ++c) {
        const int acts = acts_for_me_[c];
        if (acts >= 0) rows.index_of[c] = rows.index_of[static_cast<std::size_t>(acts)];
    }
}

void EqualContacts::open(int contact, std::vector<char>& touching) const
{
    touching[static_cast<std::size_t>(contact)] = 0;
    if (!folded_ || count_[static_cast<std::size_t>(contact)] == 1) return;
    for (std::size_t c = 0; c < acts_for_me_.size(); ++c) {
        if (acts_for_me_[c] == contact) touching[c] = 0;
    }
}

void EqualContacts::unfold(const ContactRows& rows, std::vector<ContactStep>& contacts,
                           std::span<const Law> laws)
{
    laws_.clear();
    if (!folded_) return;
    whole_.clear();
    // contacts come first among the rows, and all of them are in `contacts`
    for (std::size_t c = 0; c < acts_for_me_.size(); ++c) {
        const int acts = acts_for_me_[c];
        if (acts < 0) continue;
        const auto k = static_cast<std::size_t>(rows.index_of[c]);
        ContactStep& step = whole_.emplace_back(contacts[k]);
        laws_.push_back(laws[k]);
        step.contact = static_cast<int>(c);
        const double part = 1.0 / count_[static_cast<std::size_t>(acts)];
        for (double& P : step.P)
            P *= part;
        for (double* work_J : {&step.energy_J, &step.friction_J, &step.from_free_J})
            *work_J *= part;
    }
    contacts.swap(whole_);
}

}  // namespace carom
