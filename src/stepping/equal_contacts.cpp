#include "equal_contacts.hpp"

#include "stepping/step_report.hpp"
#include "system/lagrangian/repeated_contacts.hpp"

namespace carom {
namespace {

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
    const std::vector<int> equal_to = first_equal_contacts(model);
    std::vector<char> enables(equal_to.size(), 0);  // constraints ask for the percussion of their own contact
    for (int j = 0; j < model.constraints(); ++j) {
        if (const int contact = model.only_while(j); contact >= 0)
            enables[static_cast<std::size_t>(contact)] = 1;
    }

    // those that act for themselves are left out; the others of their kind have the first that is left
    std::vector<int> first_left(equal_to.size(), -1);
    class_of_.assign(equal_to.size(), -1);
    for (std::size_t c = 0; c < equal_to.size(); ++c) {
        if (enables[c]) continue;
        int& first = first_left[static_cast<std::size_t>(equal_to[c])];
        if (first < 0) {
            first = static_cast<int>(c);
            continue;
        }
        int& of_first = class_of_[static_cast<std::size_t>(first)];
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
