#pragma once

#include "carom/integrator/body_step.hpp"
#include "carom/integrator/run.hpp"

#include <span>
#include <string>

namespace carom {

/// Runs of bodies. Recordings, pages and results know coordinates: bodies are shown to them as those.
///
///     NAME_x, NAME_y, NAME_z            centre of mass, m
///     NAME_w, NAME_i, NAME_j, NAME_k    turn, a unit quaternion;  in the plane NAME_x, NAME_y, NAME_angle
///
/// Bodies that are fixed have none. Prescribed ones count with a mass of 1e-30 kg.

/// The coordinates, energies and drawings of bodies. `colours`: one per body, of core/palette.hpp. The names
/// of the bodies must be such that formulas can use them, and differ.
[[nodiscard]] Expected<Model, Errors> coordinates_of(const BodyModel& bodies,
                                                     std::span<const std::string> colours);

/// The state of these coordinates.
[[nodiscard]] State coordinate_state(const BodyModel& bodies, const BodyState& state);

/// Goes on with a run of bodies to its end. `run` holds its progress and, as coordinates, its state;
/// listeners see steps as those of `coordinates`, without contacts. An `until` formula is of the coordinates.
[[nodiscard]] RunReport go_on(const BodyModel& bodies, const Model& coordinates,
                              const MoreauSettings& settings, const SolverSettings& solver,
                              const RunPlan& plan, BodyState& state, RunSoFar& run,
                              const StepListener& listener = {});

}  // namespace carom
