#include "series_repeated.hpp"

#include "system/lagrangian/repeated_contacts.hpp"

#include <algorithm>

namespace carom::detail {

std::unique_ptr<RepeatedContacts> RepeatedContacts::of(const Model& model)
{
    if (model.contacts() < min_contacts || model.system().impact_map) return nullptr;
    const std::vector<int> equal_to = first_equal_contacts(model);
    LagrangianSystem system = model.system();
    system.contacts.clear();
    system.drawings.clear();  // they may name contacts
    for (int c = 0; c < model.contacts(); ++c) {
        const auto index = static_cast<std::size_t>(c);
        if (equal_to[index] == c) system.contacts.push_back(model.system().contacts[index]);
    }
    if (static_cast<int>(system.contacts.size()) == model.contacts()) return nullptr;
    auto reduced = make_model(std::move(system));
    if (!reduced) throw InternalError("a system with fewer contacts was refused");
    return std::unique_ptr<RepeatedContacts>(new RepeatedContacts(*std::move(reduced), equal_to));
}

RepeatedContacts::RepeatedContacts(Model model, const std::vector<int>& equal_to)
    : model_(std::move(model)), reduced_(equal_to.size()), scratch_(model_)
{
    for (std::size_t c = 0; c < equal_to.size(); ++c) {
        const auto first = static_cast<std::size_t>(equal_to[c]);
        if (first == c) {
            reduced_[c] = static_cast<int>(members_.size());
            members_.emplace_back();
        } else {
            reduced_[c] = reduced_[first];
        }
        members_[static_cast<std::size_t>(reduced_[c])].push_back(static_cast<int>(c));
    }
}

bool RepeatedContacts::fits(const State& state) const
{
    return std::ranges::all_of(members_, [&](const std::vector<int>& members) {
        const auto first = static_cast<std::size_t>(members.front());
        return std::ranges::all_of(members, [&](int c) {
            const auto index = static_cast<std::size_t>(c);
            return state.closed[index] == state.closed[first] && state.slides[index] == state.slides[first];
        });
    });
}

State& RepeatedContacts::begin(const State& state, const Formula* until, bool starts_at_zero)
{
    state_ = make_state(model_, state.q, state.u, state.t_s);
    for (std::size_t k = 0; k < members_.size(); ++k) {
        const auto first = static_cast<std::size_t>(members_[k].front());
        state_.closed[k] = state.closed[first];
        state_.slides[k] = state.slides[first];
    }
    scratch_.until = until;
    scratch_.until_starts_at_zero = starts_at_zero;
    return state_;
}

void RepeatedContacts::finish(const Model& model, State& state, Scratch& scratch) const
{
    state.q = state_.q;
    state.u = state_.u;
    state.t_s = state_.t_s;
    std::ranges::fill(state.percussion_Ns, 0.0);
    for (std::size_t c = 0; c < reduced_.size(); ++c) {
        const auto k = static_cast<std::size_t>(reduced_[c]);
        state.closed[c] = state_.closed[k];
        state.slides[c] = state_.slides[k];
        scratch.gap_m[c] = scratch_.gap_m[k];
    }

    // each has an equal part
    scratch.contacts.clear();
    for (const ContactStep& of_one : scratch_.contacts) {
        const std::vector<int>& members = members_[static_cast<std::size_t>(of_one.contact)];
        ContactStep step = of_one;
        const double part = 1.0 / static_cast<double>(members.size());
        for (double& P : step.P)
            P *= part;
        for (double* work_J : {&step.energy_J, &step.friction_J, &step.from_free_J})
            *work_J *= part;
        for (const int c : members) {
            step.contact = c;
            scratch.contacts.push_back(step);
            std::copy_n(step.P.begin(), step.dimension, state.percussion_Ns.begin() + model.offset(c));
        }
    }
    std::ranges::sort(scratch.contacts, {}, &ContactStep::contact);
    scratch.events.clear();
    for (const Event& of_one : scratch_.events) {
        const std::vector<int>& members = members_[static_cast<std::size_t>(of_one.contact)];
        Event event = of_one;
        event.percussion_Ns /= static_cast<double>(members.size());
        event.energy_J /= static_cast<double>(members.size());
        for (const int c : members) {
            event.contact = c;
            scratch.events.push_back(event);
        }
    }
    scratch.u_free = scratch_.u_free;
    scratch.potential_gradient = scratch_.potential_gradient;
}

std::vector<StatusDecision> RepeatedContacts::of_all(std::span<const StatusDecision> decisions) const
{
    std::vector<StatusDecision> all;
    for (const StatusDecision& of_one : decisions) {
        const std::vector<int>& members = members_[static_cast<std::size_t>(of_one.contact)];
        StatusDecision decision = of_one;
        // coefficients of forces, not of accelerations
        if (decision.normal == "active") decision.normal_leading /= static_cast<double>(members.size());
        if (decision.friction == "stick") decision.friction_leading /= static_cast<double>(members.size());
        for (const int c : members) {
            decision.contact = c;
            all.push_back(decision);
        }
    }
    std::ranges::sort(all, {}, &StatusDecision::contact);
    return all;
}

}  // namespace carom::detail
