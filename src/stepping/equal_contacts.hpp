#pragma once

#include "carom/system/lagrangian/model.hpp"
#include "stepping/assembly.hpp"

#include <span>
#include <vector>

namespace carom {

struct ContactStep;

/// Contacts of a system that are written more than once: same gap, same friction, same restitution. Where all
/// of them touch, one acts for all and each takes an equal part of its percussion, which is what the rule for
/// indeterminate loads selects (SO-31), (SO-36). W then has one row for all of them: a step of n equal
/// contacts costs n, not n^2.
///
/// Theory     docs/theory/solvers.md (SO-36)
class EqualContacts {
public:
    /// Steps with fewer active contacts are left as they are.
    static constexpr int min_contacts = 64;

    explicit EqualContacts(const Model& model);

    /// Leaves one of equal contacts in `active`, which are sorted; contacts that did different things in the
    /// step before are not equal.
    void fold(const Model& model, const State& state, std::span<const char> touching,
              std::vector<int>& active);

    /// Some contact of this step acts for others.
    [[nodiscard]] bool folded() const noexcept { return folded_; }

    /// The percussions of the step before, those of equal contacts added up.
    [[nodiscard]] std::span<const double> percussions_Ns(const State& state) const noexcept
    {
        return folded_ ? std::span<const double>(sums_Ns_) : std::span<const double>(state.percussion_Ns);
    }

    /// Once the step is solved: the rows of a contact are those of the one that acts for it.
    void share_rows(ContactRows& rows) const;

    /// Those that a contact acts for touch no more, as itself.
    void open(int contact, std::vector<char>& touching) const;

    /// Every contact with its part of the percussion and of the works, in the order of their numbers, and
    /// their laws.
    void unfold(const ContactRows& rows, std::vector<ContactStep>& contacts, std::span<const Law> laws);
    [[nodiscard]] std::span<const Law> laws() const noexcept { return laws_; }

private:
    std::vector<int> class_of_;  ///< per contact, -1 where no other is equal; empty: none is
    int classes_ = 0;

    // of the step
    bool folded_ = false;
    std::vector<int> first_;        ///< per class: a contact that acts, -1: none
    std::vector<int> next_;         ///< per contact that acts: another one of its class
    std::vector<int> acts_for_me_;  ///< per contact, -1 where it is not active
    std::vector<int> count_;        ///< per contact that acts: for how many, itself included
    std::vector<int> active_;       ///< contacts before folding
    std::vector<double> sums_Ns_;
    std::vector<ContactStep> whole_;
    std::vector<Law> laws_;
};

}  // namespace carom
