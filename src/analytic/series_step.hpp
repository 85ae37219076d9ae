#pragma once

#include "analytic/series_piece.hpp"
#include "carom/analytic/series.hpp"
#include "stepping/scratch.hpp"

#include <span>

namespace carom {

/// The pieces of the last report of a scratch, in the order of time; empty before the first one.
[[nodiscard]] std::span<const SeriesPiece> series_pieces(const Scratch& scratch) noexcept;

/// From state.t_s to state.t_s + settings.time_step_s, through all events in between.
[[nodiscard]] StepReport series_step(const Model& model, const SeriesSettings& settings,
                                     const SolverSettings& solver, State& state, Scratch& scratch);

}  // namespace carom
