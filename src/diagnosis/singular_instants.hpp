#pragma once

#include "carom/diagnosis/well_posedness.hpp"
#include "expression/term.hpp"

#include <optional>
#include <vector>

namespace carom::detail {

/// One instruction of one term that has no power series somewhere.
struct Suspect {
    const Term* term = nullptr;
    int place = 0;
    Singularity::Kind kind{};
    bool time_only = false;
};

/// Instructions that all searches of a model for instants may evaluate: about a tenth of a second.
inline constexpr long instants_budget = 20'000'000;

/// Values of all registers of a term at a state.
[[nodiscard]] std::vector<double> registers_at(const Term& term, const State& at);

/// When an edge that the time alone decides is reached.
struct EdgeInstant {
    std::optional<double> instant_s = {};
    bool cut = false;  ///< the formula oscillates too fast to be searched, or the budget ended
};

/// The first instant of the run, its begin left out, at which such an edge is reached and counts. The run is
/// looked at in 4000 pieces; an argument that turns round in one of eight of them is not resolved, and the
/// search ends there. `budget` is what is left of `instants_budget`.
[[nodiscard]] EdgeInstant first_edge_in_time(const Suspect& suspect, const State& start, double duration_s,
                                             long& budget);

}  // namespace carom::detail
