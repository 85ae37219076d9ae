#pragma once

#include "scratch.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace carom {

/// The contacts of a step that is over, as the rules for sliding see them: coordinates and bodies alike.
///
/// Theory     docs/theory/friction.md, (FR-6) catastrophes, (FR-7) several continuations
class FrictionStep {
public:
    FrictionStep() = default;
    virtual ~FrictionStep() = default;
    FrictionStep(const FrictionStep&) = delete;
    FrictionStep& operator=(const FrictionStep&) = delete;

    std::span<ContactStep> contacts;
    std::span<const ContactMemory> before;  ///< theirs, as the step began
    bool recognised = true;                 ///< contacts that persist say so (MS-8)
    double ended_s = 0;
    const OneStepProblem* problem = nullptr;

    /// Its number in the problem.
    [[nodiscard]] virtual int interaction(const ContactStep& contact) const = 0;
    [[nodiscard]] virtual std::string name(const ContactStep& contact) const = 0;

    /// The normal row of W where the next step would take the contact if sliding went on; false where that is
    /// not known.
    [[nodiscard]] virtual bool normal_row_ahead(const ContactStep& contact, std::array<double, 3>& W_N) = 0;

    /// No other contact acts on what it is tied to.
    [[nodiscard]] virtual bool acts_alone(const ContactStep& contact) = 0;
};

/// A contact that slides and does not collide: has sliding a continuation (FR-6)? The margin is looked at
/// where the step took its contacts, and where the next one would if sliding went on. Finding
/// `frictional_catastrophe`.
void look_for_catastrophes(FrictionStep& step, std::vector<Finding>& findings);

/// Contacts whose friction leaves the motion open: `several_continuations`, `no_continuation`. A contact that
/// is named has a positive sliding_margin afterwards.
void look_for_paradoxes(FrictionStep& step, std::vector<Finding>& findings);

}  // namespace carom
