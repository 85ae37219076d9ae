#pragma once

#include "simulation.hpp"
#include "strikes.hpp"

namespace carom::reference {

/// The first `count` impacts of a motion by Moreau's scheme with the step h_s where nothing happens and steps
/// of h_s / 10^4 around each impact, so that the velocities that meet are those of the impact up to h_s^2. A
/// step in which an impact falls is taken back and walked again in a hundred smaller ones, twice. A contact
/// that stays on a curved way drifts off by what the scheme moves along the tangent, and comes back some
/// steps later: that is no impact.
[[nodiscard]] std::vector<Event> refined_impacts(const Model& model, const State& start, double h_s,
                                                 std::size_t count);

/// The same, with what strikes at one instant counted as one, until `finished`.
[[nodiscard]] Strikes refined_strikes(const Model& model, const State& start, double h_s,
                                      const std::function<bool(const Strikes&)>& finished);

}  // namespace carom::reference
