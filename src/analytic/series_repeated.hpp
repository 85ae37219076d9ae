#pragma once

#include "analytic/series_step.hpp"
#include "stepping/scratch.hpp"

#include <memory>
#include <span>
#include <vector>

namespace carom::detail {

/// A system whose contacts are written more than once, with one of each kind: a step of the series of n equal
/// contacts costs n, not n^3. Each takes an equal part of the percussion, of the works and of the reaction,
/// which is what the rule for indeterminate loads selects.
///
/// Theory     docs/theory/solvers.md (SO-31), (SO-36)
class RepeatedContacts {
public:
    /// Combinations of sticking and sliding grow like a power of the number of contacts: equal ones are
    /// joined long before they are too many to try.
    static constexpr int min_contacts = 5;

    /// Null where there are fewer contacts, no two of them equal, or a map that sees each of them.
    [[nodiscard]] static std::unique_ptr<RepeatedContacts> of(const Model& model);

    [[nodiscard]] const Model& reduced() const noexcept { return model_; }

    /// Whether equal contacts are in the same status.
    [[nodiscard]] bool fits(const State& state) const;

    /// State and memory of the reduced system where a step of the whole begins.
    [[nodiscard]] State& begin(const State& state, const Formula* until, bool starts_at_zero);
    [[nodiscard]] Scratch& scratch() noexcept { return scratch_; }

    /// After it: state, contacts, gaps and events of the whole.
    void finish(const Model& model, State& state, Scratch& scratch) const;

    [[nodiscard]] std::vector<StatusDecision> of_all(std::span<const StatusDecision> decisions) const;

private:
    RepeatedContacts(Model model, const std::vector<int>& equal_to);

    Model model_;
    std::vector<int> reduced_;               ///< per contact of the whole: the one that acts for it
    std::vector<std::vector<int>> members_;  ///< per contact of the reduced system: whom it acts for
    State state_;
    Scratch scratch_;
};

}  // namespace carom::detail
