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

/// Instructions that all searches of a model for edges, in time or along lines, may evaluate: about a tenth of a
/// second.
inline constexpr long instants_budget = 20'000'000;

/// Values of all registers of a term at a state.
[[nodiscard]] std::vector<double> registers_at(const Term& term, const State& at);

/// Where an edge is reached on the way from one state to another.
struct EdgeOnWay {
    std::optional<double> weight = {};  ///< of the second state, in (0, 1]
    bool cut = false;  ///< the formula oscillates too fast to be searched, or the budget ended
};

/// The first instant of the run, its begin left out, at which an edge that the time alone decides is reached and
/// counts. The run is looked at in 4000 pieces; an argument that turns round in one of eight of them is not resolved,
/// and the search ends there. `budget` is what is left of `instants_budget`.
[[nodiscard]] EdgeOnWay first_edge_in_time(const Suspect& suspect, const State& start, double duration_s,
                                           long& budget);

/// The same along the straight line from one state to another, in 48 pieces (WP-13).
[[nodiscard]] EdgeOnWay first_edge_on_line(const Suspect& suspect, const State& from, const State& to,
                                           long& budget);

}  // namespace carom::detail
